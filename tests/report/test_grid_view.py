"""All solutions of a suggestion on its sample: who is left out, colours, the plane."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from corners import SHARES, four_corners, suggest_corners
from nkmeans import suggest
from nkmeans.datasets import make_noisy_blobs
from nkmeans.preparation import Preparation
from nkmeans.report import grid_view
from nkmeans.report.grid_view import OUTLIER, frame, plane_of, solutions_of

X = four_corners()


@pytest.fixture(scope="module")
def suggestion():
    return suggest_corners()


def test_who_is_left_out_is_who_is_farthest(suggestion):
    found = solutions_of(suggestion)
    for row, column in np.ndindex(7, 6):
        centers = suggestion.grid.centers[row][column]
        dist2 = ((suggestion.points[:, None] - centers) ** 2).sum(axis=2)
        farthest = np.argsort(dist2.min(axis=1))[2000 - int(SHARES[column] * 2000) :]
        left_out = np.flatnonzero(found.colors[row, column] == OUTLIER)
        assert sorted(farthest) == left_out.tolist()
        numbers = found.of_centers[row][column]
        kept = found.colors[row, column] != OUTLIER
        assert (found.colors[row, column][kept] == numbers[dist2.argmin(axis=1)][kept]).all()
        assert len(set(numbers)) == len(centers)
        assert found.sizes[row][column].sum() == pytest.approx((1 - SHARES[column]) * 2000)


def test_weights_count_as_copies():
    few, weight = X[::5], np.tile([1, 2], 200)
    given = suggest(few, range(2, 5), [0, 30], sample_weight=weight, random_state=0)
    found = solutions_of(given)
    for row in range(3):
        dist2 = ((few[:, None] - given.grid.centers[row][1]) ** 2).sum(axis=2)
        order = np.argsort(-dist2.min(axis=1))
        expected = order[np.cumsum(weight[order]) <= 30]
        assert sorted(expected) == np.flatnonzero(found.colors[row, 1] == OUTLIER).tolist()
        assert found.sizes[row][1].sum() == pytest.approx(weight.sum() - 30)


def test_a_sample_stands_for_all_rows():
    many, _, _ = make_noisy_blobs(30_000, 4, 2, 300, noise_range=2.5, random_state=0)
    given = suggest(many, [4], [0.02], random_state=0)
    found = solutions_of(given)
    assert len(given.points) < 10_000
    assert (found.colors == OUTLIER).mean() == pytest.approx(0.02, abs=0.0005)
    assert found.sizes[0][0].sum() == pytest.approx(30_300 * 0.98)


def test_it_starts_at_the_suggestion(suggestion):
    assert solutions_of(suggestion).start == (2, 4)
    assert solutions_of(replace(suggestion, n_outliers=90.0)).start == (2, 5)


def test_clusters_keep_their_colors(suggestion):
    """Of rows that two neighbours keep, nearly all have one colour, but for clusters that are new."""
    colors = solutions_of(suggestion).colors
    steps = [((2, a), (2, b)) for a, b in pairwise(range(2, 6))]
    steps += [((1, 4), (2, 4)), ((2, 4), (3, 4)), ((3, 5), (3, 4))]
    for one, other in steps:
        kept = (colors[one] != OUTLIER) & (colors[other] != OUTLIER)
        same = (colors[one] == colors[other])[kept].mean()
        assert same > (0.95 if one[0] == other[0] else 0.7), (one, other)
    kept = colors[2, 4] != OUTLIER
    assert set(colors[2, 4][kept]) == set(range(4))


def test_only_as_many_clusters_as_a_byte_holds(suggestion):
    with pytest.raises(ValueError, match="n_clusters of a page must be at most 254; got 255"):
        solutions_of(replace(suggestion, cluster_counts=np.array([2, 255])))


def prepared(scale):
    return Preparation(
        ("a", "b"), None, scale, "error", np.array([100.0, 0]), np.array([10.0, 1]), np.empty(0)
    )


def test_two_columns_are_shown_in_their_own_units(suggestion):
    solutions = solutions_of(suggestion)
    plane = plane_of(suggestion, solutions, prepared("robust"))
    np.testing.assert_allclose(plane.points, suggestion.points * [10, 1] + [100, 0])
    np.testing.assert_allclose(
        plane.centers[3][4], suggestion.grid.centers[3][4] * [10, 1] + [100, 0]
    )
    np.testing.assert_allclose(plane_of(suggestion, solutions).points, suggestion.points)
    assert plane.axes == ("x0", "x1")


def test_far_points_do_not_widen_the_frame(suggestion):
    """Neither outliers nor a cluster of ten rows."""
    points, solutions = suggestion.points.copy(), solutions_of(suggestion)
    left_out = solutions.colors[solutions.start] == OUTLIER
    points[left_out] = -1e6
    points[np.flatnonzero(~left_out)[:10]] = 1e6
    plane = plane_of(replace(suggestion, points=points), solutions)
    assert (plane.low > -10).all()
    assert (plane.high < 20).all()
    assert plane.n_beyond == 50
    assert len(plane.shown) == 2000


def test_a_frame_of_points_without_width():
    low, high = frame(np.array([[3.0, 0.0]] * 9), np.ones(9))
    assert (low < [3, 0]).all()
    assert (high > [3, 0]).all()


def test_one_column_and_many():
    one = suggest(X[:, :1], range(2, 4), [0, 0.01], random_state=0)
    plane = plane_of(one, solutions_of(one))
    np.testing.assert_array_equal(plane.points[:, 0], one.points[:, 0])
    assert len(np.unique(plane.points[:, 1])) == 2000
    assert plane.axes == ("x0", "")
    assert "heights are random" in plane.how
    wide, _, _ = make_noisy_blobs(500, 3, 6, 5, random_state=0)
    many = suggest(wide, range(2, 4), [0, 0.01], random_state=0)
    plane = plane_of(many, solutions_of(many))
    assert plane.axes[0].startswith("principal axis 1 (")
    assert "the 6 columns vary most" in plane.how
    assert plane.points.shape == (505, 2)
    assert plane.points.std(axis=0)[0] > plane.points.std(axis=0)[1]


def test_many_solutions_leave_room_for_fewer_points(suggestion, monkeypatch):
    monkeypatch.setattr(grid_view, "MOST_BYTES", 42 * 100)
    plane = plane_of(suggestion, solutions_of(suggestion))
    assert len(plane.shown) == 100
    assert (np.diff(plane.shown) > 0).all()
