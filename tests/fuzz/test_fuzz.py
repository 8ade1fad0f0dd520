"""Parsers survive any bytes: Hypothesis here, and random bytes by `make explore`."""

import io
import random
import sys
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mutated_files import FAMILIES, SEEDS, mutated_archive, mutated_bytes, use

from rankcut import read_file
from rankcut.files import RankingFileError, read_graph
from rankcut.label_ranking import models

# What the formats are made of, so that chance finds more than the first complaint.
PIECES = [
    *b'0123456789:,{}#=-()" \n\r\t;\xff\x00'.decode("latin-1"),
    "# NUMBER ALTERNATIVES: ",
    "# ALTERNATIVE NAME 1: ",
    "# DATA TYPE: cat\n",
    "ranking,item,rank\n",
    "99999999999999999999",
    "\n0\n",
]


@st.composite
def near(draw, seeds):
    """A good file, cut somewhere, with something else in its place."""
    seed = draw(st.sampled_from(seeds))
    start = draw(st.integers(0, len(seed)))
    end = draw(st.integers(start, len(seed)))
    made = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
    middle = draw(st.binary(max_size=12) | made.map(lambda text: text.encode("latin-1")))
    return seed[:start] + middle + seed[end:]


@pytest.mark.parametrize("kind", SEEDS)
def test_any_bytes_give_rankings_or_an_error_with_a_line(kind):
    @settings(max_examples=4 * settings().max_examples)
    @given(st.binary(max_size=200) | near(SEEDS[kind]))
    @example(b"\nx,2,1,2\ny,1,,1\n")
    @example(b"&D;\n\xac>D;\xe0.:;T>D")
    def survives(data):
        use(kind, data)

    survives()


@pytest.mark.parametrize("family", FAMILIES)
def test_mutated_files_are_read_or_refused(family, monkeypatch):
    monkeypatch.setattr(models, "_TREES", 2)
    draw = random.Random(0)
    files = list(FAMILIES[family]())
    for kind, content in files * (1 if family == "models" else 4):
        packed = kind in ("npz", "skops", "zip", "xlsx")
        use(kind, (mutated_archive if packed else mutated_bytes)(content, draw))


def test_a_complete_graph_has_items_in_proportion_to_its_file():
    sink = io.BytesIO()
    np.savez(sink, n_items=np.array(2**40))
    assert use("npz", sink.getvalue())


@given(st.binary(max_size=200))
def test_any_bytes_give_a_graph_or_an_error(data):
    for start in (b"", b"PK\x03\x04", b"\x1f\x8b\x08"):
        with suppress(RankingFileError):
            read_graph(io.BytesIO(start + data))


def large_files():
    """Files of about 50 kB that promise or imply far more than they hold."""
    names = "".join(f"# ALTERNATIVE NAME {i}: {i}\n" for i in range(1, 1001))
    yield "toi", f"# NUMBER ALTERNATIVES: 1000\n{names}" + "1: 1\n" * 8_000
    yield "toi", "1: " + "{" * 50_000
    yield "toi", "# NUMBER ALTERNATIVES: 9\n1: " + ",".join("1" * 25_000)
    yield "blt", "3000 1\n" + "1 1 0\n" * 6_000 + "0\n" + '"x"\n' * 3000
    yield "blt", "15000 1\n1 " + " ".join(map(str, range(1, 9_000))) + " 8999 0\n" + "\n" * 15_000
    yield "csv", "," * 15_000 + "\n" + "1\n" * 15_000
    yield "csv", "ranking,item,rank\n" + "".join(f"{i},{i},1\n" for i in range(5_000))


class Calls:
    """How many functions were called, in Python or in C, while this is in place."""

    def __enter__(self):
        self.count = 0
        sys.setprofile(self._see)
        return self

    def __exit__(self, *problem):
        sys.setprofile(None)

    def _see(self, frame, event, argument):
        self.count += event in ("call", "c_call")


@pytest.mark.parametrize(("kind", "text"), [*large_files()])
def test_work_and_memory_stay_in_proportion_to_the_file(kind, text):
    data = text.encode()
    # What is imported or compiled at first use does not count.
    read_file(io.BytesIO(SEEDS[kind][0]), kind)
    tracemalloc.start()
    with suppress(RankingFileError):
        read_file(io.BytesIO(data), kind)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 150 * len(data) + (8 << 20)
    with Calls() as calls, suppress(RankingFileError):
        read_file(io.BytesIO(data), kind)
    assert calls.count < 10 * len(data)
