"""Slow, obvious twins of the fast functions. They import nothing from the package."""

from itertools import combinations, product

import numpy as np


def pairwise_dist2(A, B):
    return ((np.asarray(A, float)[:, None, :] - np.asarray(B, float)[None, :, :]) ** 2).sum(axis=2)


def nearest(X, centers):
    dist2 = pairwise_dist2(X, centers)
    return dist2.argmin(axis=1), dist2.min(axis=1)


def kept_weights(dist2, weight, mass):
    """Walk from the far end, higher row numbers first among equals, and take weight away."""
    kept = np.array(weight, dtype=float)
    rest = mass
    for i in sorted(range(len(kept)), key=lambda i: (dist2[i], i), reverse=True):
        taken = min(kept[i], rest)
        kept[i] -= taken
        rest -= taken
    return kept


def trimmed_cost(X, centers, mass, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    _, dist2 = nearest(X, centers)
    return (kept_weights(dist2, weight, mass) * dist2).sum()


def lloyd_round(X, weight, mass, centers):
    """One round of k-means--: assign, leave out, move."""
    labels, dist2 = nearest(X, centers)
    kept = kept_weights(dist2, weight, mass)
    moved = np.array(centers, dtype=float)
    for c in range(len(centers)):
        mine = kept * (labels == c)
        if mine.sum() > 0:
            moved[c] = (mine[:, None] * X).sum(axis=0) / mine.sum()
    return moved


def weiszfeld_round(X, weight, mass, centers):
    """Assign, leave out, one modified Weiszfeld step for each centre (Vardi and Zhang)."""
    labels, dist2 = nearest(X, centers)
    kept = kept_weights(np.sqrt(dist2), weight, mass)
    moved = np.array(centers, dtype=float)
    for c in range(len(centers)):
        pull, total, here = np.zeros(X.shape[1]), 0.0, 0.0
        for i in np.flatnonzero(labels == c):
            away = np.linalg.norm(X[i] - centers[c])
            if away == 0:
                here += kept[i]
            else:
                pull += kept[i] * (X[i] - centers[c]) / away
                total += kept[i] / away
        force = np.linalg.norm(pull)
        if total > 0 and force > here:
            moved[c] = centers[c] + (1 - here / force) * pull / total
    return moved


def cut(values, weight, mass):
    """The value v with mass{> v} <= mass < mass{>= v}, and mass{> v}."""
    for v in sorted(set(values), reverse=True):
        above = weight[values > v].sum()
        if above <= mass < weight[values >= v].sum():
            return v, above
    return min(values), weight[values > min(values)].sum()


def heavy(X, weight, z, radius2):
    """Which points have mass at least 2z within the radius."""
    within = pairwise_dist2(X, X) <= radius2
    return (within * weight[None, :]).sum(axis=1) >= 2 * z


def algorithm_1(X, weight, z, radius2):
    """The paper's noise removal to the letter: a mask of the points that are not removed."""
    is_heavy = heavy(X, weight, z, radius2)
    within = pairwise_dist2(X, X) <= radius2
    return np.array([is_heavy[within[i]].any() for i in range(len(X))])


def survival_scores(X, points, weight, z):
    """For each row the least radius at which Algorithm 1, run on the points, would keep it."""
    pairs = np.sqrt(pairwise_dist2(points, points))
    core = [
        min((r for r in row if weight[row <= r].sum() >= 2 * z), default=np.inf) for row in pairs
    ]
    to_points = np.sqrt(pairwise_dist2(X, points))
    return np.array([min(map(max, row, core)) for row in to_points])


def spreads(dist, kept, power):
    """The mean price of what each centre (column of the distances) keeps, 0 for nothing."""
    spread = np.zeros(dist.shape[1])
    for c in range(dist.shape[1]):
        mine = kept * (dist.argmin(axis=1) == c)
        if mine.sum() > 0:
            spread[c] = (mine * dist[:, c] ** power).sum() / mine.sum()
    return spread


def relative_scores(dist, spread, overall, power):
    """Price over spread, least over the centres; as lengths, spreads are at least overall / 1000."""
    if overall == 0:
        return dist.min(axis=1) ** power
    length = [max(s ** (1 / power), overall ** (1 / power) / 1000) for s in spread]
    return np.array([min(d / s for d, s in zip(row, length, strict=True)) for row in dist]) ** power


def draw_share(share, uniform):
    """The first index at which the running sum passes uniform times the total."""
    running, drawn = 0.0, -1
    for i, s in enumerate(share):
        if s > 0:
            drawn = i
            running += s
            if uniform * sum(share) < running:
                return i
    return drawn


def priced_cost(points, weight, spread, mass, power, centers):
    """Trimmed sum of (squared distance + spread) to the power over two, and the cut."""
    price = (nearest(points, centers)[1] + spread) ** (power / 2)
    kept = kept_weights(price, weight, mass)
    return (kept * price).sum(), cut(price, weight, mass)[0] if mass > 0 else np.inf


def swap_search(points, weight, spread, mass, power, centers, uniforms):
    """Try each drawn candidate in every centre's place, computing every cost from nothing."""
    centers = np.array(centers, dtype=float)
    cost, boundary = priced_cost(points, weight, spread, mass, power, centers)
    for uniform in uniforms:
        price = nearest(points, centers)[1] ** (power / 2)
        row = draw_share(weight * np.minimum(price, boundary), uniform)
        if row < 0:
            break
        trials = []
        for c in range(len(centers)):
            trial = centers.copy()
            trial[c] = points[row]
            trials.append((priced_cost(points, weight, spread, mass, power, trial), c, trial))
        best, _, trial = min(trials, key=lambda t: t[0][0])
        if best[0] < cost * (1 - 1e-9):
            (cost, boundary), centers = best, trial
    return cost, centers


def optimal_kmeans(X, k):
    """The least cost of k free centres, over all partitions, and one that attains it."""
    best, best_labels = np.inf, None
    for labels in product(range(k), repeat=len(X)):
        if labels and labels[0] != 0:
            break  # the rest are these partitions with other names
        labels = np.array(labels)
        cost = 0.0
        for c in range(k):
            mine = X[labels == c]
            if len(mine):
                cost += ((mine - mine.mean(axis=0)) ** 2).sum()
        if cost < best - 1e-12:
            best, best_labels = cost, labels
    return best, best_labels


def optimal_kmeans_with_outliers(X, k, z):
    """The least cost when any z points are left out: cost, sizes of the clusters."""
    best, sizes = np.inf, None
    for kept in combinations(range(len(X)), len(X) - z):
        cost, labels = optimal_kmeans(X[list(kept)], k)
        if cost < best - 1e-12:
            best, sizes = cost, np.bincount(labels, minlength=k)
    return best, sizes


def optimal_medoids(pairs, k, z, weight=None):
    """The least trimmed cost of k centres among the points, and one such set of them.

    `pairs[i, j]` is what point j costs at centre i.
    """
    weight = np.ones(len(pairs)) if weight is None else weight
    best, medoids = np.inf, None
    for chosen in combinations(range(len(pairs)), k):
        price = pairs[list(chosen)].min(axis=0)
        cost = (kept_weights(price, weight, z) * price).sum()
        if cost < best - 1e-12:
            best, medoids = cost, chosen
    return best, medoids


def raise_duals(costs, weight, fee, penalty):
    """Facility location with penalties, by looking at all edges to find the next event.

    Returns the duals and the facilities in the order in which they opened.
    """
    m, now, opened = len(weight), 0.0, []
    alpha, frozen = np.zeros(m), np.zeros(m, dtype=bool)
    while not frozen.all():
        events = [(penalty, 2, -1)]
        for i in range(m):
            if i in opened:
                events += [(max(costs[i, j], now), 1, j) for j in range(m) if not frozen[j]]
                continue
            # When is the fee paid, if all that are not frozen go on? Try between all their costs.
            for t in sorted({now, *costs[i][~frozen]}):
                later = [c for c in costs[i][~frozen] if c > t]
                offers = np.where(
                    frozen, np.maximum(alpha - costs[i], 0), np.maximum(t - costs[i], 0)
                )
                rate = weight[~frozen & (costs[i] <= t)].sum()
                paid_at = t + (fee - (weight * offers).sum()) / rate if rate > 0 else np.inf
                if t >= now and paid_at <= min(later, default=np.inf):
                    events.append((max(paid_at, now), 0, i))
                    break
        now, kind, which = min(events)
        if kind == 2:
            alpha[~frozen] = penalty
            break
        if kind == 1:
            alpha[which], frozen[which] = now, True
        else:
            opened.append(which)
    return alpha, opened


def swap_costs(pairs, weight, z, to_center):
    """The trimmed cost after every swap of a centre (column) for a candidate (row of pairs)."""
    costs = np.empty((len(pairs), to_center.shape[1]))
    for i in range(len(pairs)):
        for c in range(to_center.shape[1]):
            price = np.minimum(
                np.delete(to_center, c, axis=1).min(axis=1, initial=np.inf), pairs[i]
            )
            costs[i, c] = (kept_weights(price, weight, z) * price).sum()
    return costs
