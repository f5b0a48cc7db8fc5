"""What bad input gets: one message that says what, where, what is allowed, and what came."""

from collections.abc import Callable, Mapping, Sized
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from nkmeans.survey import Weights


class Rule(NamedTuple):
    """A test for a parameter's value, and the words for what passes it."""

    holds: Callable[[Any], bool]
    allowed: str


def _is_int(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def whole_number(at_least: int) -> Rule:
    """An int that is not too small."""
    return Rule(lambda value: _is_int(value) and value >= at_least, f"an int >= {at_least}")


def number(at_least: float) -> Rule:
    """A finite number that is not too small."""
    return Rule(
        lambda value: _is_number(value) and at_least <= value < np.inf,
        f"a finite number >= {at_least:g}",
    )


def one_of(*values: Any) -> Rule:
    """One of a few values."""
    return Rule(
        lambda value: any(value is v or (isinstance(value, str) and value == v) for v in values),
        " or ".join(repr(value) for value in values),
    )


AUTO = "auto"
N_OUTLIERS = "an int in [0, n_samples - n_clusters] or a float in [0, 1)"
# Weights beyond these sums overflow or vanish in the products they enter.
WEIGHT_RANGE = (1e-100, 1e100)


def _could_be_outliers(value: Any) -> bool:
    return value >= 0 if _is_int(value) else _is_number(value) and 0 <= value < 1


def is_auto(value: Any) -> bool:
    """Whether this is to be chosen from the data."""
    return isinstance(value, str) and value == AUTO


def or_auto(rule: Rule) -> Rule:
    """The same, or the word "auto"."""
    allowed = rule.allowed.replace(" or", ",") + ' or "auto"'
    return Rule(lambda value: is_auto(value) or rule.holds(value), allowed)


PARAMETERS: Mapping[str, Rule] = {
    "n_clusters": whole_number(1),
    "n_clusters or auto": or_auto(whole_number(1)),
    "max_clusters": whole_number(2),
    "n_outliers": or_auto(Rule(_could_be_outliers, N_OUTLIERS)),
    "clusterer": Rule(
        lambda value: (
            value is None
            or (
                hasattr(value, "fit")
                and hasattr(value, "get_params")
                and not isinstance(value, type)
            )
        ),
        "None or a scikit-learn style clusterer (an instance)",
    ),
    "coreset": one_of("auto", "practical", "theory", None),
    "constants": one_of("practical", "theory"),
    "representatives": one_of("mean", "seed"),
    "refine": Rule(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    "eps": number(0),
    "centers_at": one_of("anywhere", "rows"),
    "metric": Rule(
        lambda value: isinstance(value, str) or callable(value),
        'the name of a metric, a function of two rows, or "precomputed"',
    ),
    "mode": one_of("conservative", "aggressive"),
    "beta": Rule(lambda value: _is_number(value) and 0 < value < np.inf, "a finite number > 0"),
    "alpha": Rule(lambda value: _is_number(value) and 0 <= value <= 1, "a number in [0, 1]"),
    "oversampling": number(1),
    "contamination": Rule(
        lambda value: _is_number(value) and 0 < value <= 0.5, "a float in (0, 0.5]"
    ),
    "kind": one_of("distance", "relative", "survival")._replace(
        allowed="'distance', 'relative' or 'survival'"
    ),
    "n_init": whole_number(1),
    "max_iter": whole_number(1),
    "tol": number(0),
    "n_jobs": Rule(
        lambda value: value is None or (_is_int(value) and value != 0), "None or a nonzero int"
    ),
    "verbose": Rule(
        lambda value: isinstance(value, bool) or (_is_int(value) and value >= 0), "an int >= 0"
    ),
}


def check_parameters(estimator: Any) -> None:
    """Check every parameter that has a rule; scikit-learn checks `random_state` itself."""
    parameters = estimator.get_params(deep=False)
    for name, value in parameters.items():
        rule = (
            "n_clusters or auto" if name == "n_clusters" and "max_clusters" in parameters else name
        )
        if rule in PARAMETERS:
            check_parameter(name, value, type(estimator).__name__, rule)


def check_parameter(name: str, value: Any, who: str, rule: str | None = None) -> None:
    """Check one parameter by the rule of its name, or by another."""
    holds, allowed = PARAMETERS[rule or name]
    if not holds(value):
        raise ValueError(f"{name} of {who} must be {allowed}; got {value!r}.")


def check_weights(sample_weight: Any, data: Sized, who: str) -> np.ndarray | None:
    """A float64 array with a weight for each row of the data, or None for unit weights."""
    if sample_weight is None:
        return None
    n_samples = len(data)
    given = np.asarray(sample_weight)
    if given.dtype.kind == "c":
        raise ValueError(f"sample_weight of {who} must hold real numbers; got {given.dtype}.")
    try:
        weight = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight of {who} must hold numbers: {error}.") from error
    if weight.ndim == 0:
        weight = np.full(n_samples, float(weight))
    if weight.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar: sample_weight of {who} has "
            f"{weight.ndim} dimensions."
        )
    if len(weight) != n_samples:
        raise ValueError(
            f"sample_weight of {who} must have a weight for each of the {n_samples} rows; "
            f"got {len(weight)}."
        )
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        raise ValueError(
            f"sample_weight of {who} must be finite and not negative; "
            f"got {weight[bad[0]]} at row {bad[0]}."
        )
    if not weight.any():
        raise ValueError(f"sample_weight of {who} must not be zero everywhere.")
    least, most = WEIGHT_RANGE
    if not least <= weight.max() <= most:
        raise ValueError(
            f"sample_weight of {who} must have its largest weight in [{least:g}, {most:g}]; "
            f"got {weight.max():g}."
        )
    return weight


def count_outliers(n_outliers: Any, n_clusters: int, weights: Weights, who: str) -> float:
    """The mass to leave out: a count, or a share of the total weight.

    A share is rounded down where all weights are whole numbers, as it is of a number of rows.
    `n_clusters` is how many rows must be left; 0 for a cost of centres that are given.
    """
    total, count = weights.total_weight, n_outliers
    if weights.n_weighted < n_clusters:
        raise ValueError(
            f"n_clusters of {who} must be an int in [1, n_samples]; "
            f"got {n_clusters} with n_samples={weights.n_weighted}."
        )
    if not _could_be_outliers(n_outliers):
        raise ValueError(f"n_outliers of {who} must be {N_OUTLIERS}; got {n_outliers!r}.")
    if not _is_int(n_outliers):
        count = n_outliers * total
        # 0.29 of 100 is 29, although the product of floats is just below.
        count = np.floor(count * (1 + 1e-12)) if weights.whole_weights else count
    largest = total - n_clusters if weights.whole_weights else np.nextafter(total, 0)
    if count > largest:
        allowed = N_OUTLIERS if n_clusters else N_OUTLIERS.replace(" - n_clusters", "")
        size = f"n_samples={total:g}" if total == weights.n_weighted else f"total weight {total:g}"
        size += f" and n_clusters={n_clusters}" if n_clusters else ""
        raise ValueError(f"n_outliers of {who} must be {allowed}; got {n_outliers!r} with {size}.")
    return float(count)
