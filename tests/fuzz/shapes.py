"""Tables of known kinds in other shapes: never a different answer without a different line.

A table of some kind is drawn, and then changed: its columns stand in another order, have other
names, lose their header, are rows; an outcome is added; numbers are shifted, cells go. The changed
table may be refused, or read as the first; where the answer is another, the line that says as what
it was read must be another too, apart from how many other columns there are.

    python tests/fuzz/shapes.py --variants 100000 --start 0

prints how many variants were read alike, refused and read otherwise, and each that was read
otherwise in silence. The number of a variant draws it again; a run that was stopped goes on with
``--start``.
"""

import argparse
import csv
import io
import re
import sys
import time
from collections import Counter

import numpy as np

from rankcut import read_file
from rankcut.errors import InputError

NAMES = (
    ("toro", "uni", "ika", "ebi", "tako", "maguro", "anago", "saba", "hamachi"),
    ("A", "B", "C", "D", "E", "F", "G", "H", "I"),
    ("Ann Lee", "Bob Ray", "Cy Fox", "Di Orr", "Ed Poe", "Flo Kay", "Gus Ode", "Hal Ito", "Ida Ek"),
    ("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"),
    ("Île", "Øst", "Łódź", "Ürün", "Ñu", "Ça", "Ålborg", "Ébène", "Ōta"),
)


def table(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def ranks(rng, dishes, orders):
    return ["who", *dishes], [[f"p{i}", *np.argsort(o) + 1] for i, o in enumerate(orders)]


def bare_ranks(rng, dishes, orders):
    return list(dishes), [list(np.argsort(o) + 1) for o in orders]


def with_ties(rng, dishes, orders):
    places = np.minimum(np.arange(len(dishes)), len(dishes) - 2) + 1
    return ["who", *dishes], [[f"p{i}", *places[np.argsort(o)]] for i, o in enumerate(orders)]


def first_places(rng, dishes, orders):
    head, rows = ranks(rng, dishes, orders)
    return head, [[who, *(r if r < 4 else "" for r in row)] for who, *row in rows]


def ordinals(rng, dishes, orders):
    words = ["1st", "2nd", "3rd", *(f"{n}th" for n in range(4, 10))]
    return list(dishes), [[words[r] for r in np.argsort(o)] for o in orders]


def items_as_rows(rng, dishes, orders):
    head, rows = ranks(rng, dishes, orders)
    columns = list(zip(head, *rows, strict=True))
    return ["Candidate", *columns[0][1:]], [list(column) for column in columns[1:]]


def ballots(rng, dishes, orders):
    return [f"choice {k + 1}" for k in range(len(dishes))], [list(dishes[o]) for o in orders]


def short_ballots(rng, dishes, orders):
    head = ["precinct", "rank1", "rank2", "rank3"]
    lengths = rng.integers(1, 4, len(orders))
    cut = ([*dishes[o[:n]], *[""] * (3 - n)] for o, n in zip(orders, lengths, strict=True))
    return head, [[f"ward {i % 3}", *row] for i, row in enumerate(cut)]


def polls(rng, dishes, orders):
    places = range(1, len(dishes) + 1)
    return ["week", *map(str, places)], [[f"week {i}", *dishes[o]] for i, o in enumerate(orders)]


def long(rng, dishes, orders):
    lines = ([f"r{i}", dishes[d], k + 1] for i, o in enumerate(orders) for k, d in enumerate(o))
    return ["race", "driver", "position"], list(lines)


def numbered_long(rng, dishes, orders):
    lines = ([i + 1, k + 1, dishes[d]] for i, o in enumerate(orders) for k, d in enumerate(o[:3]))
    return ["ballot_id", "rank", "choice"], list(lines)


def long_scores(rng, dishes, orders):
    lines = ([f"d{i}", dishes[d], 0.9 - k / 20] for i, o in enumerate(orders)
             for k, d in enumerate(o))  # fmt: skip
    return ["dataset", "model", "accuracy"], list(lines)


def ratings(rng, dishes, orders):
    lines = ([i, dishes[d], 5 - min(4, k)] for i, o in enumerate(orders) for k, d in enumerate(o))
    return ["userId", "film", "rating"], list(lines)


def wide_scores(rng, dishes, orders):
    scores = [[round(0.9 - k / 30, 3) for k in np.argsort(o)] for o in orders]
    return ["dataset", *dishes], [[f"d{i}", *row] for i, row in enumerate(scores)]


def votes(rng, dishes, orders):
    sides = ["model_a", "model_b"]
    rows = [[*rng.permutation(dishes[o[:2]]), rng.choice(sides)] for o in orders]
    return [*sides, "winner"], rows


def numbered_votes(rng, dishes, orders):
    rows = [[*dishes[o[:2]], rng.integers(0, 3)] for o in orders]
    return ["algo1", "algo2", "chosen_algo"], rows


def named_votes(rng, dishes, orders):
    rows = [[*dishes[o[:2]], dishes[o[rng.integers(0, 2)]], f"j{i % 4}"]
            for i, o in enumerate(orders)]  # fmt: skip
    return ["left", "right", "winner", "judge"], rows


def winners(rng, dishes, orders):
    return ["winner", "loser"], [list(dishes[o[:2]]) for o in orders]


def totals(rng, dishes, orders):
    pairs = sorted({tuple(dishes[o[:2]].tolist()) for o in orders})
    return ["A", "B", "wins"], [[*pair, rng.integers(1, 30)] for pair in pairs]


def games(rng, dishes, orders):
    head = ["home_team", "away_team", "home_score", "away_score", "date"]
    return head, [
        [*dishes[o[:2]], *rng.integers(0, 4, 2), f"day {i}"] for i, o in enumerate(orders)
    ]


def results(rng, dishes, orders):
    rows = [[dishes[o[0]], "{}-{}".format(*rng.integers(0, 4, 2)), dishes[o[1]]] for o in orders]
    return ["Team 1", "FT", "Team 2"], rows


def tasks(rng, dishes, orders):
    rows = [[f"p{i % 5}", *rng.permutation(dishes[o[:4]]), dishes[o[0]], dishes[o[3]]]
            for i, o in enumerate(orders)]  # fmt: skip
    return ["respondent", "item1", "item2", "item3", "item4", "best", "worst"], rows


def written(rng, dishes, orders):
    return ["id", "vote"], [[i + 1, " > ".join(dishes[o])] for i, o in enumerate(orders)]


def listed(rng, dishes, orders):
    return ["who", "dishes"], [[f"p{i}", ", ".join(dishes[o])] for i, o in enumerate(orders)]


def forms(rng, dishes, orders):
    return ["ID", "Rank them"], [[i + 1, ";".join(dishes[o]) + ";"] for i, o in enumerate(orders)]


def grid(rng, dishes, orders):
    words = ["1st choice", "2nd choice", "3rd choice", *(f"{n}th choice" for n in range(4, 10))]
    head = ["Timestamp", *(f"Rank [{dish}]" for dish in dishes)]
    return head, [[f"1/{i}/24", *(words[r] for r in np.argsort(o))] for i, o in enumerate(orders)]


def shuffled(rng, head, rows):
    order = rng.permutation(len(head))
    return [head[i] for i in order], [[row[i] for i in order] for row in rows]


def other_order(rng, head, rows):
    return head, [rows[i] for i in rng.permutation(len(rows))]


def renamed(rng, head, rows):
    return [f"x{i}q" for i in rng.permutation(len(head))], rows


def one_renamed(rng, head, rows):
    i = rng.integers(len(head))
    words = ["value", "age", "name", "x", "result", "rank", "score", "id", "winner", "weight"]
    new = rng.choice([word for word in words if word not in head])
    return [*head[:i], new, *head[i + 1 :]], rows


def without_header(rng, head, rows):
    return rows[0], rows[1:]


def header_again(rng, head, rows):
    i = rng.integers(len(rows))
    return head, [*rows[:i], head, *rows[i:]]


def transposed(rng, head, rows):
    columns = list(zip(head, *rows, strict=True))
    return list(columns[0]), [list(column) for column in columns[1:]]


def put(rng, head, rows, name, cells):
    """A column more, somewhere."""
    i = rng.integers(len(head) + 1)
    rows = [[*row[:i], cell, *row[i:]] for row, cell in zip(rows, cells, strict=True)]
    return [*head[:i], name, *head[i:]], rows


def with_outcome(rng, head, rows):
    return put(rng, head, rows, "result", rng.integers(0, 3, len(rows)))


def with_winner(rng, head, rows):
    named = [rng.choice(list(map(str, row))) for row in rows]
    return put(rng, head, rows, "chosen", named)


def with_age(rng, head, rows):
    return put(rng, head, rows, "age", rng.integers(18, 80, len(rows)))


def with_small_numbers(rng, head, rows):
    return put(rng, head, rows, "z", rng.integers(1, 5, len(rows)))


def with_numbers_of_rows(rng, head, rows):
    return put(rng, head, rows, "", range(len(rows)))


def with_town(rng, head, rows):
    return put(rng, head, rows, "town", rng.choice(["Kobe", "Nara", "Ise"], len(rows)))


def without_column(rng, head, rows):
    """A column less, but not the last, as of ballots with fewer places."""
    i = rng.integers(max(1, len(head) - 1))
    return [*head[:i], *head[i + 1 :]], [[*row[:i], *row[i + 1 :]] for row in rows]


def shifted(rng, head, rows):
    by = rng.integers(1, 4)
    return head, [[v + by if isinstance(v, np.integer | int) else v for v in row] for row in rows]


def with_codes(rng, head, rows):
    """Codes in some cells, but no words, which may be names of items."""
    code = rng.choice(["99", "-1", "0", "?"])
    return head, [[v if rng.random() > 0.05 else code for v in row] for row in rows]


def twice(rng, head, rows):
    return head, [*rows, *rows]


def answer(head, rows):
    """The rankings with their items in order, and the line; or the refusal."""
    try:
        rankings = read_file(io.StringIO(table([head, *rows])), "csv")
    except InputError as mistake:
        return None, str(mistake)
    order = np.argsort(list(map(str, rankings.items)))
    cells = np.column_stack([np.nan_to_num(rankings.dense()[:, order], nan=-1), rankings.counts])
    items = tuple(sorted(map(str, rankings.items)))
    return {
        (items, tuple(sorted(map(tuple, cells.tolist())))),
        tuple(sorted(map(tuple, cells.T.tolist()))),  # by any names
    }, rankings.metadata["READ AS"]


def alike(one, other):
    """Whether two answers are the same, or both are refused."""
    return bool(one & other) if one and other else one is other


def told(line):
    """What a line says, apart from the number of other columns."""
    return re.sub(r"; \d+ other columns?$", "", line)


KINDS = (
    *(ranks, bare_ranks, with_ties, first_places, ordinals, items_as_rows, ballots),
    *(short_ballots, polls, long, numbered_long, long_scores, ratings, wide_scores, votes),
    *(numbered_votes, named_votes, winners, totals, games, results, tasks, written, listed),
    *(forms, grid),
)
# These have no meaning.
ORDERS = (shuffled, other_order)
CHANGES = (
    *(renamed, one_renamed, without_header, header_again, transposed, with_outcome, with_winner),
    *(with_age, with_small_numbers, with_numbers_of_rows, with_town, without_column, shifted),
    *(with_codes, twice),
)


def drawn(kind, seed):
    """A table of some kind, as a generator with its header and rows."""
    rng = np.random.default_rng(seed)
    names = NAMES[rng.integers(len(NAMES))]
    dishes = rng.permutation(np.array(names))[: rng.integers(4, len(names) + 1)]
    orders = [rng.permutation(len(dishes)) for _ in range(rng.integers(6, 40))]
    return rng, *kind(rng, dishes, orders)


def variant(number):
    """A kind, a change of it, and what both are read as."""
    kind = KINDS[number % len(KINDS)]
    changes = (*ORDERS, *CHANGES)
    change = changes[number // len(KINDS) % len(changes)]
    rng, head, rows = drawn(kind, number)
    changed = change(rng, head, rows)
    if rng.random() < 0.3:
        again = [each for each in changes if each is not without_column]
        changed = again[rng.integers(len(again))](rng, *changed)
    return kind, change, answer(head, rows), answer(*changed), changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variants", type=int, default=1000, help="how many (default 1000)")
    parser.add_argument("--start", type=int, default=0, help="the number of the first")
    parser.add_argument("--show", default="", help="print each variant of KIND/CHANGE too")
    options = parser.parse_args()
    total, silent = Counter(), 0
    last = time.monotonic()
    for number in range(options.start, options.start + options.variants):
        kind, change, (expected, line), (got, said), changed = variant(number)
        verdict = "refused" if got is None else "otherwise"
        if alike(got, expected):
            verdict = "alike"
        elif expected is None:
            verdict = "read, and the first refused"
        total[verdict] += 1
        name = f"{kind.__name__}/{change.__name__}"
        is_silent = verdict == "otherwise" and told(said) == told(line)
        if is_silent or (options.show and re.fullmatch(options.show, name)):
            silent += is_silent
            print(f"{number} {name}: {verdict}\n  {line}\n  {said}", flush=True)
            print(*(f"    {row}" for row in table([changed[0], *changed[1]]).split("\n")[:5]),
                  sep="\n", flush=True)  # fmt: skip
        if time.monotonic() - last > 10:
            last = time.monotonic()
            print(f"… {number + 1}: {dict(total)}, {silent} silent", file=sys.stderr, flush=True)
    print(f"{options.variants:,} variants from {options.start}: {dict(total)}; {silent} silent")
    return int(silent > 0)


if __name__ == "__main__":
    sys.exit(main())
