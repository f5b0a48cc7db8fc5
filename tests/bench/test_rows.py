import json

import pytest

from nkmeans.bench.rows import Key, Rows

ROW = {"suite": "synthetic", "data": "a", "rows": None, "method": "m", "seed": 0, "status": "ok"}


def test_rows_are_there_again_when_the_file_is_opened_again(tmp_path):
    rows = Rows(tmp_path / "new" / "rows.jsonl")
    rows.add(ROW)
    rows.add({**ROW, "seed": 1, "rows": 50})
    again = Rows(rows.path)
    assert again.found == rows.found
    assert Key("synthetic", "a", None, "m", 0) in again.found
    assert again.of("synthetic", None) == [ROW]
    assert [row["seed"] for row in again.of("synthetic", 50)] == [1]
    assert again.of("real", None) == []


@pytest.mark.parametrize("cut", [1, 10, 40])
def test_a_line_that_was_not_finished_is_dropped_and_nothing_else(tmp_path, cut):
    path = tmp_path / "rows.jsonl"
    Rows(path).add(ROW)
    whole = path.read_text()
    path.write_text(whole + json.dumps({**ROW, "seed": 1})[:cut])
    rows = Rows(path)
    assert path.read_text() == whole
    rows.add({**ROW, "seed": 2})
    assert [row["seed"] for row in Rows(path).of("synthetic", None)] == [0, 2]


@pytest.mark.parametrize("line", ["nonsense", '{"suite": "synthetic"}', "[1, 2]"])
def test_a_line_that_is_no_row_is_named_and_kept(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n{line}\n")
    with pytest.raises(ValueError, match=r"Line 2 of .*rows.jsonl is not a row of results"):
        Rows(path)
    assert line in path.read_text()
