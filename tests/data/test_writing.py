"""Files and folders appear whole or not at all."""

import os
import stat

import pytest

from nkmeans.data import unfinished
from nkmeans.data.writing import new_file, new_folder

OURS = ("a.txt", "b.txt")


def names(folder):
    return sorted(os.listdir(folder))


def fill(folder, text):
    for name in OURS:
        (folder / name).write_text(text)


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "out.txt"
    with new_file(path, overwrite=False) as file:
        file.write(b"all")
        assert not path.exists()
    assert path.read_bytes() == b"all"
    assert names(tmp_path) == ["out.txt"]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), new_file(path, overwrite=True) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_nothing_is_overwritten_unasked(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("old")
    with (
        pytest.raises(FileExistsError, match=r"out.txt is there already; --force"),
        new_file(path, False),
    ):
        pass
    with new_file(path, True) as file:
        file.write(b"new")
    assert path.read_text() == "new"
    with pytest.raises(IsADirectoryError, match="is a folder"), new_file(tmp_path, True):
        pass


def test_a_file_that_appears_meanwhile_stays(tmp_path):
    path = tmp_path / "out.txt"
    with pytest.raises(FileExistsError), new_file(path, False) as file:
        file.write(b"ours")
        path.write_text("theirs")
    assert path.read_text() == "theirs"
    assert names(tmp_path) == ["out.txt"]


def test_permissions_are_those_of_any_new_file(tmp_path):
    old = os.umask(0o027)
    try:
        with new_file(tmp_path / "f", False) as file:
            file.write(b"x")
        with new_folder(tmp_path / "d", False, OURS) as folder:
            fill(folder, "x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "d").stat().st_mode) == 0o750


def test_a_link_keeps_pointing(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with new_file(tmp_path / "link", True) as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("there", [False, True])
def test_a_folder_appears_when_it_is_whole(there, tmp_path):
    path = tmp_path / "deep" / "out"
    if there:
        path.mkdir(parents=True)
    with new_folder(path, False, OURS) as folder:
        fill(folder, "new")
        assert not path.exists() or not names(path)
    assert names(path) == ["a.txt", "b.txt"]
    assert names(path.parent) == ["out"]


def test_a_folder_with_other_files_is_never_touched(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    fill(out, "old")
    (out / "thesis.doc").write_text("years of work")
    for overwrite in (False, True):
        with (
            pytest.raises(FileExistsError, match=r"holds other files \(thesis.doc\)"),
            new_folder(out, overwrite, OURS),
        ):
            pass
    assert names(out) == ["a.txt", "b.txt", "thesis.doc"]


def test_results_are_replaced_only_by_force(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "a.txt").write_text("old")
    with (
        pytest.raises(FileExistsError, match="earlier results; --force"),
        new_folder(out, False, OURS),
    ):
        pass
    with pytest.raises(RuntimeError), new_folder(out, True, OURS) as folder:
        fill(folder, "half")
        raise RuntimeError
    assert names(out) == ["a.txt"]
    assert names(tmp_path) == ["out"]
    with new_folder(out, True, OURS) as folder:
        (folder / "b.txt").write_text("new")
    assert names(out) == ["b.txt"]
    assert names(tmp_path) == ["out"]


def test_a_folder_that_fills_meanwhile_stays(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(FileExistsError), new_folder(out, False, OURS) as folder:
        fill(folder, "ours")
        out.mkdir()
        (out / "a.txt").write_text("theirs")
    assert (out / "a.txt").read_text() == "theirs"
    assert names(tmp_path) == ["out"]


def test_the_old_folder_comes_back_when_moving_fails(tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    fill(out, "old")
    rename = os.rename

    def refuse(source, target):
        if str(source).endswith(".part"):
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(OSError, match="No space"), new_folder(out, True, OURS) as folder:
        fill(folder, "new")
    assert (out / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("moment", ["old is aside", "new is there"])
def test_ended_amid_the_swap_there_is_the_old_or_the_new_one(moment, tmp_path, monkeypatch):
    """What the signal handler does, at the two worst moments."""
    out = tmp_path / "out"
    out.mkdir()
    fill(out, "old")
    rename = os.rename

    class End(BaseException):
        pass

    def ending(source, target):
        if moment == "new is there" or not str(source).endswith(".part"):
            rename(source, target)
        if not str(source).endswith(".part"):
            return
        unfinished.remove_all()
        raise End

    monkeypatch.setattr(os, "rename", ending)
    with pytest.raises(End), new_folder(out, True, OURS) as folder:
        fill(folder, "new")
    assert names(tmp_path) == ["out"]
    assert (out / "a.txt").read_text() == ("old" if moment == "old is aside" else "new")


def test_a_file_in_the_way_is_told(tmp_path):
    (tmp_path / "out").write_text("a file")
    with (
        pytest.raises(FileExistsError, match="is a file"),
        new_folder(tmp_path / "out", True, OURS),
    ):
        pass
