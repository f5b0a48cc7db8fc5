"""Plain k-means and NK-means side by side on a dirty file: `python -m nkmeans.demo`."""

import argparse
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nkmeans.comparison import run_methods
from nkmeans.datasets import load_gps
from nkmeans.metrics import outlier_precision

if TYPE_CHECKING:
    from nkmeans.cli.results import Result

N_STATIONS = 8
INK, MUTED, CENTRE = "#1d1d1f", "#8a8a8e", "#d1242f"


def compare_on(X: np.ndarray, dirty: np.ndarray) -> list[dict[str, Any]]:
    """A row per method: centres, who was left out, trimmed cost, precision, seconds."""
    rows = []
    names = {"KMeans": "KMeans (scikit-learn)", "NKMeans": "NKMeans"}
    found = run_methods(X, list(names), N_STATIONS, int(dirty.sum()), random_state=0)
    for name, result in found.items():
        left_out = result.labels < 0
        rows.append(
            {
                "name": names[name],
                "centers": result.model.cluster_centers_,
                "found": left_out,
                "cost": result.cost,
                "precision": outlier_precision(dirty, left_out),
                "seconds": result.seconds,
            }
        )
    return rows


def draw(X: np.ndarray, rows: list[dict[str, Any]], path: Path) -> None:
    """A panel per method: the city, who was left out, and where the centres went."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    low, high = np.percentile(X, 3, axis=0), np.percentile(X, 97, axis=0)
    low, high = low - 0.35 * (high - low), high + 0.35 * (high - low)
    figure, axes = plt.subplots(1, len(rows), figsize=(10, 4.6), sharex=True, sharey=True)
    for axis, row in zip(axes, rows, strict=True):
        kept, centers = ~row["found"], row["centers"]
        inside = ((centers > low) & (centers < high)).all(axis=1)
        axis.scatter(*X[kept][:, ::-1].T, s=3, color="#4f81bd", alpha=0.35, linewidths=0)
        axis.scatter(*X[~kept][:, ::-1].T, s=18, marker="x", color=MUTED, linewidths=0.9)
        axis.scatter(
            *centers[inside][:, ::-1].T, s=170, marker="+", color=CENTRE, linewidths=2.4, zorder=3
        )
        axis.set_title(row["name"], color=INK, loc="left", fontweight="bold", fontsize=12)
        away = len(centers) - int(inside.sum())
        where = f"{away} of {len(centers)} centres spent on dirt far outside" if away else (
            f"all {len(centers)} centres on stations"
        )  # fmt: skip
        axis.text(0.02, 0.03, where, transform=axis.transAxes, color=INK, fontsize=10,
                  bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85})  # fmt: skip
        axis.set(xlim=(low[1], high[1]), ylim=(low[0], high[0]), xlabel="longitude")
        for side in ("top", "right"):
            axis.spines[side].set_visible(False)
    axes[0].set_ylabel("latitude")
    figure.legend(
        handles=[
            axes[0].scatter([], [], s=20, color="#4f81bd", label="kept"),
            axes[0].scatter([], [], s=24, marker="x", color=MUTED, label="left out"),
            axes[0].scatter([], [], s=90, marker="+", color=CENTRE, linewidths=2.4, label="centre"),
        ],
        loc="upper right", ncols=3, frameon=False, fontsize=10,
    )  # fmt: skip
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(prog="python -m nkmeans.demo", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("demo-output"), help="folder for picture and report"
    )
    run(parser.parse_args(arguments).out)


def run(out: Path) -> None:
    """Compare, draw, and do with the file what `nkmeans fit` does."""
    X, dirty = load_gps()
    print(f"{len(X)} GPS fixes at {N_STATIONS} stations, {dirty.sum()} of them dirt\n")
    rows = compare_on(X, dirty)
    print(f"{'method':<22} {'trimmed cost':>12} {'precision':>9} {'seconds':>8}")
    for row in rows:
        numbers = f"{row['cost']:>12.5g} {row['precision']:>9.3f} {row['seconds']:>8.4f}"
        print(f"{row['name']:<22} {numbers}")
    print(f"\nKMeans costs {rows[0]['cost'] / rows[1]['cost']:.1f} times as much.")
    try:
        import jinja2  # noqa: F401
        import matplotlib  # noqa: F401
        import plotly  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        print(f"No picture and no report: {error.name} is missing (pip install 'nkmeans[all]').")
        return
    out.mkdir(parents=True, exist_ok=True)
    draw(X, rows, out / "demo.png")
    print(f"Picture: {out / 'demo.png'}")
    result = fit_gps(out / "fit", int(dirty.sum()))
    print("\n" + result.summary())


def fit_gps(out: Path, n_outliers: int) -> "Result":
    """`nkmeans fit gps.csv -k 8 -z 150 --drop dirty -o OUT --force`."""
    from nkmeans.cli.fit import FitRequest, fit_files
    from nkmeans.cli.screen import Screen
    from nkmeans.data.table import Choice

    with as_file(files("nkmeans.datasets") / "files" / "gps.csv") as path:
        request = FitRequest(
            files=[str(path)],
            n_clusters=N_STATIONS,
            n_outliers=n_outliers,
            out=out,
            choice=Choice(drop=("dirty",)),
            force=True,
        )
        return fit_files(request, Screen())


if __name__ == "__main__":
    main()
