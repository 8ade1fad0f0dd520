"""Sources: gzip in proportion, damaged files, no pickles, and CSV as the csv module reads it."""

import csv
import gzip
import io
import pickle
import struct
import tracemalloc
import zipfile
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcut import ItemGraph, RankingSet, read_file, write_file
from rankcut.files import RankingFileError, read_graph, scan_file, write_graph
from rankcut.files.disk import copy_whole
from rankcut.files.text import read_all, text_blocks
from rankcut.saved_models import import_skops, read_model


def test_a_gzip_file_that_unpacks_out_of_proportion_is_refused():
    packed = gzip.compress(b"0" * (64 << 20))
    with pytest.raises(RankingFileError, match="over 100 times its size"):
        read_all(io.BytesIO(packed))


@pytest.mark.parametrize("cut", [3, 15, -5])
def test_a_damaged_gzip_file_is_named(cut):
    packed = gzip.compress(b"toro,uni\n1,2\n" * 50)
    with pytest.raises(RankingFileError, match="damaged"):
        read_all(io.BytesIO(packed[:cut]))
    with pytest.raises(RankingFileError, match="damaged"):
        read_all(io.BytesIO(packed[:20] + b"\xff\xff\xff" + packed[23:]))


def test_objects_that_only_read():
    class Bare:
        def __init__(self, content):
            self.read = io.BytesIO(content).read

    assert read_all(Bare(b"abc")) == b"abc"
    assert read_all(Bare(gzip.compress(b"abc"))) == b"abc"
    with pytest.raises(TypeError, match="not int"):
        read_all(7)


def test_a_missing_file_and_a_directory(tmp_path):
    with pytest.raises(RankingFileError, match="there is no such file"):
        read_file(tmp_path / "votes.csv")
    with pytest.raises(RankingFileError, match="this is a directory"):
        read_file(tmp_path, "csv")


class Evil:
    """Would run code if it were unpickled."""

    def __reduce__(self):
        return exec, ("from test_opening_marker import boom",)


@pytest.mark.parametrize("how", ["pickle", "npz"])
def test_no_pickle_is_ever_read(how):
    sink = io.BytesIO()
    if how == "pickle":
        pickle.dump(Evil(), sink)
    else:
        np.savez(sink, n_items=np.array([Evil()], dtype=object), allow_pickle=True)
    with pytest.raises(RankingFileError):
        read_graph(io.BytesIO(sink.getvalue()))


@pytest.mark.parametrize(
    ("descr", "shape", "says"),
    [
        ("<f8", "(1000000000, 1000000)", "cut off"),
        ("|O", "(1, 1)", "objects are never read"),
        *(
            ("<f8", odd, "")
            for odd in ("(True, 8)", "(-1, 8)", "(1000000000000000000, 8)", "(3, 8")
        ),
    ],
)
def test_an_array_is_checked_before_memory_is_taken(descr, shape, says, tmp_path):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    content = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    with zipfile.ZipFile(tmp_path / "bad.npz", "w") as archive:
        archive.writestr("n_items.npy", content)
    with pytest.raises(RankingFileError, match=rf"bad\.npz: [^\n]*{says}[^\n]*$"):
        read_graph(tmp_path / "bad.npz")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", zlib.compress(b"x"), b"\x93NUMPY"])
def test_a_damaged_graph_is_named(content):
    with pytest.raises(RankingFileError, match=r"graph|damaged"):
        read_graph(io.BytesIO(content))


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("indptr", [0, 0, 0, 0, 10**9, 0, 0, 0, 0]),
        ("indptr", [0, 1, 1, 1, 1, 1, 1, 1, 1]),
        ("indices", [2**31 - 1]),
        ("data", [1.0]),
        ("items", [["a", "b"]]),
        ("items", [["a"]] * 8),
        ("n_items", [8, 8]),
        ("factors", np.ones((8, 1))),
        ("constant", [1.0, 1.0]),
    ],
)
def test_a_graph_whose_arrays_do_not_fit_together_is_named(name, array, tmp_path):
    arrays = {
        "n_items": 8,
        "data": np.zeros(0),
        "indices": np.zeros(0, dtype=np.int32),
        "indptr": np.zeros(9, dtype=np.int32),
        "constant": 1.0,
    }
    place = tmp_path / "graph.npz"
    np.savez(place, **arrays)
    assert read_graph(place).n_items == 8
    np.savez(place, **{**arrays, name: np.array(array)})
    with pytest.raises(RankingFileError, match=r"not an item graph|damaged|low-rank"):
        read_graph(place)


class Few(io.RawIOBase):
    """Takes seven bytes at a time."""

    def __init__(self):
        self.taken = b""

    def writable(self):
        return True

    def write(self, content):
        self.taken += bytes(content[:7])
        return min(len(content), 7)


@pytest.mark.parametrize("says", [True, False])
def test_rankings_are_written_whole(says):
    """To a stream that takes a few bytes at a time, and to one that does not say how many."""
    votes = RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]] * 9), ("toro", "uni"))
    whole, few, parts = io.BytesIO(), Few(), []
    for sink in (whole, few if says else SimpleNamespace(write=parts.append)):
        write_file(votes, sink, "csv")
    assert (few.taken if says else b"".join(parts)) == whole.getvalue()


class Full(Few):
    """Would have to wait, and does not."""

    def write(self, content):
        return None


def test_what_a_stream_does_not_take_is_not_lost_in_silence():
    with pytest.raises(BlockingIOError, match="is not ready"):
        copy_whole(io.BytesIO(b"ranks"), Full())


def test_archives_that_unpack_out_of_proportion_are_refused(tmp_path):
    place = tmp_path / "bomb.npz"
    np.savez_compressed(place, n_items=np.array(3), weights=np.zeros((2200, 2200)))
    for read in (read_graph, read_model):
        with pytest.raises(RankingFileError, match=r"bomb\.npz: unpacks to over 100 times"):
            read(place)


def test_a_graph_that_shrinks_well_is_read_again(tmp_path):
    write_graph(ItemGraph(np.ones((1700, 1700)) - np.eye(1700), 1700, None), tmp_path / "g.npz")
    assert read_graph(tmp_path / "g.npz").n_items == 1700


def forged(content, size):
    """An archive of one member that says that it unpacks to less, and has a checksum to match."""
    packed = zlib.compressobj(wbits=-15)
    data = packed.compress(content) + packed.flush()
    name, check = b"weights.npy", zlib.crc32(content[:size])
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, check, len(data), size, len(name), 0)
    local = b"PK\x03\x04" + fields + name + data
    central = b"PK\x01\x02" + struct.pack("<H", 20) + fields + bytes(14) + name
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + end


def test_forged_sizes_take_no_memory(tmp_path):
    place = tmp_path / "bomb.npz"
    place.write_bytes(forged(bytes(1 << 26), 1000))
    import_skops()
    tracemalloc.start()
    for read in (read_graph, read_model):
        with pytest.raises(RankingFileError, match=r"^\S+bomb\.npz: [^\n]*$"):
            read(place)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 24


def test_parquet_with_bad_text_or_two_columns_of_a_name(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    place = tmp_path / "bad.parquet"
    offsets, bad = np.array([0, 1, 2], np.int32), b"\xff\xfe"
    text = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(bad)])
    ranks = [pa.array([1.0, 2.0]), pa.array([2.0, 1.0])]
    for columns, names in (([*ranks, text], ["a", "b", "town"]), (ranks, ["a", "a"])):
        pq.write_table(pa.Table.from_arrays(columns, names=names), place)
        for read in (read_file, lambda path: list(scan_file(path))):
            with pytest.raises(RankingFileError, match=r"^\S+bad\.parquet: [^\n]*$"):
                read(place)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_tables_in_the_encodings_that_spreadsheets_write(tmp_path, encoding):
    (tmp_path / "votes.csv").write_bytes("café,thé\n1,2\n2,1\n".encode(encoding))
    assert read_file(tmp_path / "votes.csv").items == ("café", "thé")


def test_an_item_whose_name_has_a_comma_in_a_table_of_semicolons(tmp_path):
    (tmp_path / "votes.csv").write_text("who;pizza, large;sushi\nann;1;2\nbob;2;1\n")
    assert read_file(tmp_path / "votes.csv").items == ("pizza, large", "sushi")


def test_a_zero_byte_is_named_with_its_line(tmp_path):
    (tmp_path / "votes.csv").write_bytes(b"a,b\n1,2\n1,\0\n")
    with pytest.raises(RankingFileError, match=r"votes\.csv:3: contains a zero byte"):
        read_file(tmp_path / "votes.csv")


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time, and cannot be searched."""

    def __init__(self, content):
        self.content = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.content.readinto(memoryview(buffer)[:7])


CELLS = st.sampled_from(["1", "", "NA", "0.5", "a,b", 'c"d', "e\nf", "g\r\nh", "Müller", "x;y"])


@given(
    st.lists(st.one_of(st.just([]), st.lists(CELLS, min_size=3, max_size=3)), max_size=8),
    st.integers(1, 4),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_blocks_of_any_size_are_what_the_csv_module_reads(records, rows, end):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([list("abc"), *records])
    content = text.getvalue().encode()
    expected = [record for record in records if record]
    if not expected:
        with pytest.raises(RankingFileError, match="no rows"):
            list(text_blocks(io.BytesIO(content)))
        return
    reader = csv.reader(io.StringIO(text.getvalue(), newline=""))
    lines = [reader.line_num for record in reader if record][1:]
    for source in (io.BytesIO(content), io.BufferedReader(Trickle(content))):
        blocks = list(text_blocks(source, rows=rows))
        cells = [
            list(row)
            for block in blocks
            for row in zip(*(own.list() for own in block.columns), strict=True)
        ]
        assert cells == expected
        assert [line for block in blocks for line in block.lines.tolist()] == lines


def test_an_error_in_a_long_file_names_its_line_and_column(tmp_path):
    place = tmp_path / "votes.csv"
    rows = ["1,2"] * 150_000
    for bad, says in [("1,zwei", "column 'uni': 'zwei' is not a number"), ("1,2,3", "has 3 cells")]:
        rows[140_000] = bad
        place.write_text("\n".join(["toro,uni", *rows]))
        with pytest.raises(RankingFileError, match=f":140002: .*{says}"):
            read_file(place)
