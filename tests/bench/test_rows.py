import json

import pytest

from nkmeans.bench.rows import Key, Rows, only_one

FACTS = {"commit": "", "machine": "", "python": "", "versions": {}}
SCORES = {"objective": 1.0, "precision": 1.0, "seconds": 1.0, "n": 5, "d": 2}
ROW = {
    "suite": "synthetic", "data": "a", "source": "", "rows": None, "method": "m", "seed": 0,
    "status": "ok", **FACTS, **SCORES,
}  # fmt: skip


def test_rows_are_there_again_when_the_file_is_opened_again(tmp_path):
    rows = Rows(tmp_path / "new" / "rows.jsonl")
    rows.add(ROW)
    rows.add({**ROW, "seed": 1, "rows": 50})
    again = Rows(rows.path)
    assert again.found == rows.found
    assert Key("synthetic", "a", "", None, "m", 0) in again.found
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


@pytest.mark.parametrize(
    "line",
    [b"nonsense", b'{"suite": "synthetic"}', b"[1, 2]", b"\xff\xfe",
     json.dumps({**ROW, "status": "failed"}).encode(),
     json.dumps({key: value for key, value in ROW.items() if key != "objective"}).encode()],
)  # fmt: skip
def test_a_line_that_is_no_row_is_named_and_kept(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(json.dumps(ROW).encode() + b"\n" + line + b"\n")
    with pytest.raises(ValueError, match=r"Line 2 of .*rows.jsonl is not a row of results"):
        Rows(path)
    assert line in path.read_bytes()


def test_an_empty_line_is_no_harm(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"\n{json.dumps(ROW)}\n\n")
    assert len(Rows(path).found) == 1


def test_two_at_a_time_in_one_folder_are_refused(tmp_path):
    with only_one(tmp_path / "out"):
        with (
            pytest.raises(OSError, match="Another `nkmeans bench` is at work in"),
            only_one(tmp_path / "out"),
        ):
            pass
        with only_one(tmp_path / "other"):
            pass
    with only_one(tmp_path / "out"):
        pass
