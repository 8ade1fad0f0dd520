"""When loops are compiled, and where there is no place for a cache."""

import pickle
import warnings

import pytest

from rankcut._loops import compilation


def double(number):
    return 2 * number


def test_without_a_place_for_the_cache_loops_are_compiled_all_the_same(monkeypatch):
    given = []

    def refuse_cache(**options):
        given.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'double': no locator available")
        return lambda function: function

    monkeypatch.setattr(compilation, "_njit", lambda: refuse_cache)
    compilation.warn_of_no_cache.cache_clear()
    with pytest.warns(RuntimeWarning, match="set NUMBA_CACHE_DIR to a writable directory"):
        assert compilation.compiled(double)(4) == 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compilation.compiled(double)(4) == 8
    compilation.warn_of_no_cache.cache_clear()
    assert [options.get("cache", False) for options in given] == [True, False, True, False]
    assert all(options["nogil"] for options in given)


@compilation.compiled
def quadruple(number):
    return doubled(doubled(number))


@compilation.compiled
def doubled(number):
    return 2 * number


def test_a_loop_is_plain_or_compiled():
    with compilation.plain_loops():
        # Machine code has no integers as large as this.
        assert quadruple(2**70) == 2**72
    assert quadruple(3) == 12
    assert quadruple.signatures
    assert pickle.loads(pickle.dumps(quadruple)) is quadruple
