"""Parsers survive any bytes: Hypothesis here, and atheris in a bounded process."""

import io
import os
import subprocess
import sys
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankcut import RankingFileError, read_file, read_graph

HARNESS = Path(__file__).parent / "fuzz_readers.py"

sys.path.insert(0, str(HARNESS.parent))
from fuzz_readers import check, readers  # noqa: E402

SEEDS = {
    "preflib": [
        b"# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n"
        b"# ALTERNATIVE NAME 2: b\n3: 2,1\n1: {1,2}\n",
        b"2\n1,a\n2,b\n4,4,2\n3,2,1\n1,{1,2}\n",
    ],
    "blt": [b'2 1\n-2\n(x) 3 1 2 0\n1 1=2 0\n0\n"a"\n"b"\n"t"\n'],
    "order": [b"3 1\n0 2 1 0\n0 3 2 1 0\n"],
    "csv": [b"ranking,count,a,b\nx,2,1,2\ny,1,,1\n", b'ranking,item,rank\nx,"a",1\nx,b,2\n'],
}
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


@pytest.mark.parametrize("name", ["preflib", "blt", "order", "csv"])
def test_any_bytes_give_rankings_or_an_error_with_a_line(name):
    reader = readers()[name]

    @settings(max_examples=250)
    @given(st.binary(max_size=200) | near(SEEDS[name]))
    def survives(data):
        check(reader, data)

    survives()


@given(st.binary(max_size=200))
def test_any_bytes_give_an_array_a_graph_or_an_error(data):
    for read in (lambda source: read_file(source, "npy"), read_graph):
        for start in (b"", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"\x1f\x8b\x08"):
            with suppress(RankingFileError):
                read(io.BytesIO(start + data))


def large_files():
    """Files of about 200 kB that promise or imply far more than they hold."""
    names = "".join(f"# ALTERNATIVE NAME {i}: {i}\n" for i in range(1, 4001))
    yield "preflib", f"# NUMBER ALTERNATIVES: 4000\n{names}" + "1: 1\n" * 20_000
    yield "preflib", "1: " + "{" * 200_000
    yield "preflib", "# NUMBER ALTERNATIVES: 9\n1: " + ",".join("1" * 100_000)
    yield "preflib", "100000\n" + "".join(f"{i},x\n" for i in range(1, 20_000))
    yield "blt", "9000 1\n" + "1 1 0\n" * 20_000 + "0\n" + '"x"\n' * 9000
    yield "blt", "50000 1\n1 " + " ".join(map(str, range(1, 30_000))) + " 29999 0\n" + "\n" * 50_000
    yield "csv", "," * 50_000 + "\n" + "1\n" * 50_000
    yield "csv", "ranking,item,rank\n" + "".join(f"{i},{i},1\n" for i in range(15_000))
    yield "order", "100000 1\n" + "0 1 5\n" * 30_000


@pytest.mark.parametrize(("name", "text"), [*large_files()])
def test_time_and_memory_stay_in_proportion_to_the_file(name, text):
    data = text.encode()
    # What is imported or compiled at first use does not count.
    readers()[name](io.BytesIO(SEEDS[name][0]))
    tracemalloc.start()
    start = time.perf_counter()
    with suppress(RankingFileError):
        readers()[name](io.BytesIO(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 150 * len(data) + (8 << 20)
    assert time.perf_counter() - start < 30


@pytest.mark.slow
@pytest.mark.parametrize("name", ["preflib", "blt"])
def test_atheris_finds_nothing_in_a_bounded_run(name, tmp_path):
    pytest.importorskip("atheris", reason="atheris is not installed")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for i, seed in enumerate(SEEDS[name]):
        (corpus / str(i)).write_bytes(seed)
    bounds = ["-max_total_time=6", "-timeout=5", "-rss_limit_mb=1500", "-max_len=600"]
    done = subprocess.run(
        [sys.executable, str(HARNESS), name, *bounds, f"-artifact_prefix={tmp_path}/", str(corpus)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Done " in done.stderr
    # Branches were found beyond those of the first files.
    assert done.stderr.count("NEW") > 5
