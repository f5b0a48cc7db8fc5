"""A page with a slider for clusters and one for outliers: every solution of a suggestion."""

import base64
from importlib import resources
from typing import Any

import numpy as np

from nkmeans.preparation import Preparation
from nkmeans.report.figures import COLORS
from nkmeans.report.grid_view import GridPlane, Solutions, plane_of, solutions_of
from nkmeans.report.subject import shortened

# The same ten hues on a dark ground.
DARK_COLORS = (
    "#6fa8dc", "#ff8f9c", "#5cbf6b", "#ddcc55", "#8fe0ff",
    "#d977b4", "#f5a54a", "#5fd0bd", "#c9628f", "#b0b0b0",
)  # fmt: skip
AXIS_LENGTH = 60
# Places in the frame are whole numbers up to this; what is beyond it stands at 0 or here.
EDGE = 65535


def explorer_page(
    suggestion: Any,
    *,
    preparation: Preparation | None = None,
    command: str = "nkmeans fit data.csv",
) -> str:
    """The page as HTML.

    Parameters
    ----------
    suggestion : Suggestion
    preparation : Preparation, default=None
        How what was clustered was made from raw columns; one or two columns are shown in their
        own units.
    command : str, default="nkmeans fit data.csv"
        What to type before `-k` and `-z` to fit the same data.
    """
    import jinja2

    solutions = solutions_of(suggestion)
    plane = plane_of(suggestion, solutions, preparation)
    lines = fit_lines(suggestion, command)
    k, z = str(suggestion.n_clusters), typed(suggestion, suggestion.n_outliers)
    share = suggestion.n_outliers / suggestion.total_weight
    clusters = counted(suggestion.n_clusters, "cluster")
    outliers = counted(suggestion.n_outliers, "outlier")
    source = resources.files("nkmeans.report").joinpath("explorer.html").read_text("utf-8")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    html: str = environment.from_string(source).render(
        title=f"{clusters}, {outliers}",
        share=f"{share:.2%}",
        clear=suggestion.clear,
        reason=suggestion.reason,
        words=picture_in_words(suggestion, plane),
        scaled=scaled_in_words(preparation),
        suggested=[before + k + between + z + after for before, between, after in lines],
        counts=suggestion.cluster_counts.tolist(),
        masses=[mass_in_words(suggestion, mass) for mass in suggestion.outlier_weights],
        start=solutions.start,
        rows=table_rows(suggestion, solutions),
        data=page_data(suggestion, solutions, plane, lines),
    )
    return html


def fit_lines(suggestion: Any, command: str) -> list[list[str]]:
    """What to type to fit: the text before k, between k and z, and after z.

    The shell knows no weights of rows, so with weights there is only the line of Python.
    """
    weighted = suggestion.total_weight != suggestion.n_rows or np.ptp(suggestion.weight) > 0
    data = "X, sample_weight=weight" if weighted else "X"
    python = ["NKMeans(n_clusters=", ", n_outliers=", f", random_state=0).fit({data})"]
    return [python] if weighted else [python, [f"{command} -k ", " -z ", ""]]


def typed(suggestion: Any, mass: float) -> str:
    """The number of outliers as one types it: a count, or a share of the weight."""
    whole = float(mass).is_integer()
    return f"{mass:.0f}" if whole else f"{mass / suggestion.total_weight:.6g}"


def page_data(
    suggestion: Any, solutions: Solutions, plane: GridPlane, lines: list[list[str]]
) -> dict[str, Any]:
    """What the page's script draws; solutions stand row by row, clusters first."""
    grid, counts, masses = suggestion.grid, suggestion.cluster_counts, suggestion.outlier_weights
    gain = suggestion.table["gain"].reshape(grid.cost.shape)
    return {
        "counts": counts.tolist(),
        "masses": [amount(mass) for mass in masses],
        "shares": [share_in_words(mass / suggestion.total_weight) for mass in masses],
        "start": solutions.start,
        "total": suggestion.total_weight,
        "cost": grid.cost.tolist(),
        "gain": [[None if np.isnan(value) else value for value in row] for row in gain],
        "silhouette": np.round(grid.silhouette, 4).tolist(),
        "stability": np.round(grid.stability, 4).tolist(),
        "lines": lines,
        "typed": [typed(suggestion, mass) for mass in masses],
        "points": packed(in_frame(plane.points, plane), "<u2"),
        "labels": packed(solutions.colors[..., plane.shown], "u1"),
        "centers": packed(in_frame(joined(plane.centers), plane), "<u2"),
        "colorOfCenter": packed(joined(solutions.of_centers), "u1"),
        "sizes": packed(joined(solutions.sizes), "<f4"),
        "low": plane.low.tolist(),
        "high": plane.high.tolist(),
        "axes": [shortened(name, AXIS_LENGTH) for name in plane.axes],
        "colors": {"light": COLORS, "dark": DARK_COLORS},
    }


def joined(rows: list[list[np.ndarray]]) -> np.ndarray:
    """The arrays of all solutions as one."""
    return np.concatenate([found for row in rows for found in row])


def packed(values: np.ndarray, kind: str) -> str:
    """Numbers as the script reads them: base64 of their bytes."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def in_frame(points: np.ndarray, plane: GridPlane) -> np.ndarray:
    """Places in the frame as whole numbers from 0 to EDGE."""
    places = (points - plane.low) / (plane.high - plane.low)
    return np.round(np.clip(places, 0, 1) * EDGE)


def table_rows(suggestion: Any, solutions: Solutions) -> list[list[str]]:
    """All numbers, a row for each solution."""
    table = suggestion.table
    smallest = [sizes.min() for row in solutions.sizes for sizes in row]
    return [
        [
            str(table["n_clusters"][row]),
            mass_in_words(suggestion, table["n_outliers"][row]),
            f"{table['cost'][row]:.6g}",
            "" if np.isnan(table["gain"][row]) else f"{table['gain'][row]:.1%}",
            f"{table['silhouette'][row]:.3f}",
            f"{table['stability'][row]:.3f}",
            f"{smallest[row]:,.0f}",
        ]
        for row in range(len(smallest))
    ]


def picture_in_words(suggestion: Any, plane: GridPlane) -> str:
    """What is shown, and what is not."""
    n_shown, n_rows = len(plane.shown), suggestion.n_rows
    words = (
        f"All {n_rows:,} rows are shown."
        if n_shown == n_rows
        else f"Shown is a fair sample of {n_shown:,} of the {n_rows:,} rows."
    )
    if plane.n_beyond:
        words += f" {plane.n_beyond:,} of them lie beyond the frame and stand at its edge."
    return f"{plane.how} {words}"


def scaled_in_words(preparation: Preparation | None) -> str:
    """What the numbers are measured in, where columns were scaled."""
    if preparation is None or preparation.scale == "none":
        return ""
    words = f"Columns were scaled ({preparation.scale}); costs are in these units."
    if len(preparation.columns) <= 2:
        words += " The picture has the data's own."
    return words


def mass_in_words(suggestion: Any, mass: float) -> str:
    """How much is left out, and which share that is."""
    return f"{amount(mass)} ({share_in_words(mass / suggestion.total_weight)})"


def counted(mass: float, what: str) -> str:
    """So many of them."""
    return f"{amount(mass)} {what}{'' if mass == 1 else 's'}"


def amount(mass: float) -> str:
    """A number of rows, or a weight."""
    return f"{mass:,.0f}" if float(mass).is_integer() else f"{mass:,.4g}"


def share_in_words(share: float) -> str:
    """A share as a short percentage."""
    return f"{100 * share:.{2 if share < 0.1 else 3}g}%"
