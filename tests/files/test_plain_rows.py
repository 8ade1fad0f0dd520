"""Plain CSV files are read by a compiled loop just as by Python's csv module."""

import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rankcut._loops.cells import scan_cells
from rankcut.files import RankingFileError, plain_rows, read_file, sheets
from rankcut.files.sheets import text_blocks


class Trickle(io.RawIOBase):
    """A stream that gives a few bytes at a time, and cannot be searched."""

    def __init__(self, content):
        self.content = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, buffer):
        return self.content.readinto(memoryview(buffer)[:7])


def contents(source, **options):
    """All that blocks say, or the error."""
    found = []
    try:
        for block in text_blocks(source, **options):
            numeric = [block.is_numeric(i) for i in range(len(block.names))]
            numbers = [
                block.numbers(i, "the rank").tobytes() for i in np.flatnonzero(numeric).tolist()
            ]
            cells = [list(column) for column in block.columns]
            found.append((block.names, cells, block.lines.tolist(), numeric, numbers))
    except RankingFileError as problem:
        found.append(str(problem))
    return found


def check_same(monkeypatch, content, **options):
    with monkeypatch.context() as patch:
        patch.setattr(sheets, "_SHORT", 1 << 60)
        careful = contents(io.BytesIO(content), **options)
        patch.setattr(sheets, "_SHORT", 0)
        patch.setattr(plain_rows, "BLOCK_CELLS", 2)
        assert contents(io.BytesIO(content), **options) == careful
        for module in (plain_rows, sheets):
            patch.setattr(module, "AT_ONCE", 16)
        assert contents(io.BufferedReader(Trickle(content)), **options) == careful
    return careful


CELLS = st.sampled_from(
    [
        *("1", "2", "12", "", "NA", "-3", "0.5", "1.", ".", "-", "-0", "007", "1e3", "+4", " 5"),
        *("12345678901234567", "0.1234567890123456", "9007199254740993", "0.30000000000000004"),
        *('"6"', '"a,b"', '"c""d"', '"e\nf"', 'g"h', '"', "Müller", "\r", "\0", "3,5", "1_0", "n"),
    ]
)
PLAIN = st.sampled_from(["1", "2", "31", "", "4.25", "NA", "-1", "town", '"9"', '"x y"'])


@pytest.mark.parametrize("cells", [CELLS, PLAIN])
@given(data=st.data())
@settings(max_examples=60)
def test_the_loop_reads_what_the_csv_module_reads(cells, data):
    width = data.draw(st.integers(1, 3))
    row = st.lists(cells, min_size=width, max_size=width)
    rows = data.draw(st.lists(row, max_size=6))
    if rows and data.draw(st.booleans()):
        rows[-1] = data.draw(st.lists(cells, max_size=4))
    mark = data.draw(st.sampled_from([",", ",", ";", "\t"]))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    lines = [mark.join("abc"[:width]), *map(mark.join, rows)]
    text = end.join(lines) + data.draw(st.sampled_from([end, "", end * 2]))
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]))
    with pytest.MonkeyPatch.context() as patch:
        check_same(patch, text.encode(encoding), delimiter=mark, rows=data.draw(st.integers(1, 4)))


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 17))
@example(0.1, 17)
def test_numbers_are_the_nearest_floats(number, digits):
    texts = [repr(number), f"{number:.{digits}f}"[:40]]
    content = ("a\n" + "\n".join(texts) + "\n").encode()
    with pytest.MonkeyPatch.context() as patch:
        ((_, _, _, _, (numbers,)),) = check_same(patch, content)
    assert numbers == np.array(list(map(float, texts))).tobytes()


def test_an_error_in_a_long_file_names_its_line_and_column(tmp_path):
    place = tmp_path / "votes.csv"
    rows = ["1,2"] * 300_000
    place.write_text("\n".join(["toro,uni", *rows]))
    assert len(read_file(place)) == 300_000
    rows[270_000] = "1,zwei"
    place.write_text("\n".join(["toro,uni", *rows]))
    with pytest.raises(RankingFileError, match=":270002: column 'uni': the rank is 'zwei'"):
        read_file(place)
    rows[270_000] = "1,2,3"
    place.write_text("\n".join(["toro,uni", *rows]))
    with pytest.raises(RankingFileError, match=":270002: this row has 3 cells"):
        read_file(place)


def test_the_loop_does_what_its_plain_python_does():
    content = np.frombuffer(b'1,"2",x\n\n-3.5,NA,\r\n4,5', np.uint8)

    def scanned(loop):
        arrays = [np.zeros((3, 3), np.int32), np.zeros((3, 3), np.int32), np.zeros(3, np.int64)]
        arrays += [np.zeros((3, 3)), np.ones(3, np.bool_)]
        return [loop(content, 0, 0, 1, ord(","), False, *arrays), *(a.tolist() for a in arrays)]

    assert repr(scanned(scan_cells)) == repr(scanned(scan_cells.py_func))
