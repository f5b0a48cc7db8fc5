"""One NKMeans fit each on the paper's 16 data sets with ten seeds: cost over the planted one.

    python benchmarks/quality.py [--quick] [--out FILE]

Data and algorithm seeds both vary; no best-of. Precision is the share of the rows left out
that are among the z farthest from the planted centres.
"""

from nkmeans import NKMeans
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import outlier_precision, trimmed_cost
from record import CELLS, Recorder, arguments


def main() -> None:
    options = arguments(__doc__, "quality")
    n, seeds = (100_000, 2) if options.quick else (1_000_000, 10)
    record = Recorder(options.out)
    print("| noise | d | k | z | worst cost | least precision |")
    print("|" + "---|" * 6)
    worst = 0.0
    for noise_range, d, k, full_z in CELLS:
        z = full_z * n // 1_000_000
        ratios, precisions = [], []
        for seed in range(seeds):
            X, planted, truth = make_noisy_blobs(
                n, k, d, z, noise_range=noise_range, random_state=seed
            )
            model = NKMeans(k, z, random_state=1000 + seed).fit(X)
            ratios.append(model.inertia_ / trimmed_cost(X, planted, z))
            precisions.append(outlier_precision(truth, model.labels_ < 0))
            record.add(
                part="quality", n=n, noise_range=noise_range, d=d, k=k, z=z, seed=seed,
                cost=ratios[-1], precision=precisions[-1],
            )  # fmt: skip
        worst = max(worst, *ratios)
        print(
            f"| {noise_range} | {d} | {k} | {z} | {max(ratios):.6f} | {min(precisions):.5f} |",
            flush=True,
        )
    print(f"\nworst of {len(record.rows)} fits: {worst:.6f}\nrows: {options.out}")


if __name__ == "__main__":
    main()
