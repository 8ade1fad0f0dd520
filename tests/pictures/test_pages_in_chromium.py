"""Pages in a real browser: nothing overflows, nothing is cut, nothing complains."""

import numpy as np
import pytest
from chromium import COLLIDING, CUT, WIDER

from rankcut import SimilarityGraph, compare_groups, make_mallows
from rankcut.blocs.report import BlocReport, bloc_page
from rankcut.comparison.page import comparison_page
from rankcut.consensus.figure import consensus_page
from rankcut.consensus.words import ConsensusReport, GroupConsensus
from rankcut.datasets import load_lunch
from rankcut.pictures.graph_pictures import graph_page
from rankcut.pictures.maps import map_page

pytestmark = pytest.mark.slow

HOSTILE = "<img src=x onerror=alert(1)> and a name that goes on and on"


def lunch_map():
    return map_page(load_lunch(), "guest")


def many_groups():
    votes = make_mallows(836, 12, phi=0.9, random_state=0)
    towns = np.array([f"town {k} with a long name" for k in range(54)] + [HOSTILE])
    return map_page(votes.ranks, towns[np.arange(836) % 55], by_name="town", title=HOSTILE)


def graph():
    """More items than labels have room for, some with hostile names."""
    points = np.random.default_rng(0).normal(size=(90, 3))
    names = [HOSTILE, *(f"Item {k} with a longer name" for k in range(89))]
    kinds = [HOSTILE if k % 3 else "other" for k in range(90)]
    return graph_page(SimilarityGraph(points), kinds, items=names, title=HOSTILE)


def consensus():
    from rankcut import Consensus

    lunch = load_lunch()
    groups = [
        GroupConsensus.of(Consensus(n_bootstraps=50).fit(lunch.ranks[lunch.target == k]), name)
        for k, name in enumerate(lunch.target_names)
    ]
    return consensus_page(ConsensusReport(list(lunch.items), "borda", 0.95, groups), "Lunch")


def comparison():
    lunch = load_lunch()
    found = compare_groups(lunch.ranks, lunch["guest"], n_permutations=99).to_dict()
    return comparison_page([{"title": HOSTILE, **found}])


def many_compared():
    votes = make_mallows(117, 14, phi=0.9, random_state=0)
    towns = [f"town {k} with a name" for k in np.arange(117) % 39]
    found = compare_groups(votes.ranks, towns, n_permutations=99).to_dict()
    return comparison_page([{"title": "town", **found}])


def many_paired():
    from rankcut import Consensus

    ranks = make_mallows(30, 45, phi=0.9, random_state=0).ranks
    ranks[:15, 0] = ranks[15:, 1] = np.nan
    model = Consensus(n_bootstraps=20, unranked="anywhere").fit(ranks)
    names = [f"Item {k} with a longer name" for k in range(45)]
    return consensus_page(ConsensusReport(names, "borda", 0.95, [GroupConsensus.of(model)]))


def blocs():
    from rankcut import RankingBlocs, RankingSet
    from rankcut.pictures.maps import map_picture, read_map

    ranks = make_mallows(90, 9, phi=0.7, random_state=0).ranks
    votes = RankingSet(ranks, (*"abcdefgh", HOSTILE))
    model = RankingBlocs((2, 5)).fit(votes)
    names = np.array([f"bloc {label + 1}" for label in model.labels_], dtype=object)
    towns = np.array(["north", HOSTILE], dtype=object)[np.arange(90) % 2]
    found = BlocReport(model).crossed("town", towns, votes.counts)
    shown = map_picture(read_map(votes, names, by_name="bloc"))
    return bloc_page(found, HOSTILE, shown)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    "make",
    [lunch_map, many_groups, graph, consensus, many_paired, comparison, many_compared, blocs],
)
def test_nothing_overflows_is_cut_or_complains(show, make, width):
    with show(make(), width) as page:
        assert page.evaluate(WIDER) <= 0
        assert page.evaluate(CUT) == []
        assert page.evaluate(COLLIDING) == []
        assert page.errors() == []


def test_places_need_no_scrolling_on_a_telephone(show):
    with show(consensus(), 390) as page:
        table = "document.querySelector('.wide')"
        assert page.evaluate(f"{table}.scrollWidth <= {table}.clientWidth")


def test_hovering_and_picking_on_a_map(show):
    with show(lunch_map(), 1280) as page:
        fire = "new PointerEvent('pointerover', {bubbles: true})"
        page.evaluate(f"document.querySelector('circle[data-tip]').dispatchEvent({fire})")
        shown = page.evaluate("document.getElementById('tip').textContent")
        assert "1" in shown
        assert ">" in shown
        tipped = "document.getElementById('tip').getBoundingClientRect()"
        assert page.evaluate(f"{tipped}.right <= innerWidth && {tipped}.left >= 0")
        page.evaluate("document.querySelector('button.pick').click()")
        lit = page.evaluate("document.querySelectorAll('circle.lit').length")
        assert lit == 24
        page.evaluate("document.querySelector('button.pick').click()")
        assert not page.evaluate("document.body.classList.contains('picked')")
        page.evaluate("document.querySelector('svg').focus()")
        key = "new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true})"
        for _ in range(2):
            page.evaluate(f"document.querySelector('svg').dispatchEvent({key})")
        assert page.evaluate("document.getElementById('tip').textContent") != shown
        assert page.errors() == []
