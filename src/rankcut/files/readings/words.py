"""Words in headers and cells: they break ties between readings that the values allow."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rankcut.files.tables import ORDINALS

# What the columns of ballots are called: "Choice 1", "rank_2", "3rd preference", "Second choice".
PLACE = re.compile(
    r"(?i)(?:choice|rank|pref|preference|place|position)\W?_?(\d+)|(\d+)(?:st|nd|rd|th)\b"
    rf"|^\s*({'|'.join(ORDINALS)})(?:\W+(?:choice|pick|place|preference))?\s*$"
)
# A place in words: "Rank 2", "Rang 2", "1st choice", "2. Wahl", "1ª opción", "5 (worst)".
_ONE_PLACE = re.compile(
    r"(?:(?:rank(?:ing)?|rang|choice|choix|wahl|opción|place|platz|lugar|posición|position"
    r"|preference|priority|no\.?|nr\.?)\b)?[\s#_]*"
    rf"(?:(\d{{1,4}})(?:[^\w\s]|[^\W\d]{{1,3}}\b)?|({'|'.join(ORDINALS)}))(?:\W\D*)?"
)

# Names that say that a column is about the ranking, whatever its numbers are.
_ABOUT = {
    *("age", "birthyear", "class", "cluster", "country", "county", "date", "day", "district"),
    *(
        "created",
        "duration",
        "education",
        "fold",
        "gender",
        "group",
        "height",
        "id",
        "idx",
        "income",
        "index",
    ),
    *("label", "lat", "latitude", "lon", "longitude", "month", "no", "number", "participant"),
    *("person", "postcode", "precinct", "region", "respondent", "row", "seconds", "sex", "state"),
    *("round", "session", "subject", "target", "task", "time", "timestamp", "trial", "user"),
    *("voter", "ward", "wave", "weight", "weights", "year", "zip", "zipcode"),
}

# How the two columns of a vote or game are told apart, and what else stands for a tie. The first
# names who won.
SIDES: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    (("winner", "won", "winning", "victor", "w"), ("loser", "lost", "losing", "l"), ()),
    (
        ("home", "h", "host", "local", "casa", "heim", "domicile", "mandante"),
        ("away", "a", "visitor", "visiting", "guest", "v", "visitante", "trasferta", "gast"),
        ("d", "x", "empate"),
    ),
    (("white", "w"), ("black", "b"), ("d",)),
    (("a",), ("b",), ("c",)),
    (("1", "i", "one"), ("2", "ii", "two"), ("0", "x", "3")),
    (("left", "l"), ("right", "r"), ()),
    (("first",), ("second",), ()),
    (("x",), ("y",), ()),
    (("chosen", "preferred", "better"), ("rejected", "worse"), ()),
    (("team", "player", "fighter", "for"), ("opponent", "opp", "against"), ("d", "t")),
)

WINNERS = {
    *("winner", "vote", "preferred", "preference", "choice", "chosen", "result", "outcome"),
    *("judgment", "judgement", "label", "win", "won", "better", "selected", "pick", "picked"),
    *("sieger", "gewinner", "ganador", "vainqueur", "vencedor", "vincitore"),
    *("winning", "res", "ftr", "victor", "verdict", "decision", "answer", "resultado"),
}
SCORES = {
    *("score", "scores", "goal", "goals", "points", "pts", "ft", "runs", "sets", "result"),
    *("g", "gf", "outcome", "tore", "fthg", "ftag", "hg", "ag", "goles", "gols", "gol", "buts"),
    *("puntos", "pontos", "punti", "punkte"),
}
# A column of these is positive where the first is ahead.
MARGINS = {"diff", "difference", "margin", "mov"}
COUNTS = {
    *("wins", "won", "count", "counts", "n", "beats", "beat", "win", "votes", "times", "freq"),
    *("frequency", "total", "number", "preferred"),
}
TIES = re.compile(
    r"ties?\b.*|tied|drawn?|empate|equal|both\b.*|bothbad|neither|same|none|no preference"
    r"|0(\.5)?|=|½.*"
)
JUDGES = {
    *("judge", "judge_id", "annotator", "annotator_id", "rater", "rater_id", "voter", "voter_id"),
    *("user", "user_id", "worker", "worker_id", "respondent", "respondent_id", "participant"),
    *("participant_id", "person", "resp_id", "respid", "respondentid", "sys_respnum"),
}

MODELS = {"model", "models", "algorithm", "method", "system", "classifier", "learner", "approach"}
DATA = {"dataset", "data_set", "data set", "data", "task", "benchmark", "problem", "fold"}
HIGHER = {"accuracy", "acc", "auc", "f1", "score", "bleu", "rouge", "r2", "precision", "recall"}
LOWER = {"error", "loss", "rmse", "mae", "mse", "perplexity", "wer", "time", "seconds", "rank"}

USERS = {"user", "userid", "user_id", "reviewer", "reviewerid", "reviewer_id", "user id"}
ITEMS = {
    *("item", "itemid", "item_id", "movie", "movieid", "movie_id", "film", "filmid", "film_id"),
    *("product", "productid", "product_id", "book", "book_id", "bookid", "asin", "isbn", "title"),
}
RATINGS = {"rating", "ratings", "stars", "score", "scores", "points"}

# Usual words of ratings, from best to worst.
SCALES = [
    ["strongly agree", "agree", "somewhat agree", "neither agree nor disagree", "neutral",
     "somewhat disagree", "disagree", "strongly disagree"],
    ["excellent", "very good", "good", "average", "fair", "poor", "bad", "very poor", "very bad"],
    ["very satisfied", "satisfied", "neutral", "dissatisfied", "very dissatisfied"],
    ["extremely likely", "very likely", "likely", "neutral", "unlikely", "very unlikely"],
    ["extremely important", "very important", "important", "somewhat important",
     "not important", "not at all important"],
    ["always", "often", "sometimes", "rarely", "never"],
    ["love it", "love", "like it", "like", "neutral", "dislike it", "dislike", "hate it", "hate"],
    ["high", "medium", "low"],
]  # fmt: skip

_SPLIT = re.compile(
    r"[\s_.\-/()]+|(?i:(?<=\bhome)|(?<=\baway))(?=[a-z])|(?<=[a-z])(?=[A-Z]|\d)|(?<=[A-Z])(?=\d)|(?<=\d)(?=[a-zA-Z])"
)


@lru_cache(maxsize=1 << 12)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case.

    >>> words_of("HomeTeam"), words_of("model_a"), words_of("player1"), words_of("FTHG")
    (('home', 'team'), ('model', 'a'), ('player', '1'), ('fthg',))
    """
    return tuple(word.lower() for word in _SPLIT.split(name.strip()) if word) or ("",)


def is_about(name: str) -> bool:
    """Whether a column's name says that it is not an item.

    >>> [is_about(name) for name in ("age", "Task", "user_id", "Duration (in seconds)", "toro")]
    [True, True, True, True, False]
    """
    words = re.split(r"[^a-z]+", name.strip().lower())
    if name.strip().lower() in ("№", "#", "n°", "nº", "nr.", "lfd. nr."):
        return True
    return (
        "_".join(words) in _ABOUT
        or words[-1] in ("id", "number")
        or "rlh" in words
        or words[0] == "duration"
    )


def place_of(text: str) -> int | None:
    """The place that a text names, such as "1st choice", "Rank 2", "third" or "4"; None if none.

    >>> [place_of(text) for text in ("1st choice", "Rang 2", "Third", "4. Wahl", "toro", "18-24")]
    [1, 2, 3, 4, None, None]
    """
    match = _ONE_PLACE.fullmatch(text.strip().lower())
    if match is None:
        return None
    return int(match[1]) if match[1] else ORDINALS.index(match[2]) + 1


def place_columns(names: Sequence[str]) -> list[int]:
    """The columns with names of places, in order of their numbers unless two are equal."""
    matches = {i: match for i, name in enumerate(names) if (match := PLACE.search(name))}
    numbers = {i: number_of_place(match) for i, match in matches.items()}
    distinct = len({*numbers.values()}) == len(numbers)
    return sorted(numbers, key=numbers.__getitem__) if distinct else list(numbers)


def number_of_place(match: re.Match[str]) -> float:
    """The number in a name that ``PLACE`` matches: a float, because it may have any length."""
    return float(match[1] or match[2] or ORDINALS.index(match[3].lower()) + 1)


def opposites(words: tuple[str, ...], besides: int | None = None) -> list[tuple[str, ...]]:
    """The names that differ in the word for a side: "winner_1" from "loser_1" and "winner_2".

    >>> opposites(("winner", "id"))
    [('loser', 'id'), ('lost', 'id'), ('losing', 'id'), ('l', 'id')]
    """
    return [
        tuple(other if word == side else word for word in words)
        for k, (one, two, _) in enumerate(SIDES)
        if k != besides
        for side in dict.fromkeys(words)
        if side in one
        for other in two
    ]
