"""Write the demo's data set: GPS fixes at eight stations, and the dirt such files hold.

    python scripts/make_gps.py

The fixes are drawn, not recorded; the kinds of dirt are those of real position logs.
"""

from pathlib import Path

import numpy as np

TARGET = Path(__file__).parents[1] / "src/nkmeans/datasets/files/gps.csv"
CITY = np.array([52.51, 13.40])
N_STATIONS, FIXES_A_STATION = 8, 750


def main() -> None:
    rng = np.random.default_rng(20)
    stations = CITY + rng.uniform([-0.045, -0.075], [0.045, 0.075], (N_STATIONS, 2))
    fixes = np.repeat(stations, FIXES_A_STATION, axis=0)
    fixes += rng.normal(scale=[0.0022, 0.0036], size=fixes.shape)

    def some(count: int) -> np.ndarray:
        return fixes[rng.choice(len(fixes), count, replace=False)]

    dirt = [
        np.zeros((40, 2)),  # no fix, written as 0, 0
        some(30)[:, ::-1],  # latitude and longitude swapped
        some(12) * [1, -1],  # east written as west
        some(8) * [10, 1],  # a decimal point out of place
        CITY + rng.uniform([-0.35, -0.55], [0.35, 0.55], (60, 2)),  # drift between buildings
    ]
    rows = np.concatenate([fixes, *dirt])
    dirty = np.arange(len(rows)) >= len(fixes)
    order = rng.permutation(len(rows))
    table = np.column_stack([rows, dirty])[order]
    np.savetxt(
        TARGET,
        table,
        fmt=["%.5f", "%.5f", "%d"],
        delimiter=",",
        header="lat,lon,dirty",
        comments="",
    )
    print(f"{TARGET}: {len(rows)} rows, {dirty.sum()} dirty")


if __name__ == "__main__":
    main()
