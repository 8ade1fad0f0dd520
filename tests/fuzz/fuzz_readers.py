"""A fuzzer for the readers: any bytes give rankings or an error with a line, in proportion.

Run it for a bounded time, without machine code so that branches are seen::

    NUMBA_DISABLE_JIT=1 python tests/fuzz/fuzz_readers.py preflib -max_total_time=60
"""

import io
import sys
from functools import partial

# Good files, to begin from.
SEEDS = {
    "preflib": [
        b"# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n"
        b"# ALTERNATIVE NAME 2: b\n3: 2,1\n1: {1,2}\n",
        b"2\n1,a\n2,b\n4,4,2\n3,2,1\n1,{1,2}\n",
    ],
    "blt": [
        b'2 1\n-2\n(x) 3 1 2 0\n1 1=2 0\n0\n"a"\n"b"\n"t"\n',
        b"2 1,\n3 1 2 0,\n0,\n# ALTERNATIVE NAME 1: a (X)\n# ALTERNATIVE NAME 2: b (Y)\nWard 1\n",
        b'2,1,\n3,1,2,\n"Candidate 1","a","X (X)",\n"Candidate 2","b","Y",\n""Ward 1"",',
    ],
    "order": [b"3 1\n0 2 1 0\n0 3 2 1 0\n"],
    "csv": [b"ranking,count,a,b\nx,2,1,2\ny,1,,1\n", b'ranking,item,rank\nx,"a",1\nx,b,2\n'],
}


def check(reader, data):
    """Read the bytes, and say if that was more than it should be."""
    from rankcut.files import RankingFileError
    from rankcut.report.description import describe

    refused = None
    try:
        rankings = reader(io.BytesIO(data))
    except RankingFileError as problem:
        refused = problem
    if refused is not None:
        # A damaged archive has no lines, and two columns of one name are not on one line.
        no_line = data[:2] == b"\x1f\x8b" or "has two columns" in str(refused)
        assert refused.line is not None or no_line, refused
        # A quoted cell may have line breaks of either kind.
        n_lines = data.count(b"\n") + data.count(b"\r") + 1
        assert refused.line is None or 1 <= refused.line <= n_lines, refused
        assert "\n" not in str(refused), refused
        assert len(str(refused)) < 500, refused
        return
    n_rows, n_items = rankings.ranks.shape
    assert 0 < n_rows <= len(data)
    assert 0 < n_items <= len(data)
    stored = rankings.ranks.nnz if hasattr(rankings.ranks, "nnz") else rankings.ranks.size
    assert stored <= max(1 << 17, 8 * len(data))
    describe(rankings)


def readers():
    """The readers by name."""
    from rankcut import read_file
    from rankcut.files.blt import read_blt
    from rankcut.files.preflib import read_order, read_preflib

    return {
        "preflib": read_preflib,
        "blt": read_blt,
        "order": read_order,
        "csv": partial(read_file, format="csv"),
    }


if __name__ == "__main__":
    import atheris

    with atheris.instrument_imports(include=["rankcut"]):
        known = readers()
    chosen = known[sys.argv.pop(1)]
    atheris.Setup(sys.argv, lambda data: check(chosen, data))
    atheris.Fuzz()
