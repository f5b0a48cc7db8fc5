"""The figures of a report, as plotly describes them: plain data, drawn by the browser."""

import base64
import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from nkmeans.report.subject import Subject, shortened
from nkmeans.views import CenterOffsets, ClusterSizes, DistanceCurve, PlaneView, ScoreHistogram

Figure = dict[str, Any]

# Ten colours that stay apart for colour-blind eyes; further clusters differ by symbol.
COLORS = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee",
    "#aa3377", "#e08214", "#44aa99", "#882255", "#7f7f7f",
)  # fmt: skip
SYMBOLS = ("circle", "square", "diamond", "cross", "pentagon", "star", "hexagon", "bowtie")
INK, OUTLIER, CUT = "#1d1d1f", "#1d1d1f", "#c0392b"
# Clusters with an entry of their own in the legend; the others share one.
MOST_TRACES = 30
# The farthest outliers, so many, can be pointed at; from so many on they are drawn paler.
MOST_MARKERS = 1000
PIXELS = np.array([180, 300])
CROWDED = 500
MOST_COLUMNS = 40
MOST_CLUSTERS = 100
NAME_LENGTH = 32
# Bytes that ids in the picture may take; beyond, rows are shown by their numbers.
ID_BYTES = 300_000
ID_LENGTH = 40

FONT = {"family": "system-ui, sans-serif", "color": INK, "size": 13}


def text(words: str, most: int = NAME_LENGTH) -> str:
    """Words from the data as plotly shows them literally: it reads tags otherwise."""
    return html.escape(shortened(words, most), quote=False)


def packed(values: np.ndarray) -> dict[str, str]:
    """Numbers as plotly reads them fastest, and exactly."""
    return {
        "dtype": "f8",
        "bdata": base64.b64encode(np.asarray(values, dtype="<f8").tobytes()).decode(),
    }


def layout(**more: Any) -> dict[str, Any]:
    """What all figures share."""
    axis = {"gridcolor": "#e6e6e6", "zeroline": False, "automargin": True}
    given = {name: {**axis, **more.pop(name, {})} for name in ("xaxis", "yaxis")}
    return {
        "font": FONT,
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "margin": {"l": 60, "r": 20, "t": 20, "b": 50},
        "hoverlabel": {"font": {"size": 13}},
        **given,
        **more,
    }


def plane(view: PlaneView, subject: Subject) -> Figure:
    """Clusters and outliers in the plane; the legend shows and hides each."""
    sizes = subject.sizes
    distance = np.sqrt(subject.dist2[view.rows])
    left_out = np.flatnonzero(view.labels < 0)
    left_out = left_out[np.argsort(-distance[left_out], kind="stable")]
    markers, others = left_out[:MOST_MARKERS], left_out[MOST_MARKERS:]
    ids = shown_ids(view, subject, np.concatenate([markers, np.flatnonzero(view.labels >= 0)]))

    def dots(which: np.ndarray, name: str, marker: dict[str, Any], **more: Any) -> Figure:
        return {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": packed(view.shown_at[which, 0]),
            "y": packed(view.shown_at[which, 1]),
            "text": [ids[int(i)] for i in which],
            "customdata": packed(distance[which]),
            "marker": marker,
            "hovertemplate": "%{text}<br>%{fullData.name}<br>distance to its centre "
            "%{customdata:.4g}<extra></extra>",
            **more,
        }

    traces = []
    # Outliers lie underneath, and come last in the legend.
    if len(left_out):
        inside, beyond = markers[~view.beyond[markers]], markers[view.beyond[markers]]
        together = {"legendgroup": "outliers", "legendrank": 2000}
        if len(others):
            traces.append(raster(view, others) | together)
        cross = {"color": OUTLIER, "size": 6, "symbol": "x-thin", "line": {"width": 1.2}}
        cross["opacity"] = 0.9 if len(inside) < CROWDED else 0.4
        traces.append(dots(inside, f"outliers ({view.n_outliers:,})", cross, **together))
        if len(beyond):
            edge = {"color": CUT, "size": 7, "symbol": "diamond-open", "line": {"width": 1.2}}
            traces.append(dots(beyond, "outliers beyond, at the edge", edge, legendrank=2001))
    order = np.argsort(-sizes.rows, kind="stable")
    own = np.sort(order[:MOST_TRACES])
    if len(order) > len(own):
        which = np.flatnonzero((view.labels >= 0) & ~np.isin(view.labels, own))
        grey = {"color": "#bbbbbb", "size": 5, "opacity": 0.6}
        name = f"{len(order) - len(own)} smaller clusters"
        traces.append(dots(which, name, grey, legendrank=1900))
    for label in own:
        which = np.flatnonzero(view.labels == label)
        name = f"cluster {label} ({sizes.rows[label]:,})"
        traces.append(dots(which, name, marker_of(label)))
    traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "name": "centres",
            "legendrank": 1950,
            "x": packed(view.centers[:, 0]),
            "y": packed(view.centers[:, 1]),
            "text": [f"centre of cluster {label}" for label in range(len(view.centers))],
            "marker": {
                "symbol": "cross-thin", "size": 14, "line": {"width": 2.5, "color": INK}
            },
            "hovertemplate": "%{text}<extra></extra>",
        }
    )  # fmt: skip
    room = 0.03 * (view.high - view.low)
    return {
        "data": traces,
        "layout": layout(
            xaxis={"title": {"text": text(view.axes[0], 60)},
                   "range": [float(view.low[0] - room[0]), float(view.high[0] + room[0])]},
            yaxis={"title": {"text": text(view.axes[1], 60)},
                   "range": [float(view.low[1] - room[1]), float(view.high[1] + room[1])]},
            height=560,
            hovermode="closest",
            legend={"itemsizing": "constant", "title": {"text": "click to hide"}},
        ),
    }  # fmt: skip


def raster(view: PlaneView, which: np.ndarray) -> Figure:
    """Any number of points as grey pixels, darker where there are more."""
    counts, *_ = np.histogram2d(
        view.shown_at[which, 1],
        view.shown_at[which, 0],
        bins=PIXELS,
        range=[(view.low[1], view.high[1]), (view.low[0], view.high[0])],
    )
    # From 1 for one point to 255 where there are most; 0 is clear.
    shade = np.ceil(255 * np.log1p(counts) / np.log1p(max(counts.max(), 3))).astype(np.uint8)
    step = (view.high - view.low) / PIXELS[::-1]
    data = base64.b64encode(shade.tobytes()).decode()
    return {
        "type": "heatmap",
        "z": {"dtype": "u1", "bdata": data, "shape": f"{PIXELS[0]},{PIXELS[1]}"},
        "x0": float(view.low[0] + step[0] / 2),
        "dx": float(step[0]),
        "y0": float(view.low[1] + step[1] / 2),
        "dy": float(step[1]),
        "zmin": 0,
        "zmax": 255,
        "colorscale": [
            [0, "rgba(29,29,31,0)"], [0.001, "rgba(29,29,31,0.2)"], [1, "rgba(29,29,31,0.8)"]
        ],
        "showscale": False,
        "hoverinfo": "skip",
        "name": "outliers",
    }  # fmt: skip


def marker_of(label: int) -> dict[str, Any]:
    """How the rows of a cluster look."""
    round_ = int(label) // len(COLORS)
    return {
        "color": COLORS[int(label) % len(COLORS)],
        "symbol": SYMBOLS[round_ % len(SYMBOLS)],
        "size": 5,
        "opacity": 0.7,
    }


def shown_ids(view: PlaneView, subject: Subject, places: np.ndarray) -> dict[int, str]:
    """Ids of the rows in the picture; numbers where ids would take too much room."""
    found = {}
    room = ID_BYTES
    for place in places:
        row = int(view.rows[place])
        name = text(subject.id_of(row), ID_LENGTH) if room > 0 else f"row {subject.number_of(row)}"
        room -= 4 + len(name.encode()) + 5 * sum(name.count(letter) for letter in "<>&'\"")
        found[int(place)] = name
    return found


def sizes_figure(sizes: ClusterSizes) -> Figure:
    """Rows and spread of each cluster, side by side."""
    shown = np.sort(np.argsort(-sizes.rows, kind="stable")[:MOST_CLUSTERS])
    names = [f"cluster {label}" for label in shown]
    bars = {"type": "bar", "x": names, "marker": {"color": COLORS[0]}}
    return {
        "data": [
            {**bars, "y": sizes.rows[shown].tolist(), "name": "rows",
             "hovertemplate": "%{x}: %{y:,} rows<extra></extra>"},
            {**bars, "y": sizes.spread[shown].tolist(), "name": "spread", "yaxis": "y2",
             "xaxis": "x2", "marker": {"color": COLORS[7]},
             "hovertemplate": "%{x}: spread %{y:.4g}<extra></extra>"},
        ],
        "layout": layout(
            grid={"rows": 2, "columns": 1, "pattern": "independent"},
            xaxis={"type": "category", "showticklabels": False},
            xaxis2={"type": "category", "automargin": True},
            yaxis={"title": {"text": "rows"}, "rangemode": "tozero"},
            yaxis2={"title": {"text": "spread"}, "rangemode": "tozero", "automargin": True,
                    "gridcolor": "#e6e6e6"},
            height=420,
            showlegend=False,
        ),
    }  # fmt: skip


def curve_figure(curve: DistanceCurve) -> Figure:
    """Sorted distances, and where the cut is."""
    positive = curve.distance > 0
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": curve.rank[positive].tolist(),
        "y": curve.distance[positive].tolist(),
        "line": {"color": COLORS[0], "width": 2.5},
        "name": "distance",
        "hovertemplate": "the %{x:,}. farthest row: distance %{y:.4g}<extra></extra>",
    }
    shapes: list[Any] = []
    notes: list[Any] = []
    if curve.cut and positive.any():
        where = float(np.log10(curve.cut + 0.5))
        shapes = [
            {"type": "line", "x0": curve.cut + 0.5, "x1": curve.cut + 0.5, "yref": "paper",
             "y0": 0, "y1": 1, "line": {"color": CUT, "width": 1.5, "dash": "dash"}}
        ]  # fmt: skip
        notes = [
            {"x": where, "y": 1, "yref": "paper", "xanchor": "right", "yanchor": "top",
             "text": f"{curve.cut:,} left out ", "showarrow": False, "font": {"color": CUT}}
        ]  # fmt: skip
    return {
        "data": [line],
        "layout": layout(
            xaxis={"type": "log", "title": {"text": "rows, from the farthest"}},
            yaxis={"type": "log", "title": {"text": "distance to its centre"}},
            shapes=shapes,
            annotations=notes,
            height=400,
            showlegend=False,
        ),
    }


def heat_map(offsets: CenterOffsets, sizes: ClusterSizes, columns: Sequence[str]) -> Figure:
    """Centres in units of spread: which columns tell the clusters apart."""
    rows = np.sort(np.argsort(-sizes.rows, kind="stable")[:MOST_CLUSTERS])
    chosen = most_telling(offsets)
    values = offsets.offsets[np.ix_(rows, chosen)]
    limit = float(max(np.abs(values).max(initial=0.0), 1.0))
    # Names may be equal once shortened: positions are the axis, names its ticks.
    ticks = {"tickmode": "array", "tickvals": list(range(len(chosen))),
             "ticktext": [text(columns[j]) for j in chosen]}  # fmt: skip
    return {
        "data": [
            {
                "type": "heatmap",
                "z": np.round(values, 3).tolist(),
                "y": [f"cluster {label}" for label in rows],
                "zmin": -limit,
                "zmax": limit,
                "colorscale": [[0, "#2166ac"], [0.5, "#f7f7f7"], [1, "#b2182b"]],
                "colorbar": {"title": {"text": "spreads"}, "thickness": 12},
                "hovertemplate": "%{y}, %{x}: %{z:.2f} spreads from the mean<extra></extra>",
            }
        ],
        "layout": layout(
            xaxis=ticks,
            yaxis={"autorange": "reversed", "type": "category"},
            height=int(min(140 + 26 * len(rows), 900)),
        ),
    }


def most_telling(offsets: CenterOffsets) -> np.ndarray:
    """The columns in which the centres differ most, in their own order."""
    differ = offsets.offsets.std(axis=0)
    return np.sort(np.argsort(-differ, kind="stable")[:MOST_COLUMNS])


def score_figure(scores: ScoreHistogram) -> Figure:
    """Noise scores of the coreset points, by weight."""
    middle = np.sqrt(scores.edges[1:] * scores.edges[:-1])
    widths = np.diff(scores.edges)

    def bars(values: np.ndarray, name: str, color: str) -> Figure:
        return {
            "type": "bar",
            "x": middle.tolist(),
            "y": np.round(values, 1).tolist(),
            "width": widths.tolist(),
            "name": name,
            "marker": {"color": color},
            "hovertemplate": "survival radius %{x:.4g}: %{y:,} rows<extra>%{fullData.name}</extra>",
        }

    return {
        "data": [
            bars(scores.kept, "within the threshold", COLORS[0]),
            bars(scores.far, "beyond the threshold", CUT),
        ],
        "layout": layout(
            barmode="stack",
            xaxis={"type": "log", "title": {"text": "survival radius"}},
            yaxis={"type": "log", "title": {"text": "rows"}},
            height=360,
            legend={"orientation": "h", "y": 1.12},
        ),
    }
