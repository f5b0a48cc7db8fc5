"""Write the tables of README.md and docs/ from the rows in docs/results.

    python benchmarks/tables.py

A table stands between `<!-- table: NAME -->` and `<!-- end -->`; what is there is replaced.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from record import RESULTS, geometric_mean

ROOT = Path(__file__).parents[1]
RIVALS = ("KMeans", "MiniBatchKMeans", "sklearnex", "faiss")


def rows(name: str, part: str) -> list[dict[str, Any]]:
    lines = (RESULTS / f"{name}.jsonl").read_text().splitlines()
    return [row for row in map(json.loads, lines) if row["part"] == part]


def table(header: list[str], body: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def speed() -> str:
    found = rows("speed", "speed")
    names = ["NKMeans", *(name for name in RIVALS if name in found[0]["seconds"])]
    header = ["noise", "d", "k", "z", *(f"{name} s (cost)" for name in names)]
    body = [
        [
            str(row["noise_range"]), str(row["d"]), str(row["k"]), f"{row['z'] // 1000}K",
            *(f"{row['seconds'][m]:.3f} ({row['cost'][m]:.4g})" for m in names),
            f"{row['seconds']['NKMeans'] / row['seconds']['KMeans']:.3f}",
            f"{row['seconds']['NKMeans'] / row['seconds_a_pass']:.1f}",
        ]
        for row in found
    ]  # fmt: skip
    return table([*header, "NKMeans / KMeans", "passes"], body)


def speed_summary() -> str:
    found = rows("speed", "speed")
    ratios = [row["seconds"]["NKMeans"] / row["seconds"]["KMeans"] for row in found]
    passes = [row["seconds"]["NKMeans"] / row["seconds_a_pass"] for row in found]
    return (
        f"Over KMeans(n_init=1): geometric mean {geometric_mean(ratios):.3f}, worst "
        f"{max(ratios):.3f}. Passes: geometric mean {geometric_mean(passes):.1f}, worst "
        f"{max(passes):.1f}."
    )


def headline() -> str:
    found, fits = rows("speed", "speed"), rows("quality", "quality")
    names = ["NKMeans", *(name for name in RIVALS if name in found[0]["seconds"])]
    body = []
    for name in names:
        seconds = [row["seconds"][name] for row in found]
        costs = [row["cost"][name] for row in found]
        body.append(
            [name, f"{geometric_mean(seconds):.2f} s", f"{max(seconds):.2f} s",
             f"{min(costs):.5g} to {max(costs):.5g}"]
        )  # fmt: skip
    worst = max(row["cost"] for row in fits)
    text = table(["", "seconds (geometric mean)", "slowest", "cost / planted cost"], body)
    return (
        f"{text}\n\nThe worst of {len(fits)} more NKMeans fits, ten seeds a data set: {worst:.5f}."
    )


def quality() -> str:
    cells: dict[tuple, list] = {}
    for row in rows("quality", "quality"):
        key = (row["noise_range"], row["d"], row["k"], row["z"])
        cells.setdefault(key, []).append((row["cost"], row["precision"]))
    body = [
        [str(noise), str(d), str(k), f"{z // 1000}K", str(len(fits)),
         f"{max(c for c, _ in fits):.5f}", f"{min(p for _, p in fits):.5f}"]
        for (noise, d, k, z), fits in cells.items()
    ]  # fmt: skip
    return table(["noise", "d", "k", "z", "fits", "worst cost", "least precision"], body)


def real() -> str:
    sets: dict[str, list] = {}
    for row in rows("real", "real"):
        sets.setdefault(row["data"], []).append(row)
    body = []
    for name, found in sets.items():
        costs = [row["cost"] for row in found]
        seconds, kmeans = [row["seconds"] for row in found], found[0]["kmeans_seconds"]
        body.append(
            [name, f"{found[0]['n']} x {found[0]['d']}", f"{np.median(costs):.4f}",
             f"{max(costs):.4f}", f"{np.median(seconds):.3f}", f"{max(seconds):.3f}",
             f"{min(kmeans):.3f}", f"{max(seconds) / min(kmeans):.2f}"]
        )  # fmt: skip
    return table(
        ["data", "rows x columns", "median cost", "worst cost", "median s", "slowest s",
         "fastest KMeans s", "slowest / fastest KMeans"], body,
    )  # fmt: skip


def corners() -> str:
    body = [
        [row["name"], f"{row['seconds']:.3f}", f"{row['kmeans_seconds']:.3f}",
         f"{row['seconds'] / row['kmeans_seconds']:.2f}", f"{row['cost']:.5f}"]
        for row in rows("corners", "corner")
    ]  # fmt: skip
    return table(["case", "NKMeans s", "KMeans s", "ratio", "cost / planted"], body)


def growth() -> str:
    (grown,), (memory,) = rows("corners", "growth"), rows("corners", "memory")
    (start,) = rows("corners", "start")
    body = [
        [f"time for {10 * grown['n']} rows over {grown['n']}", f"{grown['ratio']:.1f}"],
        [f"memory in fit beyond X, {memory['n']} x {memory['d']} float64",
         f"{100 * memory['share_of_X']:.0f} % of X"],
        ["`from nkmeans import NKMeans` beyond `import sklearn.cluster`",
         f"{start['import_s']:.2f} s"],
        ["the very first fit on a machine (compiling)", f"{start['first_fit_s']:.1f} s"],
        ["the first fit of a later process, beyond a warm one",
         f"{start['new_process_s'] - start['warm_s']:.2f} s"],
    ]  # fmt: skip
    return table(["", "measured"], body)


def sigma() -> str:
    body = [
        [f"{row['sigma']:g}", f"{row['z'] // 1000}K", f"{row['cost']:.4g}", f"{row['paper']:g}"]
        for row in rows("evidence", "sigma")
    ]
    return table(["sigma", "z", "Uniform Sample, best of 3", "paper's table"], body)


def pull_back() -> str:
    body = [
        [f"{row['z'] // 1000}K", *(f"{row[name]:.4f}" for name in
         ("expected", "pulled_back", "seed", "mean", "refined")), f"{row['paper']:.4f}"]
        for row in rows("evidence", "pull back")
    ]  # fmt: skip
    return table(
        ["z", "1 + 1/(sampled rows a cluster)", "pulled back (`refine=False`)",
         "coreset of seeds alone", "coreset of means alone", "refined", "paper's table"], body,
    )  # fmt: skip


def tiles() -> str:
    body = [
        [str(row["d"]), str(row["k"]), row["dtype"], f"{1e3 * row['tiles']:.1f}",
         f"{1e3 * row['product']:.1f}", f"{row['tiles'] / row['product']:.2f}"]
        for row in rows("choices", "tiles")
    ]  # fmt: skip
    return table(["features", "centres", "dtype", "tiles ms", "product ms", "ratio"], body)


def seeds() -> str:
    body = [
        [row["name"], str(row["seeds"]), f"{1e3 * row['one']:.1f}", f"{1e3 * row['several']:.1f}",
         f"{row['costs'][1] / row['costs'][0]:.2f}"]
        for row in rows("choices", "seeds")
    ]  # fmt: skip
    header = ["points", "seeds", "one by one ms", "several a pass ms", "cost, several / one"]
    return table(header, body)


def methods_by_cell() -> str:
    """Best of three runs of every method on every cell, the paper's beside it."""
    found = rows("methods", "methods")
    names = list(dict.fromkeys(row["method"] for row in found))
    cells: dict[str, list[str]] = {}
    for row in found:
        cell = f"{row['noise_range']}, {row['d']}, {row['k']}, {row['z'] // 1000}K"
        cells.setdefault(cell, []).append(beside(row))
    body = [[cell, *costs] for cell, costs in cells.items()]
    return table(["noise, d, k, z", *names], body)


def beside(row: dict[str, Any]) -> str:
    """Our best cost, with the paper's where its column has one."""
    ours = f"{min(row['costs']):.4f}" if min(row["costs"]) < 10 else f"{min(row['costs']):.1f}"
    if row["column"] is None:
        return ours
    return f"{ours} ({row['paper']:g})" if row["paper"] is not None else f"{ours} (-)"


def methods_summary() -> str:
    """Range of costs and seconds of every method, and how it stands against the paper."""
    found = rows("methods", "methods")
    body = []
    for name in dict.fromkeys(row["method"] for row in found):
        mine = [row for row in found if row["method"] == name]
        best = [min(row["costs"]) for row in mine]
        seconds = [s for row in mine for s in row["seconds"]]
        against = "no column"
        if mine[0]["column"] is not None:
            given = [row for row in mine if row["paper"] is not None]
            won = sum(min(row["costs"]) <= row["paper"] for row in given)
            against = f"{won} of {len(given)}"
            against += f", {16 - len(given)} where it has none" if len(given) < 16 else ""
        body.append(
            [name, f"{min(best):.4f}", f"{np.median(best):.4f}", f"{max(best):.4g}",
             f"{geometric_mean(seconds):.2f} s", f"{max(seconds):.2f} s", against]
        )  # fmt: skip
    header = ["method", "least cost", "median", "highest", "seconds", "slowest fit",
              "no worse than the paper"]  # fmt: skip
    memory = max(row["gigabytes_so_far"] for row in found)
    slowest = max(sum(row["seconds"]) for row in found)
    return (
        f"{table(header, body)}\n\nThree runs of a method on a cell took at most {slowest:.1f} s; "
        f"the whole run stayed below {memory:.2f} GB of memory, data included."
    )


def gaps() -> str:
    body = [
        [f"{row['noise_range']}, {row['d']}, {row['k']}, {row['z'] // 1000}K", str(row["points"]),
         f"{1e3 * row['local_search_s']:.0f} ms", f"{row['gap']:.3f}", f"{row['gap_s']:.2f} s"]
        for row in rows("methods", "gaps")
    ]  # fmt: skip
    header = ["noise, d, k, z", "coreset points", "local search", "NKMeans: at most x optimum",
              "seconds for that bound"]  # fmt: skip
    return table(header, body)


def shell() -> str:
    found = rows("shell", "shell")
    body = [
        [f"{row['kind']}, {row['where']}", f"{row['seconds']['by hand']:.2f} s",
         f"{row['seconds']['command']:.2f} s", f"{row['ratio']:.2f}", f"{row['report_s']:.2f} s"]
        for row in found
    ]  # fmt: skip
    header = ["file", "script", "nkmeans fit", "ratio", "the report adds"]
    memory = ", ".join(
        f"{row['times_the_array']:.2f} ({row['kind']}{', with report' if row['report'] else ''})"
        for row in rows("shell", "shell memory")
    )
    (page,), (start,) = rows("shell", "report"), rows("shell", "help")
    return (
        f"{table(header, body)}\n\nPeak memory beyond the imports, over the bytes of the array: "
        f"{memory}. The report has {page['bytes'] / 1e6:.1f} MB; in a browser that has not seen "
        f"it, it is loaded after {page['load_s']:.1f} s and all figures are drawn after "
        f"{page['drawn_s']:.1f} s. `nkmeans --help` takes {start['seconds']:.2f} s."
    )


def scale() -> str:
    (file,), (dask,), (stream,) = (rows("scale", part) for part in ("files", "dask", "stream"))
    body = [
        [f"{file['rows']:,} x 10 float32 in Parquet: fit", f"{file['seconds']:.1f} s"],
        ["passes over the files", f"{file['passes']}"],
        ["time over merely reading them as often", f"{file['ratio']:.2f}"],
        ["labels of all rows", f"{file['label_s']:.1f} s"],
        ["peak memory of the process", f"{file['peak'] / 1e9:.2f} GB"],
        [f"Dask, {dask['n']:,} x 10, two workers", f"{dask['seconds']:.2f} s"],
        ["cost over that of the planted centres", f"{dask['cost']:.5f}"],
        ["dask-ml's KMeans on the same cluster (cost)",
         f"{dask['dask_ml_s']:.0f} s ({dask['dask_ml_cost']:.0f})"],
        ["NKMeans on Dask over NKMeans in memory", f"{dask['seconds'] / dask['local_s']:.1f}"],
        [f"a stream of {stream['batches']} batches of {stream['rows']:,}: cost over one fit's",
         f"{stream['cost']:.5f}"],
        ["a batch", f"{stream['seconds'] / stream['batches']:.3f} s"],
        ["rows kept", f"{stream['kept']:,}"],
    ]  # fmt: skip
    return table(["", "measured"], body)


def billion() -> str:
    body = [
        [f"{row['n']:,}", f"{row['seconds']:.1f} s", f"{row['label_s']:.1f} s",
         f"{row['walk_s']:.1f} s", f"{1e9 * row['seconds'] / row['n']:.0f} ns",
         f"{row['cost']:.6f}", f"{row['left_out']:,}", f"{row['peak'] / 1e9:.2f} GB"]
        for row in rows("billion", "billion")
    ]  # fmt: skip
    header = ["rows", "fit", "label", "making the rows once", "fit, a row", "cost / planted",
              "left out", "peak memory"]  # fmt: skip
    return table(header, body)


def scores() -> str:
    """The scores of NKMeans and its rivals."""
    return medians_of(["distance", "relative", "survival", "IsolationForest", "LOF"])


def score_choices() -> str:
    """What the relative score is, and what it might have been."""
    return medians_of(["relative", "nearest cluster", "floor of a tenth"])


def medians_of(names: list[str]) -> str:
    """Median over the seeds of each score on each data set, the best average precision bold."""
    found, body = rows("scores", "scores"), []
    for data in dict.fromkeys(row["data"] for row in found):
        mine = [row for row in found if row["data"] == data]
        medians = [
            np.median([(row["auc"], row["ap"]) for row in mine if row["score"] == name], axis=0)
            for name in names
        ]
        best = max(f"{ap:.3f}" for _, ap in medians)
        cells = [
            f"{auc:.3f} / {'**' * (f'{ap:.3f}' == best)}{ap:.3f}{'**' * (f'{ap:.3f}' == best)}"
            for auc, ap in medians
        ]
        body.append([data, f"{mine[0]['n']} x {mine[0]['d']}", str(mine[0]["z"]), *cells])
    return table(["data", "rows x columns", "outliers", *names], body)


def chosen_outliers() -> str:
    """How far the chosen numbers of outliers are off."""
    found = rows("choosing", "outliers")
    kinds = {
        "clusters apart (sigma 0.01)": [r for r in found if r["sigma"] < 0.1 and r["planted"]],
        "clusters that overlap (sigma 0.3), far noise": [r for r in found if r["sigma"] > 0.1],
        "no noise": [r for r in found if not r["planted"]],
    }
    body = []
    for name, mine in kinds.items():
        noisy = [abs(r["found"] / r["planted"] - 1) for r in mine if r["planted"]]
        worst = f"{max(noisy):.2%}" if noisy else "-"
        most = "-" if noisy else f"{max(r['found'] / r['n'] for r in mine):.3%} of the rows"
        low, high = (f(r["statistic"] for r in mine) for f in (min, max))
        body.append([name, str(len(mine)), worst, most, f"{low:.3g} to {high:.3g}"])
    return table(["data", "runs", "farthest from planted", "most left out", "statistic"], body)


def chosen_clusters() -> str:
    found = rows("choosing", "clusters")
    right = sum(row["found"] == row["k"] for row in found)
    return f"The planted number of clusters is found in {right} of {len(found)} runs."


def chosen_unequal() -> str:
    """Planted and found numbers, medians over the seeds with the worst."""
    found, body = rows("choosing", "unequal"), []
    for data in dict.fromkeys(row["data"] for row in found):
        mine = [row for row in found if row["data"] == data]
        cells = []
        for name in ("one generous fit", "competing"):
            right = sum(abs(r["found"][name] - r["planted"]) <= 0.02 * r["planted"] for r in mine)
            middle = np.median([r["found"][name] for r in mine])
            cells.append(f"{middle:g} ({right} of {len(mine)})")
        body.append([data, str(mine[0]["planted"]), *cells])
    return table(["clusters", "planted", "one generous fit", "four that compete"], body)


def chosen_real() -> str:
    body = [
        [
            r["data"], f"{r['n']} x {r['d']}", str(r["planted"]),
            f"{r['found']:g}" + ("" if r["clear"] else " (no break)"),
            f"{r['true'] / max(r['found'], 1):.1%}", f"{r['statistic']:.3g}",
        ]
        for r in rows("choosing", "real")
    ]  # fmt: skip
    header = ["data", "rows x columns", "planted", "left out", "of them planted", "statistic"]
    return table(header, body)


def choosing_times() -> str:
    """Ratios to a fit that is told."""
    body = []
    for r in rows("choosing", "times"):
        fit = r["seconds"]["fit"]
        ratios = [f"{r['seconds'][n] / fit:.2f}" for n in ("auto", "suggest", "with_outliers")]
        cell = [str(r["noise_range"]), str(r["d"]), str(r["k"]), f"{r['z'] // 1000}K"]
        body.append([*cell, f"{fit:.3f}", *ratios, f"{r['cost_of_cut']:.5f}"])
    header = ["noise", "d", "k", "z", "fit, s", '"auto"', "suggest", "with_outliers(2 z)",
              "its cost / a fit's"]  # fmt: skip
    return table(header, body)


def machine() -> str:
    row = rows("speed", "speed")[0]
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    return f"Machine: {row['machine']}, Python {row['python']}; {versions}; commit {row['commit']}."


TABLES = {
    "speed": speed, "speed summary": speed_summary, "headline": headline, "quality": quality,
    "real": real, "corners": corners, "growth": growth, "sigma": sigma, "pull back": pull_back,
    "machine": machine, "tiles": tiles, "seeds": seeds, "methods": methods_summary,
    "methods by cell": methods_by_cell, "gaps": gaps, "shell": shell, "scale": scale,
    "billion": billion, "scores": scores, "score choices": score_choices,
    "chosen outliers": chosen_outliers, "chosen clusters": chosen_clusters,
    "chosen unequal": chosen_unequal, "chosen real": chosen_real,
    "choosing times": choosing_times,
}  # fmt: skip


def main() -> None:
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text()

        def fill(match: re.Match) -> str:
            return f"<!-- table: {match[1]} -->\n{TABLES[match[1]]()}\n<!-- end -->"

        path.write_text(re.sub(r"<!-- table: ([\w ]+) -->.*?<!-- end -->", fill, text, flags=re.S))


if __name__ == "__main__":
    main()
