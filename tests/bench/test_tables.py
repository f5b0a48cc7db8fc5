import numpy as np
import pytest

from nkmeans.bench import figures, tables
from nkmeans.bench.data_sets import DataSet, Prepared, all_data_sets
from nkmeans.bench.methods import methods
from nkmeans.bench.rows import Rows
from nkmeans.bench.runner import Request
from nkmeans.bench.score import score


def row(data, method, seed, suite="synthetic", source="", **scores):
    facts = {"commit": "abc", "machine": "m", "python": "3", "versions": {"numpy": "2"}}
    scores = {
        "objective": 1.0,
        "precision": 1.0,
        "seconds": 2.0,
        "n": 100,
        "d": 2,
        "k": 3,
        "z": 4,
        **scores,
    }
    return {"suite": suite, "data": data, "source": source, "rows": None, "method": method, "seed": seed, "status": "ok", **scores, **facts}  # fmt: skip


@pytest.fixture
def rows(tmp_path):
    rows = Rows(tmp_path / "rows.jsonl")
    for seed, objective in enumerate((1.5, 0.9, 1.2)):
        rows.add(
            row(
                "near-10-10-50K",
                "NK-means",
                seed,
                objective=objective,
                precision=0.5 + objective / 10,
            )
        )
        rows.add(
            row("near-10-10-50K", "primal-dual", seed, objective=100 * objective, precision=0.7)
        )
        rows.add(row("near-10-20-50K", "primal-dual", seed))
    late = {key: value for key, value in row("near-10-10-50K", "k-means--", 0).items() if key not in ("objective", "precision", "seconds")}  # fmt: skip
    rows.add({**late, "status": "timeout", "limit": 7200.0})
    rows.add({**late, "method": "local search", "status": "failed", "message": "MemoryError"})
    return rows


def test_the_best_run_counts_and_all_seconds(rows):
    cell = tables.cells_of(rows, all_data_sets(None), "synthetic", None)[
        "near-10-10-50K", "NK-means"
    ]
    assert cell.objective == 0.9
    assert cell.precision == pytest.approx(0.59)
    assert cell.seconds == 6
    late = tables.cells_of(rows, all_data_sets(None), "synthetic", None)[
        "near-10-10-50K", "k-means--"
    ]
    assert late.timed_out
    assert late.objective is late.seconds is None


def test_ours_the_papers_and_the_ratio_stand_in_one_entry(rows):
    text = tables.synthetic(rows, all_data_sets(None), None)
    assert "0.9000 (1.7474; x 0.515)" in text
    assert "90.0 (61.2273; x 1.47)" in text
    assert "6.00 (> 4 h; x 0.00042)" in text  # primal-dual on near-10-20-50K
    assert "> 2 h (> 4 h)" in text
    assert "failed" in text
    assert "not run" in text
    lines = [
        line
        for line in text.splitlines()
        if line.startswith("| near-") or line.startswith("| far-")
    ]
    assert len(lines) == 3 * 16


def test_failures_are_counted_as_the_paper_does(rows):
    text = tables.failures(rows, all_data_sets(None), None).splitlines()
    columns = [entry.strip() for entry in text[0].split("|")]
    found = ([entry.strip() for entry in line.split("|")] for line in text[2:6])
    late, imprecise, error, total = found
    assert late[columns.index("k-means--")] == total[columns.index("k-means--")] == "1/1 (1/16)"
    assert imprecise[columns.index("NK-means")] == "1/1 (0/16)"
    assert imprecise[columns.index("primal-dual")] == "1/2 (2/16)"
    assert error[columns.index("local search")] == "1/1 (-)"
    assert total[columns.index("local search")] == "1/1 (8/16)"
    assert total[columns.index("k-means++")] == "0/0 (-)"


def test_real_objectives_are_relative_to_nk_means_and_stand_ins_show_what_they_can(tmp_path):
    rows = Rows(tmp_path / "rows.jsonl")
    for name in ("Skin-5", "Shape", "Other"):
        rows.add(row(name, "NK-means", 0, "real", objective=50.0, precision=0.8))
        rows.add(row(name, "k-means--", 0, "real", objective=75.0, precision=0.7))
    sets = [
        DataSet("real", "Skin-5", None),
        DataSet("real", "Shape", None, "", "a shape", ("seconds",), ("seconds",)),
        DataSet("real", "Other", None, "", "another file", compared=()),
    ]
    text = tables.real(rows, sets, None)
    lines = [[entry.strip() for entry in line.split("|")[1:-1]] for line in text.splitlines()[2:11]]
    column = 3 + list(methods()).index("k-means--")
    assert lines[0][:3] == ["Skin-5", "100 x 2", "objective"]
    assert lines[0][column] == "1.5000 (0.974; x 1.54)"
    assert lines[1][column] == "0.7000 (0.7632; x 0.917)"
    assert lines[3][0] == "Shape *"
    assert lines[3][column] == lines[4][column] == "-"
    assert lines[5][column] == "2.00 (-)"
    assert lines[6][column] == "1.5000"
    assert "Shape: a shape." in text


def test_the_summary_counts_what_is_no_worse_than_the_papers(rows):
    lines = tables.summary(rows, all_data_sets(None), "synthetic", None).splitlines()
    found = {
        line.split("|")[1].strip(): [e.strip() for e in line.split("|")[2:-1]] for line in lines[2:]
    }
    assert found["NK-means"] == ["1 of 1", "0 of 1", "15", "6.0"]
    assert found["primal-dual"] == ["0 of 1", "0 of 1", "14", "12.0"]
    assert found["k-means--"] == ["0 of 0", "0 of 0", "16", "0.0"]


def test_the_page_says_what_was_run(rows):
    sets = all_data_sets(None)
    text = tables.page(rows, sets, Request(["synthetic"]))
    assert "commit abc" in text
    assert "numpy 2" in text
    assert "quick" not in text
    assert "**A quick run on 50 rows**" in tables.page(rows, sets, Request(["synthetic"], 50))
    assert "## Real data" not in text
    rows.add(row("Skin-5", "NK-means", 0, "real"))
    both = tables.page(rows, sets, Request(["real"]))
    assert "## Real data" in both
    assert "## Synthetic data" in both  # what is there stays on the page


def test_rows_of_a_stand_in_are_not_shown_for_the_data_itself(tmp_path):
    rows = Rows(tmp_path / "rows.jsonl")
    rows.add(row("Susy-5", "NK-means", 0, "real", "shape"))
    whole, shape = DataSet("real", "Susy-5", None), DataSet("real", "Susy-5", None, "shape")
    assert tables.cells_of(rows, [whole], "real", None) == {}
    assert list(tables.cells_of(rows, [shape], "real", None)) == [("Susy-5", "NK-means")]


def test_figures_are_drawn_for_what_there_is(rows, tmp_path):
    pytest.importorskip("matplotlib")
    drawn = figures.draw(rows, all_data_sets(None), Request(["synthetic", "real"]), tmp_path)
    assert [path.name for path in drawn] == ["synthetic-objective.png", "synthetic-seconds.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


def test_scores_are_those_of_the_metrics(rng):
    X = rng.normal(size=(50, 2))

    class Model:
        cluster_centers_ = np.zeros((1, 2))
        labels_ = np.where(np.arange(50) < 5, -1, 0)

    mask = np.arange(50) < 10
    found = score(Prepared(X, mask, 1, 5, reference=2.0), Model)
    dist2 = np.sort((X**2).sum(axis=1))
    assert found["objective"] == pytest.approx(dist2[:45].sum() / 2)
    assert found["precision"] == 1
