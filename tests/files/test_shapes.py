"""Tables of known kinds in other shapes: never a different answer without a different line."""

import csv
import io

import numpy as np
import pytest

from rankcut import read_file
from rankcut.errors import InputError

DISHES = np.array(["toro", "uni", "ika", "ebi", "tako", "maguro", "anago"])


def table(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def ranks(rng, dishes, orders):
    return ["who", *dishes], [[f"p{i}", *np.argsort(o) + 1] for i, o in enumerate(orders)]


def first_places(rng, dishes, orders):
    head, rows = ranks(rng, dishes, orders)
    return head, [[who, *(r if r < 4 else "" for r in row)] for who, *row in rows]


def items_as_rows(rng, dishes, orders):
    head, rows = ranks(rng, dishes, orders)
    columns = list(zip(head, *rows, strict=True))
    return ["Candidate", *columns[0][1:]], [list(column) for column in columns[1:]]


def ballots(rng, dishes, orders):
    return [f"choice {k + 1}" for k in range(len(dishes))], [list(dishes[o]) for o in orders]


def long(rng, dishes, orders):
    head = ["race", "driver", "position"]
    lines = ([f"r{i}", dishes[d], k + 1] for i, o in enumerate(orders) for k, d in enumerate(o))
    return head, list(lines)


def votes(rng, dishes, orders):
    sides = ["model_a", "model_b"]
    rows = [[*rng.permutation(dishes[o[:2]]), rng.choice(sides)] for o in orders]
    return [*sides, "winner"], rows


def games(rng, dishes, orders):
    head = ["home_team", "away_team", "home_score", "away_score", "date"]
    return head, [
        [*dishes[o[:2]], *rng.integers(0, 4, 2), f"day {i}"] for i, o in enumerate(orders)
    ]


def shuffled(rng, head, rows):
    order = rng.permutation(len(head))
    return [head[i] for i in order], [[row[i] for i in order] for row in rows]


def other_order(rng, head, rows):
    return head, [rows[i] for i in rng.permutation(len(rows))]


def renamed(rng, head, rows):
    return [f"x{i}q" for i in rng.permutation(len(head))], rows


def without_header(rng, head, rows):
    return rows[0], rows[1:]


def transposed(rng, head, rows):
    columns = list(zip(head, *rows, strict=True))
    return list(columns[0]), [list(column) for column in columns[1:]]


def with_outcome(rng, head, rows):
    return [*head, "result"], [[*row, rng.integers(0, 3)] for row in rows]


def shifted(rng, head, rows):
    by = rng.integers(1, 4)
    return head, [[v + by if isinstance(v, np.integer | int) else v for v in row] for row in rows]


def answer(head, rows):
    """The rankings with their items in order, and the line; or the refusal."""
    try:
        votes = read_file(io.StringIO(table([head, *rows])), "csv")
    except InputError:
        return None, "refused"
    order = np.argsort(list(map(str, votes.items)))
    cells = np.nan_to_num(votes.dense()[:, order], nan=-1.0)
    return sorted(map(tuple, cells.tolist())), votes.metadata["READ AS"]


KINDS = [ranks, first_places, items_as_rows, ballots, long, votes, games]
CHANGES = [renamed, without_header, transposed, with_outcome, shifted]


def tables(kind, seed):
    rng = np.random.default_rng(seed)
    dishes = rng.permutation(DISHES)[: rng.integers(4, 8)]
    orders = [rng.permutation(len(dishes)) for _ in range(rng.integers(8, 30))]
    return rng, *kind(rng, dishes, orders)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_order_of_columns_and_rows_has_no_meaning(kind, seed):
    rng, head, rows = tables(kind, seed)
    expected = answer(head, rows)[0]
    assert expected is not None
    for change in (shuffled, other_order):
        assert answer(*change(rng, head, rows))[0] == expected


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_different_answer_has_a_different_line(kind, change, seed):
    rng, head, rows = tables(kind, seed)
    expected, line = answer(head, rows)
    got, said = answer(*change(rng, head, rows))
    assert got == expected or said != line
