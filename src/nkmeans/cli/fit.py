"""`nkmeans fit`: files in, labels, centres, model and report out."""

import os
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nkmeans.cli.reading import DataRequest, must_walk, open_walk, prepare, read
from nkmeans.cli.screen import Screen
from nkmeans.data.columns import DataFile
from nkmeans.data.files import local_files
from nkmeans.data.writing import check_replaceable, new_folder

if TYPE_CHECKING:
    from nkmeans.cli.results import Result
    from nkmeans.estimators.nk_means import NKMeans

# A number that is to be chosen from the data.
AUTO = "auto"
LABELS = {"parquet": "labels.parquet", "csv": "labels.csv"}
OUTPUTS = (*LABELS.values(), "centers.csv", "model.nkm", "report.html")


@dataclass(frozen=True, kw_only=True)
class FitRequest(DataRequest):
    """What `nkmeans fit` was asked for; the fields are its options."""

    n_clusters: int | str
    n_outliers: float | str = 0.01
    out: Path | None = None
    labels: str = "parquet"
    report: bool = True
    force: bool = False
    seed: int = 0
    n_init: int = 1
    n_jobs: int | None = None
    command: str = ""


def fit_files(request: FitRequest, screen: Screen) -> "Result":
    """Read, prepare, cluster, and write everything into the folder `out`, if one is given."""
    started = time.perf_counter()
    if request.out is not None:
        check_replaceable(Path(os.path.realpath(request.out)), request.force, OUTPUTS)
    if request.report and request.out is not None:
        check_installed("The report", ("plotly", "jinja2"), "--no-report")
    with local_files(request.files) as found:
        check_apart(request, found)
        walk = open_walk(request, found, screen)
        if must_walk(request, walk, screen):
            from nkmeans.cli.walking import fit_walking

            result: Result = fit_walking(request, walk, screen)
        else:
            result = fit_in_memory(request, walk.files, screen)
        if request.n_outliers not in (0, AUTO) and len(result.model.outlier_indices_) == 0:
            screen.warn(f"-z is less than one of {result.n_rows} rows: nothing is left out")
        result.warnings = screen.warnings
        result.seconds = time.perf_counter() - started
        if request.out is not None:
            with screen.working("writing"):
                write(request, result, [name for _, name in found])
            result.seconds = time.perf_counter() - started
    return result


def fit_in_memory(request: FitRequest, files: Sequence[DataFile], screen: Screen) -> "Result":
    """Read everything, prepare it in place, and cluster it."""
    table = read(request, files, screen)
    from nkmeans.cli.results import ResultInMemory
    from nkmeans.estimators.base import squared_distances

    X, gaps, preparation = prepare(request, table, screen)
    with screen.working("clustering"):
        model = fitted(request, X, screen)
        dist2 = squared_distances(model, X)
    model.preparation_ = preparation
    return ResultInMemory(model, X, dist2, table.ids, None if gaps is None else gaps.rows)


def fitted(request: FitRequest, X: Any, screen: Screen) -> "NKMeans":
    """The estimator that was asked for, fitted; its warnings are told here."""
    from nkmeans.estimators.nk_means import NKMeans

    model = NKMeans(
        request.n_clusters,
        request.n_outliers,
        n_init=request.n_init,
        n_jobs=request.n_jobs,
        random_state=request.seed,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        model.fit(X)
    for warning in caught:
        words = str(warning.message)
        for name, flag in (("n_clusters of NKMeans", "-k"), ("n_outliers of NKMeans", "-z")):
            words = words.replace(name, flag)
        screen.warn(words.replace("nkmeans.suggest", "nkmeans suggest"))
    return model


def check_apart(request: FitRequest, found: Sequence[tuple[Path, str]]) -> None:
    """The folder that may be replaced must not hold what is read."""
    if request.out is None:
        return
    out = Path(os.path.realpath(request.out))
    for path, name in found:
        if out in Path(os.path.realpath(path)).parents:
            raise FileExistsError(f"{name} is in the folder {request.out} that is to be written")


def write(request: FitRequest, result: "Result", files: Sequence[str]) -> None:
    """Everything into a new folder, which appears when it is complete."""
    from nkmeans.model_file import save_model

    assert request.out is not None
    with new_folder(request.out, request.force, OUTPUTS) as folder:
        result.write_labels(folder / LABELS[request.labels])
        result.write_centers(folder / "centers.csv")
        save_model(result.model, folder / "model.nkm")
        if request.report:
            from nkmeans.report import write_page

            write_page(result.subject(files, request.command), folder / "report.html")
        result.outputs = [request.out / name for name in sorted(os.listdir(folder))]


def check_installed(what: str, names: Sequence[str], without: str) -> None:
    """What a page needs must be there before the work begins."""
    import importlib.util

    for name in names:
        if importlib.util.find_spec(name) is None:
            raise ImportError(
                f"{what} needs {name}: pip install 'nkmeans[report]', or give {without}."
            )


def parse_clusters(words: str) -> int | str:
    """`-k`: a number, or "auto"."""
    text = words.strip()
    if text == AUTO or text.lstrip("+-").isdigit():
        return AUTO if text == AUTO else int(text)
    raise ValueError(f'-k must be a number (8) or "auto"; got {words!r}')


def parse_outliers(words: str) -> Any:
    """`-z`: a count ("500"), a share ("0.01"), a percentage ("1%") or "auto"."""
    text = words.strip()
    if text == AUTO:
        return AUTO
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise ValueError(
            f'-z must be a count (500), a share (0.01), a percentage (1%) or "auto"; got {words!r}'
        ) from None
