"""Pictures of a fitted clustering on matplotlib, in scikit-learn's manner."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nkmeans.choose.outliers import CLEAR, OutlierBreak
from nkmeans.report.figures import COLORS, CUT, INK
from nkmeans.report.subject import shortened, subject_of
from nkmeans.views import (
    CenterOffsets,
    DistanceCurve,
    PlaneView,
    center_offsets,
    distance_curve,
    plane_view,
)

__all__ = [
    "CenterHeatmapDisplay",
    "ClusterDisplay",
    "DistanceCurveDisplay",
    "OutlierBreakDisplay",
    "draw_suggestion",
]

# Costs that differ by more than this factor are drawn on a logarithmic scale.
MANY_TIMES = 20
MARKERS = ("o", "s", "D", "P", "p", "*", "h", "v")


class ClusterDisplay:
    """Clusters and outliers in the plane.

    It is recommended to use `ClusterDisplay.from_estimator`.

    Parameters
    ----------
    view : PlaneView
        Where the rows are, and which are shown.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from nkmeans import NKMeans
    >>> from nkmeans.datasets import load_gps
    >>> from nkmeans.plot import ClusterDisplay
    >>> X, _ = load_gps()
    >>> model = NKMeans(n_clusters=8, n_outliers=150, random_state=0).fit(X)
    >>> display = ClusterDisplay.from_estimator(model, X)
    >>> display.ax_.get_xlabel()
    'x0'
    """

    def __init__(self, *, view: PlaneView) -> None:
        self.view = view

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
        **scatter: Any,
    ) -> Self:
        """Draw the rows of X as `estimator` labels them.

        Two columns are drawn as they are; more are seen along the two principal axes of the rows
        that are kept. At most 3000 of those are shown, a fair sample; outliers beyond the frame
        stand at its edge.

        Parameters
        ----------
        estimator : fitted clustering of nkmeans
        X : array-like of shape (n_samples, n_features)
            The data of fit, or other data, which is then labelled by `predict`.
        feature_names : sequence of str, default=None
            By default the columns of a frame, or x0, x1 and so on.
        ax : matplotlib Axes, default=None
            Where to draw; by default a new figure.
        **scatter : dict
            Passed on to `Axes.scatter` for the rows that are kept.

        Returns
        -------
        display : ClusterDisplay
        """
        it = subject_of(estimator, X, feature_names)
        view = plane_view(
            it.X, it.labels, it.dist2, estimator.cluster_centers_, it.columns, it.restore
        )
        return cls(view=view).plot(ax=ax, **scatter)

    def plot(self, ax: Any = None, **scatter: Any) -> Self:
        """Draw it."""
        ax = axes_or_new(ax)
        view = self.view
        style = {"s": 8, "alpha": 0.7, "linewidths": 0} | scatter
        left_out = view.labels < 0
        at_edge = left_out & view.beyond
        if left_out.any():
            label = f"outliers ({view.n_outliers:,})"
            here = view.shown_at[left_out & ~view.beyond].T
            ax.scatter(*here, s=14, marker="x", color=INK, linewidths=0.7, alpha=0.6, label=label)
        if at_edge.any():
            label = "outliers beyond, at the edge"
            there = view.shown_at[at_edge].T
            ax.scatter(*there, s=18, marker="D", facecolors="none", edgecolors=CUT, label=label)
        for cluster in range(len(view.centers)):
            here = view.shown_at[view.labels == cluster].T
            look = {
                "color": COLORS[cluster % len(COLORS)],
                "marker": MARKERS[cluster // len(COLORS) % len(MARKERS)],
            }
            ax.scatter(*here, **(look | style), label=f"cluster {cluster}")
        ax.scatter(*view.centers.T, s=90, marker="+", color=INK, linewidths=2, label="centres")
        room = 0.03 * (view.high - view.low)
        ax.set(
            xlim=(view.low[0] - room[0], view.high[0] + room[0]),
            ylim=(view.low[1] - room[1], view.high[1] + room[1]),
            xlabel=plain(view.axes[0]),
            ylabel=plain(view.axes[1]),
        )
        ax.locator_params(nbins=6)
        if len(view.centers) <= 20:
            ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=8)
        return finish(self, ax)


class DistanceCurveDisplay:
    """Distances to the nearest centre, sorted, with the cut between outliers and the rest.

    It is recommended to use `DistanceCurveDisplay.from_estimator`.

    Parameters
    ----------
    curve : DistanceCurve

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    def __init__(self, *, curve: DistanceCurve) -> None:
        self.curve = curve

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, *, ax: Any = None, **line: Any) -> Self:
        """Draw the distances of the rows of X.

        Parameters
        ----------
        estimator : fitted clustering of nkmeans
        X : array-like of shape (n_samples, n_features)
            The data of fit, or other data, which is then labelled by `predict`.
        ax : matplotlib Axes, default=None
            Where to draw; by default a new figure.
        **line : dict
            Passed on to `Axes.plot`.

        Returns
        -------
        display : DistanceCurveDisplay
        """
        it = subject_of(estimator, X)
        curve = distance_curve(it.dist2, int((it.labels < 0).sum()))
        return cls(curve=curve).plot(ax=ax, **line)

    def plot(self, ax: Any = None, **line: Any) -> Self:
        """Draw it."""
        ax = axes_or_new(ax)
        seen = self.curve.distance > 0
        style = {"color": COLORS[0], "linewidth": 2} | line
        ax.plot(self.curve.rank[seen], self.curve.distance[seen], **style)
        if seen.any():
            ax.set(xscale="log", yscale="log")
        if self.curve.cut:
            label = f"{self.curve.cut:,} left out"
            ax.axvline(self.curve.cut + 0.5, color=CUT, linestyle="--", linewidth=1.2, label=label)
            ax.legend(frameon=False)
        ax.set(xlabel="rows, from the farthest", ylabel="distance to its centre")
        return finish(self, ax)


class CenterHeatmapDisplay:
    """Centres as a heat map, in units of each column's spread.

    It is recommended to use `CenterHeatmapDisplay.from_estimator`.

    Parameters
    ----------
    offsets : CenterOffsets
    feature_names : sequence of str

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    def __init__(self, *, offsets: CenterOffsets, feature_names: Sequence[str]) -> None:
        self.offsets = offsets
        self.feature_names = feature_names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
        **image: Any,
    ) -> Self:
        """Draw how far the centres are from the mean of the rows of X that are kept.

        Parameters
        ----------
        estimator : fitted clustering of nkmeans
        X : array-like of shape (n_samples, n_features)
            The data of fit, or other data, which is then labelled by `predict`.
        feature_names : sequence of str, default=None
            By default the columns of a frame, or x0, x1 and so on.
        ax : matplotlib Axes, default=None
            Where to draw; by default a new figure.
        **image : dict
            Passed on to `Axes.imshow`.

        Returns
        -------
        display : CenterHeatmapDisplay
        """
        it = subject_of(estimator, X, feature_names)
        offsets = center_offsets(it.X, it.labels, estimator.cluster_centers_)
        return cls(offsets=offsets, feature_names=it.columns).plot(ax=ax, **image)

    def plot(self, ax: Any = None, **image: Any) -> Self:
        """Draw it."""
        ax = axes_or_new(ax)
        values = self.offsets.offsets
        limit = max(float(np.abs(values).max()), 1.0)
        style = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit, "aspect": "auto"} | image
        drawn = ax.imshow(values, **style)
        ax.figure.colorbar(drawn, ax=ax, label="standard deviations from the mean")
        ax.set_yticks(range(len(values)), [f"cluster {label}" for label in range(len(values))])
        names = [plain(shortened(name, 24)) for name in self.feature_names]
        ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
        return finish(self, ax)


class OutlierBreakDisplay:
    """How clearly the distances break off at each number of outliers.

    It is recommended to use `OutlierBreakDisplay.from_estimator`.

    Parameters
    ----------
    evidence : OutlierBreak

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from nkmeans import NKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> from nkmeans.plot import OutlierBreakDisplay
    >>> X, _, _ = make_noisy_blobs(5000, 5, 4, 100, random_state=0)
    >>> model = NKMeans(n_clusters=5, n_outliers="auto", random_state=0).fit(X)
    >>> OutlierBreakDisplay.from_estimator(model).ax_.get_ylabel()
    'spacing, in units of a typical one'
    """

    def __init__(self, *, evidence: OutlierBreak) -> None:
        self.evidence = evidence

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **line: Any) -> Self:
        """Draw the evidence of a fit with `n_outliers="auto"`.

        Parameters
        ----------
        estimator : fitted clustering of nkmeans
            With `outlier_break_`.
        ax : matplotlib Axes, default=None
            Where to draw; by default a new figure.
        **line : dict
            Passed on to `Axes.vlines`.

        Returns
        -------
        display : OutlierBreakDisplay
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "outlier_break_"):
            raise ValueError('estimator must have been fitted with n_outliers="auto".')
        return cls(evidence=estimator.outlier_break_).plot(ax=ax, **line)

    def plot(self, ax: Any = None, **line: Any) -> Self:
        """Draw it."""
        ax = axes_or_new(ax)
        it = self.evidence
        seen = np.isfinite(it.spacing) & (it.spacing > 0)
        low = min(0.05, it.spacing[seen].min(initial=0.05))
        style = {"color": COLORS[0], "linewidth": 1.5} | line
        ax.vlines(it.weight[seen], low, it.spacing[seen], **style)
        ax.axhline(CLEAR, color=INK, linewidth=1, linestyle=":", label="a break from here on")
        if it.clear:
            label = f"{it.n_outliers:,g} outliers"
            ax.axvline(it.peak, color=CUT, linestyle="--", linewidth=1.2, label=label)
        ax.set(xscale="log", yscale="log", ylim=(low, None))
        ax.set(xlabel="rows left out", ylabel="spacing, in units of a typical one")
        ax.legend(frameon=False)
        return finish(self, ax)


def draw_suggestion(suggestion: Any) -> Any:
    """Cost over outliers, a curve for each number of clusters, and the stability of all pairs.

    Parameters
    ----------
    suggestion : Suggestion
        What `nkmeans.suggest` returned.

    Returns
    -------
    figure : matplotlib.figure.Figure
    """
    pyplot = import_pyplot()
    it, grid = suggestion, suggestion.grid
    figure, (curves, heat) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    shares = 100 * it.outlier_weights / it.total_weight
    shades = pyplot.get_cmap("viridis")(np.linspace(0, 0.9, len(it.cluster_counts)))
    for k, cost, shade in zip(it.cluster_counts, grid.cost, shades, strict=True):
        taken = k == it.n_clusters
        style = {"color": CUT, "linewidth": 2.5} if taken else {"color": shade, "linewidth": 1}
        curves.plot(shares, cost, **style, zorder=3 if taken else 2)
        curves.annotate(str(k), (shares[-1], cost[-1]), xytext=(4, 0), textcoords="offset points",
                        va="center", fontsize=7, color=style["color"])  # fmt: skip
    positive = grid.cost[grid.cost > 0]
    if len(positive) == grid.cost.size and positive.max() > MANY_TIMES * positive.min():
        curves.set_yscale("log")
    curves.axvline(100 * it.n_outliers / it.total_weight, color=INK, linestyle=":", linewidth=1)
    curves.set(xlabel="% left out", ylabel="trimmed cost", title="Cost, one curve per k")
    drawn = heat.imshow(grid.stability, origin="lower", aspect="auto", vmin=0, vmax=1)
    figure.colorbar(drawn, ax=heat, label="share of the weight in the same cluster again")
    heat.set_xticks(range(len(shares)), [f"{share:.3g}" for share in shares])
    heat.set_yticks(range(len(it.cluster_counts)), [str(k) for k in it.cluster_counts])
    row = int(np.searchsorted(it.cluster_counts, it.n_clusters))
    column = int(np.argmin(np.abs(it.outlier_weights - it.n_outliers)))
    heat.scatter([column], [row], marker="o", facecolors="none", edgecolors=CUT, s=90, linewidths=2)
    heat.set(xlabel="% left out", ylabel="clusters", title="Stability over resamples")
    return figure


def import_pyplot() -> Any:
    """matplotlib's pyplot, which need not be installed."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib, which is not installed: pip install 'nkmeans[report]'."
        ) from error
    return pyplot


def axes_or_new(ax: Any) -> Any:
    """The axes given, or those of a new figure."""
    pyplot = import_pyplot()
    return ax if ax is not None else pyplot.subplots(layout="constrained")[1]


def finish(display: Any, ax: Any) -> Any:
    """Keep what was drawn on, as scikit-learn's displays do."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    display.ax_, display.figure_ = ax, ax.figure
    return display


def plain(words: str) -> str:
    """Words from the data, in which matplotlib would read formulas between dollars."""
    return words.replace("$", r"\$")
