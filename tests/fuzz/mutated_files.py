"""Read mutated files of every format: rankings, a graph or a model, or one line that says why not.

Good files are cut, joined and filled with odd numbers and words; in archives and models one member
or array at a time. Each family of files has a process of its own, so that a crash is noticed too::

    NUMBA_BOUNDSCHECK=1 python tests/fuzz/mutated_files.py --seconds 600 --seed 7
"""

import argparse
import faulthandler
import io
import json
import random
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parent.parent
sys.path[:0] = map(str, (TESTS, TESTS / "files"))

# Good files, to begin from.
SEEDS = {
    "toi": [
        b"# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n"
        b"# ALTERNATIVE NAME 2: b\n3: 2,1\n1: {1,2}\n",
    ],
    "blt": [b'2 1\n-2\n(x) 3 1 2 0\n1 1=2 0\n0\n"a"\n"b"\n"t"\n'],
    "csv": [b"ranking,count,a,b\nx,2,1,2\ny,1,,1\n", b'ranking,item,rank\nx,"a",1\nx,b,2\n'],
}


ODD = [0, 1, 2, -1, 7, 68, 255, 2**15, 2**31 - 1, -(2**31), 10**9, 2**53 + 1, 2**62]
TEXT = [b"\n", b",", b";", b"\t", b'"', b"=", b">", b"-1", b"0", b"99", b"1e309", b"nan", b"\0",
        b"\xff\xfe", b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b"#", b"9" * 30, b"\xe2\x80\xae",
        b"1.5", b"1,5", b"\r", b"overvote", b"Rank 1", b"[1st]", b'{"ImportId":"x"}']  # fmt: skip


def text_files():
    """A good file of each kind, and its format."""
    from test_recognising import KINDS, spss

    from rankcut.files.formats import chosen_format

    for name, contents in SEEDS.items():
        for content in contents:
            yield name, content
    for name, content, *_ in KINDS.values():
        made = content() if callable(content) else content
        yield chosen_format(name, None), made if isinstance(made, bytes) else made.encode()
    yield "cef", b"#/Candidates: A; b\nA > b * 27 # x\nt || b = A ^ 2 * 3\n/EMPTY_RANKING/\n"
    yield "abif", b'{"title": "x"}\n=A:[Ann]\n27: A > b = c\n3*b>A\n2: b/5, A/1\n'
    with tempfile.TemporaryDirectory() as folder:
        yield "sav", spss(Path(folder))


def array_files():
    """Graphs of each kind, and a table, as files."""
    from rankcut import NeighborGraph, RankingSet, SimilarityGraph, make_food, write_file
    from rankcut.files import write_graph
    from rankcut.graphs import ItemGraph

    food = make_food(20, kind="incomplete", random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "graph.npz"
        recipes = (SimilarityGraph, partial(NeighborGraph, n_neighbors=2))
        graphs = [recipe(food.item_features).build() for recipe in recipes]
        for graph in [*graphs, ItemGraph(None, 8)]:
            write_graph(graph, place)
            yield "npz", place.read_bytes()
        place = Path(folder) / "votes.parquet"
        write_file(RankingSet(food.ranks, tuple(food.item_names)), place)
        yield "parquet", place.read_bytes()


def model_files():
    """A model of each kind that can be saved."""
    import test_saved_models as models

    from rankcut.label_ranking import models as label_models

    label_models._TREES = 2
    makers = ("numbers", "rankings", "completer", "blocs", "classes", "classes_of_vectors")
    with tempfile.TemporaryDirectory() as folder:
        for maker in (*makers, "blocs_of_vectors"):
            place = Path(folder) / "m.skops"
            models.write_model(getattr(models, maker)()[0], place)
            yield "skops", place.read_bytes()


def mutated_bytes(content, draw):
    """The content with one to four places changed."""
    for _ in range(draw.choice((1, 1, 1, 2, 3, 4))):
        at = draw.randrange(len(content) + 1)
        end = min(len(content), at + draw.choice((0, 0, 1, 1, 2, 5, 20, 100)))
        start = draw.randrange(len(content) + 1)
        middle = draw.choice(
            (
                b"",
                draw.choice(TEXT),
                draw.choice(TEXT),
                bytes([draw.randrange(256)]),
                str(draw.choice(ODD)).encode(),
                content[start : start + draw.randrange(1, 60)],
            )
        )
        content = content[:at] + middle + content[end:]
    return content


def mutated_array(array, draw):
    """An array with another shape, type or number."""
    array = np.atleast_1d(array.copy())
    way = draw.randrange(8)
    if way == 0:
        return array[:-1]
    if way == 1:
        return np.concatenate([array, array])
    if way == 2:
        return array.reshape(1, *array.shape)
    if way == 3:
        return array.astype(draw.choice(("f4", "f8", "i4", "i8", "u4", "u1", "?", "U3")))
    if array.size:
        at = draw.randrange(array.size)
        if array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            array.flat[at] = min(max(draw.choice(ODD), limits.min), limits.max)
        elif array.dtype.kind == "f":
            array.flat[at] = draw.choice((*ODD, np.nan, np.inf, -np.inf, 1e308, 5e-324, -0.5))
        elif array.dtype.kind == "U":
            array.flat[at] = draw.choice(("", "x", array.flat[0]))
        if way == 7:
            draw.shuffle(flat := array.ravel().tolist())
            array = np.array(flat, array.dtype).reshape(array.shape)
    return array


def mutated_archive(content, draw):
    """An archive with one member changed: an array, or its bytes."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = draw.choice(sorted(members))
    if name.endswith(".npy") and draw.random() < 0.9:
        array = np.load(io.BytesIO(members[name]))
        sink = io.BytesIO()
        np.save(sink, mutated_array(array, draw))
        members[name] = sink.getvalue()
    elif draw.random() < 0.05:
        del members[name]
    else:
        members[name] = mutated_bytes(members[name], draw)
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for member, own in members.items():
            archive.writestr(member, own)
    return sink.getvalue()


def check_text(data, refused, rankings):
    """A refusal names a line; what is read is in proportion to the file."""
    if refused is not None:
        # These are about the whole table, and a damaged archive has no lines.
        whole = ("has two columns", "ranking questions", "in two ways", "no column")
        no_line = data[:2] == b"\x1f\x8b" or any(words in str(refused) for words in whole)
        assert refused.line is not None or no_line, refused
        # A quoted cell may have line breaks of either kind.
        n_lines = data.count(b"\n") + data.count(b"\r") + 1
        assert refused.line is None or 1 <= refused.line <= n_lines, refused
        return
    n_rows, n_items = rankings.ranks.shape
    assert 0 < n_rows <= len(data)
    assert 0 < n_items <= len(data)
    stored = rankings.ranks.nnz if hasattr(rankings.ranks, "nnz") else rankings.ranks.size
    assert stored <= max(1 << 17, 8 * len(data))


def use(kind, content):
    """Read a file and use what it holds; whether it was refused."""
    from rankcut import GraphCutFeatures, read_file
    from rankcut.consensus.description import describe
    from rankcut.errors import InputError
    from rankcut.files import read_graph
    from rankcut.saved_models import read_model

    source, refused, rankings = io.BytesIO(content), None, None
    try:
        if kind == "npz":
            graph = read_graph(source)
            if graph.n_items <= 64:
                ranks = np.arange(1.0, graph.n_items + 1)[None]
                GraphCutFeatures(graph).fit_transform(np.vstack([ranks, ranks[:, ::-1]]))
        elif kind == "skops":
            saved = read_model(source)
            ranks = np.arange(1.0, len(saved.items) + 1)[None]
            if saved.kind == "blocs":
                saved.model.predict_membership(ranks)
            elif saved.kind == "completions":
                saved.model.predict_pairs(ranks)
            elif saved.kind != "rankings":
                saved.model.predict(ranks)
        else:
            rankings = read_file(source, kind)
            if rankings.shape[1] <= 64:
                describe(rankings)
    except InputError as problem:
        refused = problem
    if refused is not None:
        assert "\n" not in str(refused), refused
        assert len(str(refused)) < 1000, refused
    if kind in SEEDS:
        check_text(content, refused, rankings)
    return refused is not None


FAMILIES = {"text": text_files, "arrays": array_files, "models": model_files}
BATCH = 200


def run(family, seed, seconds):
    """Read mutated files of a family; prints what fails, and how many were read and refused."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    draw = random.Random(seed)
    files = list(FAMILIES[family]())
    found = Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(BATCH):
            kind, content = draw.choice(files)
            packed = kind in ("npz", "skops", "zip", "xlsx") and draw.random() < 0.9
            made = (mutated_archive if packed else mutated_bytes)(content, draw)
            began = time.perf_counter()
            try:
                found[f"{kind} refused" if use(kind, made) else f"{kind} read"] += 1
            except Exception as problem:
                place = Path(tempfile.gettempdir()) / f"found-{seed}-{sum(found.values())}.{kind}"
                place.write_bytes(made)
                found["failures"] += 1
                print(f"FOUND {type(problem).__name__}: {str(problem)[:200]}; see {place}")
            found["slow"] += time.perf_counter() - began > 5
        # The last line that a process writes is what it did, should it crash.
        print(json.dumps({"files": sum(found.values()) - found["slow"], **found}), flush=True)
    return int(found["failures"] > 0)


def run_all(seed, seconds):
    """All families, a process for each; whether something was found."""
    failed = False
    for family in FAMILIES:
        each = str(seconds / len(FAMILIES))
        command = [sys.executable, __file__, "--family", family, "--seed", str(seed)]
        done = subprocess.run([*command, "--seconds", each], stdout=subprocess.PIPE, text=True)
        lines = done.stdout.splitlines()
        print(*(line for line in lines if not line.startswith("{")), sep="\n", end="")
        print(f"{family}, exit code {done.returncode}: {lines[-1] if lines else ''}", flush=True)
        failed |= done.returncode != 0
    return failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--family", choices=FAMILIES)
    given = parser.parse_args()
    if given.family is None:
        sys.exit(run_all(given.seed, given.seconds))
    sys.exit(run(given.family, given.seed, given.seconds))
