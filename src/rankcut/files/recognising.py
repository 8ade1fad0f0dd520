"""What a table is that nobody described: each family of tools is asked in turn.

A table that is recognised is read without any option, and the rankings say in one line as what. One
that can be read in two ways is refused with the options for both; of several questions one has to
be named.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from rankcut.errors import RankingFileError, Setting, amount
from rankcut.files.ballots import contests
from rankcut.files.guessing import some_of
from rankcut.files.layouts import enough_to_judge, table_blocks, table_rankings
from rankcut.files.roles import RANKING, Guess, TableOptions
from rankcut.files.surveys import survey_questions, without_headers
from rankcut.files.tables import TableBlock
from rankcut.files.votes import ratings, scores, tasks, votes
from rankcut.rankings.ranking_set import RankingSet

_FAMILIES = (votes, tasks, ratings, scores, survey_questions, contests)

READ_AS = "READ AS"
"""The field of a RankingSet's metadata that says as what a table was read."""


def read_table(blocks: Iterable[TableBlock], options: TableOptions) -> RankingSet:
    """All rankings of a table, described by the options or recognised."""
    blocks, guess = _recognised(blocks, options)
    return table_rankings(blocks, options) if guess is None else _read(guess, options)


def scan_table(blocks: Iterable[TableBlock], options: TableOptions) -> Iterator[RankingSet]:
    """The rankings of a table a block at a time, where its form allows."""
    blocks, guess = _recognised(blocks, options)
    return table_blocks(blocks, options) if guess is None else iter([_read(guess, options)])


def _recognised(
    blocks: Iterable[TableBlock], options: TableOptions
) -> tuple[Iterable[TableBlock], Guess | None]:
    every = iter(blocks)
    held = enough_to_judge(every)
    first = TableBlock.joined(held)
    plain = without_headers(first)
    # Tables in our own words need no guess.
    ours = {RANKING, "item"} <= {*plain.names} or "order" in plain.names
    told = options.say_what_it_is or first.marked is not None or ours
    if told or not guesses_of(plain):
        if options.question is not None and options.layout is None:
            raise RankingFileError(
                "the table has no question that ranks items, or it is not known to be a survey's",
                first.source,
                remedy=["name the items with ", Setting("item_columns")],
            )
        return chain(held if plain is first else [plain], every), None
    whole = without_headers(TableBlock.joined([first, *every]))
    guesses = guesses_of(whole)
    return [whole], _chosen(guesses, options, whole) if guesses else None


def guesses_of(block: TableBlock) -> list[Guess]:
    """What the first family that knows the table says."""
    return next((found for family in _FAMILIES if (found := family(block))), [])


def _chosen(guesses: Sequence[Guess], options: TableOptions, block: TableBlock) -> Guess:
    """The one way to read a table, or the question that the user names."""
    wanted = guesses
    if options.question is not None:
        exact = [guess for guess in guesses if guess.question == options.question]
        start = options.question.lower()
        wanted = exact or [g for g in guesses if g.question.lower().startswith(start)]
    questions = {guess.question: guess for guess in wanted or guesses}
    if len(questions) > 1 or not wanted:
        named = [
            f"{q!r}" + (f" ({g.title})" if g.title not in ("", q) else "")
            for q, g in questions.items()
        ]
        raise RankingFileError(
            f"has {amount(len(questions), 'ranking question')}: {some_of(named)}",
            block.source,
            remedy=["name one: ", Setting("question", next(iter(questions)))],
        )
    if len(wanted) > 1:
        ways: list[str | Setting] = []
        for guess in wanted:
            spaced = [part for setting in guess.by_hand for part in (setting, " ")]
            ways += ["; or " if ways else "", f"as {guess.what}: ", *spaced[:-1]]
        raise RankingFileError("can be read in two ways", block.source, remedy=ways)
    return wanted[0]


def _read(guess: Guess, options: TableOptions) -> RankingSet:
    told = replace(options, **{"question": None, **guess.options})
    if options.higher_is_better is not None:
        told = replace(told, higher_is_better=options.higher_is_better)
    if guess.noun == "data set" and told.higher_is_better is None:
        ways = [Setting("higher_is_better", True), Setting("higher_is_better", False)]
        raise guess.block.mistake(
            f"these look like {guess.what}, and nothing says whether higher is better",
            ["pass ", ways[0], " or ", ways[1]],
        )
    rankings = table_rankings([guess.block], told)
    said = [*guess.said, *rankings.notes]
    blank = rankings.n_ranked() == 0
    if blank.any() and not blank.all():
        said.append(f"{amount(int(blank.sum()), 'blank row')} left out")
        rankings = rankings.rows(~blank)
    people = None if guess.people is None else rankings.columns[guess.people].astype(np.str_)
    counted = amount(rankings.n_rankings, guess.noun)
    if people is not None:
        counted += f" by {amount(len(np.unique(people)), 'person', 'people')}"
    if rankings.columns:
        said.append(amount(len(rankings.columns), "other column"))
    sentence = f"read as {guess.what}: {amount(len(rankings.items), 'item')}, {counted}"
    return replace(
        rankings,
        title=guess.title,
        unranked=guess.unranked,
        asked_ties=guess.asked_ties,
        people=people,
        metadata={**rankings.metadata, READ_AS: "; ".join([sentence, *said])},
    )
