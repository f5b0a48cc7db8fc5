import numpy as np
import pytest

from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.engines.local import LocalEngine
from nkmeans.summarize.sample import Draw, draw_sample
from nkmeans.survey import survey


def draw(X, rate, seed=0, weight=NO_WEIGHT, block_rows=None):
    with LocalEngine(ArraySource(X, weight, block_rows), 2) as engine:
        facts = survey(engine, "Tester")
        return draw_sample(engine, facts, rate, seed), facts


def test_the_sample_is_rows_of_the_data(dtype, rng):
    X = (rng.normal(size=(3000, 2)) + 7).astype(dtype)
    sample, facts = draw(X, 0.3)
    np.testing.assert_array_equal(sample.points, X[sample.rows] - facts.origin)
    assert (np.diff(sample.rows) > 0).all()


@pytest.mark.parametrize("block_rows", [1, 17, 1000, 5000])
def test_the_sample_does_not_depend_on_the_blocks(block_rows):
    X = np.arange(5000.0)[:, None]
    np.testing.assert_array_equal(draw(X, 0.1, block_rows=block_rows)[0].rows, draw(X, 0.1)[0].rows)


def test_rows_are_drawn_at_the_rate_and_weigh_as_much_as_the_data():
    X = np.arange(200_000.0)[:, None]
    sample, _ = draw(X, 0.05)
    # Four standard deviations of a binomial.
    assert abs(len(sample.rows) - 10_000) < 4 * np.sqrt(200_000 * 0.05 * 0.95)
    assert sample.weight.sum() == pytest.approx(200_000, rel=0.05)
    assert len(np.intersect1d(sample.rows, draw(X, 0.05, seed=1)[0].rows)) < 1000


def test_a_weight_is_drawn_as_so_many_copies():
    weight = np.tile([0.0, 1.0, 5.0, 30.0], 20_000)
    sample, _ = draw(np.arange(80_000.0)[:, None], 0.2, weight=weight)
    drawn = np.zeros(80_000)
    drawn[sample.rows] = sample.weight
    for kind in range(4):
        # About 440 draws of the weight-1 rows: a fifth is four standard deviations.
        assert drawn[kind::4].sum() == pytest.approx(weight[kind::4].sum(), rel=0.2)
    assert (drawn[::4] == 0).all()


def test_a_rate_of_one_takes_all_rows_that_have_weight():
    weight = np.array([1.0, 0.0, 2.5])
    sample, _ = draw(np.arange(3.0)[:, None], 1.0, weight=weight)
    np.testing.assert_array_equal(sample.rows, [0, 2])
    np.testing.assert_array_equal(sample.weight, [1.0, 2.5])


def test_when_luck_draws_nothing_the_rate_is_doubled_until_it_does():
    sample, _ = draw(np.arange(5.0)[:, None], 1e-9)
    assert len(sample.rows) >= 1
    assert 1e-9 < sample.rate <= 1
    assert np.log2(sample.rate / 1e-9) % 1 == 0 or sample.rate == 1


@pytest.mark.parametrize("weighted", [True, False])
def test_a_sample_drawn_in_the_survey_is_the_same(weighted, dtype, rng):
    X = (rng.normal(size=(3000, 2)) + 7).astype(dtype)
    weight = rng.uniform(0, 3, 3000) if weighted else NO_WEIGHT
    expected, facts = draw(X, 0.3, 5, weight)
    errand = Draw(0.3, facts.total_weight / facts.n_weighted, 5)
    with LocalEngine(ArraySource(X, weight), 2) as engine:
        on_the_way = survey(engine, "Tester", errand=errand)
    sample = draw_sample(None, on_the_way, 0.3, 5)
    for name in ("points", "weight", "rows"):
        np.testing.assert_array_equal(getattr(sample, name), getattr(expected, name))
