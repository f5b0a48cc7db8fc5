"""A fitted clustering in a few lines of HTML, for notebooks."""

from typing import Any

import numpy as np

MOST_CLUSTERS = 20


def summary_html(model: Any) -> str:
    """Clusters with their sizes, outliers and cost; nothing where no labels are in memory."""
    if not isinstance(getattr(model, "labels_", None), np.ndarray):
        return ""
    k, n = len(model.cluster_centers_), len(model.labels_)
    sizes = np.bincount(model.labels_[model.labels_ >= 0], minlength=k)
    left_out = n - int(sizes.sum())
    shown = np.sort(np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS])
    cells = "".join(
        f"<tr><td>{label}</td><td>{sizes[label]:,}</td><td>{sizes[label] / n:.1%}</td>"
        f'<td><div style="background:#4477aa;height:.7em;'
        f'width:{100 * sizes[label] / max(sizes.max(), 1):.0f}px"></div></td></tr>'
        for label in shown
    )
    more = f"<p>The {len(shown)} largest clusters.</p>" if len(shown) < k else ""
    return (
        f"<p><b>{type(model).__name__}</b>: {k} clusters of {n:,} rows, {left_out:,} outliers "
        f"({left_out / n:.2%}), cost {model.inertia_:.6g}</p>"
        "<table><thead><tr><th>cluster</th><th>rows</th><th>share</th><th></th></tr></thead>"
        f"<tbody>{cells}</tbody></table>{more}"
    )
