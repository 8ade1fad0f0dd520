"""Part-worths of each person, from choices among profiles whose attributes differ by task."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.errors import InputError, Setting
from rankcut.files.tables import TableBlock, frame_blocks
from rankcut.parameters import check_share, seed_from
from rankcut.pictures.scene import Picture
from rankcut.plain_estimators import PlainEstimator
from rankcut.rankings import object_array, read_rankings
from rankcut.results import Table
from rankcut.strengths.respondents import Respondents
from rankcut.utilities.attributes import NONE, Attributes, columns_of
from rankcut.utilities.figure import distributions_picture
from rankcut.utilities.people import PeopleResult, shares_of
from rankcut.utilities.profiles import ProfileColumns, ProfileTasks, read_profiles, values_of
from rankcut.utilities.shares import PeopleShares
from rankcut.utilities.words import conjoint_sentences, conjoint_tables
from rankcut.utilities.worth import Worth, what_it_is_worth


class Conjoint(PeopleResult, PlainEstimator):
    r"""Part-worths of attributes for each person, by choices among profiles.

    In choice-based conjoint analysis, in each task a person sees some profiles, such as cars of a
    brand and a price, and chooses one, or none. Person p has a coefficient for each level,
    β_p ~ N(μ, Σ), and chooses profile i with probability exp(z_i·β_p) / Σ_j exp(z_j·β_p), where z_i
    says which levels it has: the mixed logit model, which hierarchical Bayes fits too. μ and Σ are
    learned from all.

    Parameters
    ----------
    person, task, chosen : str or None
        The columns that say whose task a row is, which task, and whether the alternative was chosen
        (1 or yes, or the chosen alternative's place or name). None: found by their names, as
        ``resp.id``, ``ques`` and ``choice``.
    attributes : sequence of str or None
        The columns of attributes; None: all others that differ within tasks. Text has a
        coefficient for each level, about their mean; a number has one, for a unit of it.
    levels : sequence of str
        Columns of numbers that are levels, and have a coefficient each.
    weight : str or None
        The column of survey weights: a person counts as the mean of theirs.
    confidence : float, default=0.95
        How often intervals hold.
    random_state : int, RandomState or None, default=0
        Of the draws behind means and errors.
    n_jobs : int or None
        Number of threads. The results are the same for any number.

    Attributes
    ----------
    part_worths_ : ndarray of shape (n_people, n_coefficients)
        Expected coefficients of each person: log-odds, by level or by unit.
    errors_ : ndarray of shape (n_people, n_coefficients)
        Their standard errors.
    coefficients_ : tuple of str
        What each coefficient is of, such as "brand: x"; "none" is a task's answer that none of the
        profiles is wanted, compared with a profile of average levels and numbers.
    people_ : ndarray of shape (n_people,)
        The person of each row.
    mean_, covariance_ : ndarrays
        μ and Σ.
    n_tasks_ : ndarray of shape (n_people,)
        How many tasks each person answered.
    root_likelihood_ : ndarray of shape (n_people,)
        The geometric mean of the probabilities of what each person chose.
    at_random_ : ndarray of shape (n_people,)
        How probably each person answered at random.
    n_effective_ : ndarray of shape (n_people,)
        Effective draws behind each person's means and errors.
    notes_ : tuple of str
        How the table was read.

    References
    ----------
    K. Train. Discrete Choice Methods with Simulation. Cambridge University Press, 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> shown = [("x", 1.0), ("y", 1.0), ("x", 2.0), ("y", 3.0), ("x", 3.0), ("y", 2.0)]
    >>> rows = [
    ...     (person, task, *shown[2 * task + side], int(side == (person == "Bob")))
    ...     for person in ("Ann", "Bob") for task in range(3) for side in range(2)
    ... ]
    >>> table = pd.DataFrame(rows, columns=["person", "task", "brand", "price", "chosen"])
    >>> model = Conjoint().fit(table)
    >>> model.coefficients_
    ('brand: x', 'brand: y', 'price')
    >>> model.choose({"brand": ["x", "y"], "price": [2, 2]}).tolist()
    ['x, 2', 'y, 2']
    """

    def __init__(
        self,
        *,
        person: str | None = None,
        task: str | None = None,
        chosen: str | None = None,
        attributes: Sequence[str] | None = None,
        levels: Sequence[str] = (),
        weight: str | None = None,
        confidence: float = 0.95,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.person = person
        self.task = task
        self.chosen = chosen
        self.attributes = attributes
        self.levels = levels
        self.weight = weight
        self.confidence = confidence
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, table: Any, *, progress: Callable[[str], None] | None = None) -> Self:
        """Learn the part-worths of all people.

        Parameters
        ----------
        table : frame
            A row for each alternative shown.
        progress : callable or None
            Called with a few words about each step, such as ``print``.
        """
        check_share(self.confidence, "confidence")
        tasks = self._read(table)
        self._attributes = attributes = Attributes.of(tasks.columns, tasks.is_none)
        self.coefficients_ = tuple(attributes.coefficients)
        self.notes_ = tasks.rankings.notes
        self._seed = seed_from(self.random_state)
        respondents = Respondents.of(read_rankings(tasks.rankings), self._seed)
        self.people_ = _people(tasks)
        rows = np.diag(1.0 / attributes.sizes)
        design = attributes.design[respondents.order]
        described = self._learn(respondents, rows, design, attributes.constants, None, progress)
        self.part_worths_: Floats = described.values
        self.errors_: Floats = described.errors
        tastes = self._fit.tastes
        self.mean_: Floats = rows @ tastes.mean
        centred = tastes.covariance - tastes.constants @ tastes.constants.T
        self.covariance_: Floats = rows @ centred @ rows
        return self

    def transform(self, table: Any) -> Floats:
        """Part-worths of new people from their tasks, without fitting again.

        Rows are in the order of the sorted names of people.
        """
        tasks = self._read(table)
        design = self._attributes.code(tasks.columns, tasks.is_none)
        respondents = Respondents.of(read_rankings(tasks.rankings), self._seed)
        rows = np.diag(1.0 / self._attributes.sizes)
        design = design[respondents.order]
        return self._describe(respondents, rows, design=design).values

    def importance(self) -> PeopleShares:
        """How much each attribute matters: its range of part-worths, as a share of all ranges.

        The range of a number is from the lowest to the highest that was shown.
        """
        attributes = self._attributes
        return self._people_shares("importance", attributes.names, attributes.importance)

    def shares(self, profiles: Any, *, none: bool = False) -> PeopleShares:
        """Shares of preference: how often each profile would be chosen, if all were offered.

        Parameters
        ----------
        profiles : frame or mapping
            A row for each profile, a column for each attribute; an index of a pandas frame names
            them.
        none : bool
            Whether people may choose none of them.
        """
        design, names = self._profiles(profiles, none=none)
        return self._people_shares(
            "share of preference", names, lambda coefficients: shares_of(coefficients @ design.T)
        )

    def choose(self, profiles: Any, *, none: bool = False) -> NDArray[Any]:
        """What each person would choose: the profile with the highest utility."""
        design, names = self._profiles(profiles, none=none)
        utilities = (self.part_worths_ * self._attributes.sizes) @ design.T
        return np.asarray(object_array(names)[utilities.argmax(axis=1)])

    def worth(self, price: str) -> Worth:
        """What levels are worth in units of a number such as the price (willingness to pay).

        A level's coefficient over that of the price, times −1, for the average person and for the
        median one; of numbers, a unit's. Intervals are those of the average person's, by draws of μ
        (Krinsky and Robb 1986).
        """
        numbers = [each.name for each in self._attributes.each if not each.levels]
        if price not in numbers:
            raise InputError(
                f"{price!r} is no attribute that is a number",
                parameter="price",
                remedy=f"name one of {numbers}",
            )
        tastes, weights = self._fit.tastes, self._weights
        rows = np.diag(1.0 / self._attributes.sizes)
        covariance = rows @ tastes.factor @ self._fit.doubt @ tastes.factor.T @ rows
        return what_it_is_worth(
            price, self.coefficients_, self.mean_, covariance, self.part_worths_, weights,
            self.confidence, self._seed,
        )  # fmt: skip

    def sentences(self) -> list[str]:
        """The answer in plain words."""
        return conjoint_sentences(self)

    def tables(self) -> dict[str, Table]:
        """Part-worths with a row for each person; of all; importance; errors; people."""
        return conjoint_tables(self)

    def lines(self, most: int = 20) -> list[str]:
        """The coefficients for a terminal, then the sentences."""
        return [*self.tables()["coefficients"].lines(most), "", *self.sentences()]

    def picture(self) -> Picture:
        """The distribution of each coefficient over people."""
        return distributions_picture(
            "Part-worths of people", self.coefficients_, self.part_worths_, "part-worth (log-odds)"
        )

    def _read(self, table: Any) -> ProfileTasks:
        block = table if isinstance(table, TableBlock) else next(frame_blocks(table, "the table"))
        columns = ProfileColumns.find(
            block, self.person, self.task, self.chosen, self.attributes, self.weight
        )
        if columns is None:
            raise InputError(
                "the table has no column that says which alternatives were chosen",
                remedy=["name it with ", Setting("chosen")],
            )
        return read_profiles(block, columns, self.levels)

    def _profiles(self, profiles: Any, *, none: bool) -> tuple[Floats, list[str]]:
        """The coded rows of profiles, and their names."""
        attributes = self._attributes
        if isinstance(profiles, TableBlock):
            places = {name: place for place, name in enumerate(profiles.names)}
            columns = {
                each.name: values_of(profiles, places[each.name], as_levels=bool(each.levels))
                for each in attributes.each
                if each.name in places
            }
            labels = None
        else:
            columns, labels = columns_of(profiles)
        missing = [name for name in attributes.names if name not in columns]
        if missing:
            raise InputError(f"lack the attribute {missing[0]!r}", parameter="profiles")
        columns = {name: columns[name] for name in attributes.names}
        design = attributes.code(columns)
        names: Sequence[Hashable] = labels or [
            ", ".join(_shown(value) for value in row) for row in zip(*columns.values(), strict=True)
        ]
        if none:
            if not self._attributes.has_none:
                raise InputError("no task had none of these as an answer", parameter="none")
            last = np.zeros((1, design.shape[1]))
            last[0, -1] = 1.0
            design, names = np.concatenate([design, last]), [*names, NONE]
        if len(design) < 2:
            raise InputError("must be two or more", parameter="profiles")
        return design, [str(name) for name in names]


def _shown(value: Any) -> str:
    number = isinstance(value, int | float | np.number)
    return f"{value:g}" if number else str(value)


def _people(tasks: ProfileTasks) -> NDArray[Any]:
    """The person of each row of what is learned."""
    people = tasks.rankings.people
    return np.arange(tasks.rankings.shape[0]) if people is None else np.unique(people)
