"""The report: sections in the order in which one reads them, in one file that needs no other."""

import platform
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

import nkmeans
from nkmeans.report import figures
from nkmeans.report.subject import Subject, largest_distance2, shortened
from nkmeans.views import (
    center_offsets,
    farthest_outliers,
    plane_view,
    score_histogram,
)

MOST_OUTLIERS = 50
MOST_ROWS = 200


@dataclass
class Section:
    """A heading, words, and perhaps a figure or a table.

    Attributes
    ----------
    words : list of str
        Paragraphs.
    figure : dict or None
        As plotly describes it.
    seen : str
        What the figure shows, for those who do not see it.
    header, rows : list
        A table; numbers are set to the right.
    """

    key: str
    title: str
    words: list[str] = field(default_factory=list)
    figure: dict[str, Any] | None = None
    seen: str = ""
    header: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)


def write_page(subject: Subject, path: Path) -> None:
    """Write the report to a file."""
    path.write_text(page(subject), encoding="utf-8")


def page(subject: Subject) -> str:
    """The report as HTML."""
    import jinja2
    from plotly.offline import get_plotlyjs

    source = resources.files("nkmeans.report").joinpath("template.html").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    model = subject.model
    html: str = environment.from_string(source).render(
        title=f"{len(model.cluster_centers_)} clusters, {subject.n_outliers:,} outliers",
        tiles=tiles(subject),
        warnings=subject.warnings,
        sections=sections(subject),
        plotly=get_plotlyjs(),
    )
    return html


def tiles(subject: Subject) -> list[tuple[str, str]]:
    """The summary: a few numbers and what they are."""
    model, n, left_out = subject.model, subject.n_rows, subject.n_outliers
    found = [
        ("rows", f"{n + subject.rows_dropped:,}"),
        ("columns", f"{subject.X.shape[1]:,}"),
        ("clusters", f"{len(model.cluster_centers_):,}"),
        ("outliers", f"{left_out:,} ({left_out / n:.2%})"),
        ("cost without outliers", f"{model.inertia_:.6g}"),
    ]
    if left_out:
        farthest = np.sqrt(largest_distance2(model))
        found.append(("outliers are farther than", f"{farthest:.4g}"))
    return found


def sections(subject: Subject) -> list[Section]:
    """All of them, in order."""
    found = [
        asked(subject),
        clusters(subject),
        how_large(subject.sizes, subject.n_rows),
        where_cut(subject),
        what_centers(subject),
        which_outliers(subject),
        noise_scores(subject),
        settings(subject),
    ]
    return [section for section in found if section is not None]


def asked(subject: Subject) -> Section:
    """What the user wanted, and what was sampled for it."""
    model, n = subject.model, subject.n_rows
    words = []
    sampled = getattr(getattr(model, "coreset_", None), "sample_indices", None)
    if sampled is not None and len(sampled) < n:
        words.append(
            f"The first centres were found on a fair sample of {len(sampled):,} of the {n:,} rows; "
            "then every row was assigned to its nearest centre, and the farthest were left out."
        )
    else:
        words.append("Nothing was sampled: all rows took part from the start.")
    if subject.rows_dropped:
        words.append(f"{subject.rows_dropped:,} rows with missing values were not clustered.")
    if subject.totals is not None:
        kept, left_out = n - subject.n_outliers, int((subject.labels < 0).sum())
        words.append(
            "The rows were read block by block. Counts, sizes, spreads, distances and the cost are "
            "those of all rows; the pictures and what is said of columns come from a sample: "
            f"{len(subject.labels) - left_out:,} of the {kept:,} rows that are kept, and "
            f"{left_out:,} of the {subject.n_outliers:,} outliers."
        )
    rows = [[name, shortened(value, 600)] for name, value in subject.asked]
    rows.append(["columns", shortened(", ".join(subject.columns), 600)])
    rows.append(["n_clusters", f"{model.n_clusters}"])
    rows.append(["n_outliers", f"{model.n_outliers}"])
    return Section("asked", "What was asked", words, header=["", ""], rows=rows)


def clusters(subject: Subject) -> Section:
    """The picture."""
    view = plane_view(
        subject.X, subject.labels, subject.dist2, subject.model.cluster_centers_, subject.columns,
        subject.restore,
    )  # fmt: skip
    n_kept = subject.n_rows - subject.n_outliers
    view = replace(view, n_kept=n_kept, n_outliers=subject.n_outliers)
    kept = int((view.labels >= 0).sum())
    shown_out = len(view.labels) - kept
    crowded = shown_out > figures.MOST_MARKERS
    words = [view.how]
    words.append(
        f"All {view.n_kept:,} rows that are kept are shown."
        if kept == view.n_kept
        else f"Shown is a fair sample of {kept:,} of the {view.n_kept:,} rows that are kept."
    )
    if shown_out:
        words[-1] += (
            f" All {shown_out:,} outliers are shown."
            if shown_out == view.n_outliers
            else f" Of the {view.n_outliers:,} outliers {shown_out:,} are shown: the farthest, and "
            "a fair sample of the others."
        )
    if view.beyond.any():
        words[-1] += (
            f" {int(view.beyond.sum()):,} of them lie beyond the frame and stand at its edge."
        )
    words.append(
        "Point at a row"
        + (f" (of outliers, the {figures.MOST_MARKERS:,} farthest)" if crowded else "")
        + " to see its id; click a name in the legend to hide it."
    )
    n_clusters = len(view.centers)
    seen = f"Scatter plot of {n_clusters} clusters and {view.n_outliers:,} outliers."
    return Section("clusters", "The clusters", words, figures.plane(view, subject), seen)


def how_large(sizes: Any, n: int) -> Section:
    """Sizes and spreads, as bars and as a table."""
    shown = np.sort(np.argsort(-sizes.rows, kind="stable")[:MOST_ROWS])
    words = [
        "The spread is the root mean square distance of a cluster's rows to its centre; all in the "
        "units that were clustered."
    ]
    if len(shown) < len(sizes.rows):
        words.append(f"The {len(shown)} largest of {len(sizes.rows)} clusters.")
    rows = [
        [
            f"cluster {label}",
            f"{sizes.rows[label]:,}",
            f"{sizes.rows[label] / n:.2%}",
            f"{sizes.spread[label]:.4g}",
            f"{sizes.largest[label]:.4g}",
        ]
        for label in shown
    ]
    header = ["", "rows", "share", "spread", "farthest row"]
    seen = "Bars of the rows and the spread of each cluster; the numbers are in the table below."
    return Section(
        "sizes", "Sizes and spreads", words, figures.sizes_figure(sizes), seen, header, rows
    )


def where_cut(subject: Subject) -> Section:
    """The sorted distances."""
    curve = subject.curve
    words = [
        "Distances of all rows to their nearest centres, the farthest first. A cut in a steep part "
        "separates noise from clusters; a cut in a flat part says that there is more noise, or "
        "less, than was left out."
    ]
    seen = f"Falling curve; the farthest row is at distance {curve.distance[0]:.4g}, "
    seen += f"the farthest row that is kept at {curve.at_cut:.4g}."
    if curve.cut:
        words.append(
            f"The {curve.cut:,} rows left out are farther than {curve.at_cut:.4g}; the "
            f"{curve.inside:,}. farthest row is at {curve.at_inside:.4g}."
        )
    if curve.step:
        words.append(
            f"Distances were counted in steps of {curve.step:.1%}; the farthest one and the one at "
            "the cut are exact."
        )
    return Section("cut", "Where the cut is", words, figures.curve_figure(curve), seen)


def what_centers(subject: Subject) -> Section:
    """The heat map."""
    centers = subject.model.cluster_centers_
    offsets = center_offsets(subject.X, subject.labels, centers)
    chosen = figures.most_telling(offsets)
    words = [
        "Each cell says how many standard deviations (of the rows that are kept) a centre lies "
        "above (red) or below (blue) the mean of a column."
    ]
    if len(chosen) < len(subject.columns):
        words.append(
            f"The {len(chosen)} of {len(subject.columns):,} columns in which the centres differ "
            "most."
        )
    label = int(np.unravel_index(np.abs(offsets.offsets).argmax(), offsets.offsets.shape)[0])
    column = int(np.abs(offsets.offsets[label]).argmax())
    seen = (
        f"Heat map of {len(centers)} clusters and {len(chosen)} columns. The largest offset is "
        f"{offsets.offsets[label, column]:.2f}: cluster {label}, column {subject.columns[column]}."
    )
    figure = figures.heat_map(offsets, subject.sizes, subject.columns)
    return Section("centers", "What sets the clusters apart", words, figure, seen)


def which_outliers(subject: Subject) -> Section | None:
    """The farthest outliers, with the columns that make them so."""
    left_out = subject.n_outliers
    if not left_out:
        return None
    centers = subject.model.cluster_centers_
    found = farthest_outliers(subject.X, subject.labels, subject.dist2, centers, MOST_OUTLIERS)
    far, usual = subject.restore(subject.X[found.rows]), subject.restore(centers)
    rows = []
    for place, row in enumerate(found.rows):
        nearest = int(found.nearest[place])
        reasons = [
            f"{shortened(subject.columns[column], 40)} = {far[place, column]:.5g} "
            f"(centre {usual[nearest, column]:.5g}; {share:.0%})"
            for column, share in zip(found.columns[place], found.shares[place], strict=True)
            if share >= 0.01
        ]
        rows.append(
            [
                shortened(subject.id_of(row), 80),
                f"cluster {nearest}",
                f"{found.distance[place]:.4g}",
                "; ".join(reasons),
            ]
        )
    words = [
        f"The {len(rows)} farthest of {left_out:,} outliers, and the columns with the largest "
        "parts in the squared distance: the value, the centre's, and the part."
    ]
    header = ["id", "nearest", "distance", "because of"]
    return Section("outliers", "The farthest outliers", words, header=header, rows=rows)


def noise_scores(subject: Subject) -> Section | None:
    """The distribution of survival radii."""
    radius = getattr(subject.model, "survival_radius_", None)
    coreset = getattr(subject.model, "coreset_", None)
    if radius is None or coreset is None or not subject.n_outliers:
        return None
    centers = subject.model.cluster_centers_
    dist2 = np.min([((coreset.points - center) ** 2).sum(axis=1) for center in centers], axis=0)
    beyond = dist2 > largest_distance2(subject.model)
    scores = score_histogram(radius, coreset.weights, beyond)
    if scores is None:
        return None
    words = [
        "The survival radius is the noise score of the paper: how far one must look from a point "
        "to reach a place with twice as many rows as are left out. Noise has large ones. Shown are "
        f"the {len(radius):,} points of the coreset, by the number of rows they stand for.",
    ]
    seen = (
        f"Histogram of survival radii; half of the points have less than {np.median(radius):.4g}."
    )
    return Section("scores", "Noise scores", words, figures.score_figure(scores), seen)


def settings(subject: Subject) -> Section:
    """Parameters and versions."""
    import numba
    import sklearn

    model = subject.model
    rows = [[name, repr(value)] for name, value in sorted(model.get_params(deep=False).items())]
    rows += [["passes over the data", str(model.n_iter_)]] if hasattr(model, "n_iter_") else []
    versions = {
        "nkmeans": nkmeans.__version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "numba": numba.__version__,
    }
    rows += [[f"version of {name}", version] for name, version in versions.items()]
    title = f"Settings of {type(model).__name__}, and versions"
    return Section("settings", title, header=["", ""], rows=rows)
