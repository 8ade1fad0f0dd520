"""P-values by exchanging labels: what is drawn, and what is counted.

A shuffle depends on the seed and its number alone, so results are the same for any threads.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut._loops.random_streams import (
    add_by_label,
    add_by_slot,
    shuffle_labels,
    shuffle_rows,
)
from rankcut._loops.types import Flags, Floats, Longs
from rankcut.comparison.group_strengths import StrengthSteps
from rankcut.comparison.statistics import (
    Form,
    Moments,
    about_mean,
    cauchy_combination,
    cauchy_p_value,
    holm,
    modified_anova_type,
    score_statistics,
    two_sided,
    variance_scale,
    whitened,
    with_equal_weights,
)
from rankcut.comparison.vectors import BLOCK, Scores
from rankcut.errors import InputError
from rankcut.parameters import AT_ONCE, MOST_HELD
from rankcut.rankings.value import ROUNDING
from rankcut.threads import in_order

# With this many units in each group, permutations and normal distributions agree.
ENOUGH = 1_000

# Additions of permutations, about a minute: with very many rankings there are fewer permutations.
_WORK = 1 << 37


class Options(NamedTuple):
    """How many permutations to draw, from which seed, with how many threads."""

    n_permutations: int
    seed: int
    n_jobs: int | None = None


class Question(NamedTuple):
    """A family of comparisons.

    Attributes
    ----------
    look : function
        From what is drawn to values, of shape (n_draws, n_compared), large if groups differ.
    normal : function
        From the values of the data to adjusted p-values by normal distributions, used without
        permutations.
    bounded : bool
        Whether no p-value is smaller than these.
    """

    look: Callable[[Any], Floats]
    normal: Callable[[Floats], Floats]
    bounded: bool = False


def by_means(whole: slice, items: slice, varies: Flags, *, two: bool) -> Question:
    """Do all groups differ, or each two of them?"""
    n_items = int(varies[items].sum())

    def look(moments: Moments) -> Floats:
        own = moments.of(whole).varying(varies[whole])
        z = score_statistics(moments.of(items), varies[items]).max(axis=-1)
        largest = z if two else z.max(axis=-1)
        p_values = [two_sided(largest, n_items * (1 if two else z.shape[-1]))]
        statistics = {modified_anova_type: own}
        if own.covariances is not None:
            statistics[with_equal_weights] = whitened(own)
        for statistic, space in statistics.items():
            p_values.append(statistic(about_mean(space.of_two() if two else space)).p_value())
        return cauchy_combination(p_values).reshape(len(z), -1)

    return Question(look, lambda combined: holm(cauchy_p_value(combined)))


def by_distance(whole: slice, first: Moments, *, two: bool) -> Question:
    """The same for a kernel, which asks whether populations are equal, and keeps its distances."""

    def form(moments: Moments) -> Form:
        return with_equal_weights(moments.of_two() if two else moments)

    def look(moments: Moments) -> Floats:
        ratio = form(moments.of(whole)._replace(covariances=None)).ratio
        return ratio.reshape(len(ratio), -1)

    return Question(look, lambda _: holm(np.ravel(form(first).p_value())))


def family(columns: slice, varies: Flags, n_groups: int) -> Question:
    """Coordinates one by one: the largest |z| over pairs of groups."""

    def look(moments: Moments) -> Floats:
        return np.asarray(score_statistics(moments.of(columns), varies[columns]).max(axis=-2))

    n_pairs = n_groups * (n_groups - 1) // 2
    return Question(look, lambda z: holm(two_sided(z, n_pairs)), bounded=True)


class Draws(ABC):
    """The data, and the data with exchanged labels.

    Attributes
    ----------
    number : int
        How many permutations: none if there are ``enough`` units, fewer if each is much ``work``.
        Each takes ``room``, so that only some of them are made at once.
    """

    def __init__(
        self, options: Options, *, enough: bool, work: int, room: int, most: int = AT_ONCE
    ) -> None:
        self._options = options
        self.number = 0 if enough else min(options.n_permutations, max(_WORK // work, 199))
        self._step = max(1, min(most // room, 128))

    @abstractmethod
    def drawn(self, first: int, size: int) -> Any:
        """What questions look at, in some permutations from number ``first`` on."""

    def p_values(self, questions: Mapping[str, Question], data: Any) -> dict[str, Floats]:
        """Of each family, adjusted for all of it, step by step from the clearest (Westfall-Young).

        A p-value is the share of permutations in which the largest of those that are not clearer
        is as large.
        """
        values = {name: question.look(data)[0] for name, question in questions.items()}
        normal = {name: questions[name].normal(own) for name, own in values.items()}
        if not self.number:
            return normal
        orders = {name: np.argsort(-own, kind="stable") for name, own in values.items()}

        def count(first: int) -> dict[str, Longs]:
            drawn = self.drawn(first, min(self._step, self.number - first))
            counts = {}
            for name, order in orders.items():
                found, bar = questions[name].look(drawn)[:, order], values[name][order]
                largest = np.maximum.accumulate(found[:, ::-1], axis=1)[:, ::-1]
                # Strengths are fitted to about half of the digits of a float.
                near = math.sqrt(ROUNDING) * np.maximum(bar, 1.0)
                counts[name] = (largest >= bar - near).sum(axis=0)
            return counts

        firsts = range(0, self.number, self._step)
        blocks = list(in_order(count, firsts, self._options.n_jobs))
        p_values = {name: np.empty(len(order)) for name, order in orders.items()}
        for name, found in p_values.items():
            # The data are one of the permutations.
            often = 1 + sum(block[name] for block in blocks)
            found[orders[name]] = np.maximum.accumulate(often / (self.number + 1))
            if questions[name].bounded:
                np.maximum(found, normal[name], out=found)
        return p_values

    def describe(self) -> str:
        """How p-values were found, as a sentence."""
        if self.number:
            return f"{self.number:,} random permutations."
        return "Normal approximation, as there are very many rankings."


class GroupDraws(Draws):
    """The groups' moments in the data and under exchanged labels.

    Survey weights go with the labels: permuted groups have the weights that the groups have, among
    which a few may be large.
    """

    def __init__(
        self,
        scores: Scores,
        crossed: slice | None,
        options: Options,
        steps: StrengthSteps | None = None,
    ) -> None:
        """Moments have covariances of the coordinates ``crossed``.

        With ``steps`` these are scores, and the moments those of strengths.
        """
        self.scores, self._crossed, self._steps = scores, crossed, steps
        self.columns, self.varies = scores.columns, scores.varies
        if steps is not None:
            self.columns, self.varies = steps.columns, steps.varies
        design = scores.design
        n_cells, n_groups = design.table.shape
        # Groups in the order of their sizes and members: their names decide nothing.
        number = np.arange(n_cells) / n_cells
        self._order = np.lexsort((number @ design.table, design.table.sum(axis=0)))
        self._sizes = design.sizes[:, self._order]
        self._units = int(self._sizes.sum())
        n_crossed = 0 if crossed is None else crossed.stop - crossed.start
        self._pairs = np.triu_indices(n_crossed, 1)
        self._n_known = 0 if steps is None else steps.information.width
        # Columns that grow with weights; others grow with their squares.
        self._n_once = self._n_known + scores.width + design.weighted
        n_twice = scores.width + len(self._pairs[0])
        self._width = self._n_once + n_twice + (scores.width + 1) * design.weighted
        # Each two groups have their covariances, four times over.
        made = n_groups * (n_groups - 1) * (len(self.varies) + 4 * n_crossed**2)
        super().__init__(
            options,
            enough=self._sizes.sum(axis=0).min() >= ENOUGH and scores.is_nearly_normal(ENOUGH),
            work=self._units * self._width,
            room=made + 2 * n_groups * self._width + self._units,
            # What cells have is made anew for each block of permutations, in about as much room.
            most=max(AT_ONCE, min(n_cells, BLOCK) * self._width),
        )
        weight = float(design.counts @ design.weight)
        # Where all of a group agree; sums of inverse variances keep half of their digits.
        self._floor = np.where(scores.varies, math.sqrt(ROUNDING) * scores.own / weight**2, 0.0)

    def data(self) -> Moments:
        """The moments of the groups as they are."""
        design = self.scores.design
        sums = np.zeros((1, design.table.shape[1], self._width))
        for cells, values in self._values():
            weighted = design.table[cells] * design.survey[cells, np.newaxis]
            once, twice = values[:, : self._n_once], values[:, self._n_once :]
            sums[0, :, : self._n_once] += csr_array(weighted.T) @ once
            weighted *= design.survey[cells, np.newaxis]
            sums[0, :, self._n_once :] += csr_array(weighted.T) @ twice
        return self._moments(sums, design.table.sum(axis=0))

    def _values(self) -> Iterator[tuple[slice, Floats]]:
        """Information, vectors x and sizes k of cells, for a survey weight of 1; x², x·xᵀ, k·x, k².

        Sizes k are 1, or how many rankings a person has; if nothing differs in weight they are left
        out.
        """
        (i, j), design = self._pairs, self.scores.design
        for cells, block in self.scores.blocks():
            survey = design.survey[cells, np.newaxis]
            block = block / survey
            once, twice = [block], [block**2]
            if self._steps is not None:
                once.insert(0, self.scores.sums(self._steps.information, cells) / survey)
            if self._crossed is not None:
                part = block[:, self._crossed]
                twice.append(part[:, i] * part[:, j])
            if design.weighted:
                size = design.weight[cells, np.newaxis] / survey
                once.append(size)
                twice += [size * block, size**2]
            yield cells, np.hstack([*once, *twice])

    def _moments(self, sums: Floats, sizes: Longs) -> Moments:
        """Means, and linearised variances: Σ(x − w·μ)²·m/(m − 1) by the squared weight."""
        width, n_known, n_pairs = self.scores.width, self._n_known, len(self._pairs[0])
        information, first = sums[..., :n_known], sums[..., n_known : n_known + width]
        twice = sums[..., self._n_once :]
        squares, products = twice[..., :width], twice[..., width : width + n_pairs]
        if self.scores.design.weighted:
            weights, cross, squared = (
                sums[..., self._n_once - 1],
                twice[..., -width - 1 : -1],
                twice[..., -1],
            )
        else:
            each = float(self.scores.design.weight[0])
            weights = np.asarray(each * np.broadcast_to(sizes, sums.shape[:-1]))
            cross, squared = each * first, each * weights
        means = first / weights[..., np.newaxis]
        left = squares - 2.0 * means * cross + means**2 * squared[..., np.newaxis]
        scale = variance_scale(weights, sizes)[..., np.newaxis]
        variances = np.maximum(left * scale, self._floor)
        found = Moments(means, variances, np.asarray(weights), np.asarray(sizes))
        if self.scores.design.weighted:
            slopes = 2.0 * (cross - means * squared[..., np.newaxis])
            slopes /= weights[..., np.newaxis] ** 2
            found = found._replace(effective=weights**2 / squared, slopes=slopes)
        if self._crossed is None:
            return found
        i, j = self._pairs
        part, other = means[..., self._crossed], cross[..., self._crossed]
        products = products - part[..., i] * other[..., j] - part[..., j] * other[..., i]
        products = (products + part[..., i] * part[..., j] * squared[..., np.newaxis]) * scale
        covariances = np.empty((*part.shape, part.shape[-1]))
        covariances[..., i, j] = covariances[..., j, i] = products
        every = np.arange(part.shape[-1])
        covariances[..., every, every] = variances[..., self._crossed]
        found = found._replace(covariances=covariances)
        if self._steps is None:
            return found
        return self._steps.moments(found, information, squared / weights**2)

    def drawn(self, first: int, size: int) -> Moments:
        """The moments of groups with exchanged labels."""
        if self._units > MOST_HELD:
            raise InputError(
                f"{self._units:,} people are too many to shuffle, as a small group needs",
                remedy="divide all counts by the same number, or leave the small group out",
            )
        starts = np.concatenate([[0], np.cumsum(self._sizes.sum(axis=1))])
        seed = np.uint64(self._options.seed)
        survey = self.scores.design.survey
        if (survey != survey[0]).any():
            slots = np.empty((size, self._units), dtype=np.int32)
            shuffle_rows(starts, seed, first, slots)
            return self._slotted(slots)
        labels = np.empty((size, self._units), dtype=np.uint8)
        shuffle_labels(self._sizes, starts, seed, first, labels)
        return self._labelled(labels)

    def _labelled(self, labels: NDArray[np.uint8]) -> Moments:
        """The moments of groups with these labels; those of the largest follow from the rest."""
        sizes = self._sizes.sum(axis=0)
        rest = int(sizes.argmax())
        sums = np.zeros((len(labels), len(sizes), self._width))
        total = np.zeros(self._width)
        for values, units, block, counts in self._blocks(labels):
            add_by_label(block, units, values, rest, sums)
            total += counts @ values
        sums[:, rest] = total - sums.sum(axis=1)
        each = float(self.scores.design.survey[0])
        sums[..., : self._n_once] *= each
        sums[..., self._n_once :] *= each**2
        back = np.argsort(self._order)
        return self._moments(sums[:, back], sizes[back])

    def _slotted(self, slots: NDArray[np.int32]) -> Moments:
        """The moments of groups whose units take these slots: the label and weight of another."""
        design = self.scores.design
        by_cell = design.table[:, self._order].ravel()
        groups = np.repeat(np.tile(self._order, len(design.table)), by_cell).astype(np.uint8)
        weights = np.repeat(design.survey, design.counts)
        sums = np.zeros((len(slots), len(self._order), self._width))
        for values, units, block, _ in self._blocks(slots):
            add_by_slot(block, groups, weights, units, values, self._n_once, sums)
        return self._moments(sums, design.table.sum(axis=0))

    def _blocks(self, drawn: NDArray[Any]) -> Iterator[tuple[Floats, Longs, NDArray[Any], Longs]]:
        """The values of some cells, the cell of each of their units, what is drawn, and counts."""
        counts = self.scores.design.counts
        ends = np.concatenate([[0], np.cumsum(counts)])
        for cells, values in self._values():
            units = np.repeat(np.arange(len(values)), counts[cells])
            own = np.ascontiguousarray(drawn[:, ends[cells.start] : ends[cells.stop]])
            yield values, units, own, counts[cells]
