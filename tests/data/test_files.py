"""Data files of every kind, and what is said of those that are none."""

import gzip
import io
import os
import sys
import tempfile
from types import SimpleNamespace

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
from pyarrow import csv, feather, ipc, parquet  # noqa: E402

from nkmeans.data import csv_file  # noqa: E402
from nkmeans.data.blocks import rows_a_block  # noqa: E402
from nkmeans.data.columns import write_rows  # noqa: E402
from nkmeans.data.errors import DataFileError  # noqa: E402
from nkmeans.data.files import CsvOptions, local_files, open_file  # noqa: E402
from nkmeans.data.table import Choice, GrowingRows, read_table  # noqa: E402
from nkmeans.data.walk import Walk  # noqa: E402


def table_of(*paths, choice=Choice(), **options):  # noqa: B008
    return read_table([open_file(path, path.name, CsvOptions(**options)) for path in paths], choice)


def numbers(n=1000, d=4, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(dtype)


def arrow_table(X):
    return pa.table({f"f{i}": X[:, i] for i in range(X.shape[1])})


def write_ipc_stream(table, path):
    with pa.OSFile(str(path), "wb") as sink, ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "data.csv": lambda table, path: csv.write_csv(table, path),
    "data.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=300),
    "data.feather": lambda table, path: feather.write_feather(table, path, compression="lz4"),
    "data.arrow": lambda table, path: feather.write_feather(table, path, compression="zstd"),
    "data.arrows": write_ipc_stream,
    "data.unknown": lambda table, path: parquet.write_table(table, path),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("n", [1, 7, 1000])
def test_every_format_gives_the_same_rows(name, n, tmp_path):
    X = numbers(n)
    WRITERS[name](arrow_table(X), tmp_path / name)
    table = table_of(tmp_path / name)
    assert table.columns == ["f0", "f1", "f2", "f3"]
    assert table.complete
    np.testing.assert_array_equal(table.X, X)


@pytest.mark.parametrize("name", ["data.parquet", "data.feather", "data.arrows"])
def test_float32_stays_float32_and_is_float64_beside_others(name, tmp_path):
    X = numbers(dtype=np.float32)
    WRITERS[name](arrow_table(X), tmp_path / name)
    assert table_of(tmp_path / name).X.dtype == np.float32
    mixed = arrow_table(X).append_column("n", pa.array(range(1000)))
    WRITERS[name](mixed, tmp_path / name)
    assert table_of(tmp_path / name).X.dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.bool_, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_arrays(dtype, order, tmp_path):
    X = np.asarray(numbers(100, 3) * 3, dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", X)
    table = table_of(tmp_path / "a.npy", choice=Choice(("x2", "x0"), id="x1"))
    np.testing.assert_array_equal(table.X, X[:, [2, 0]])
    np.testing.assert_array_equal(table.ids.to_numpy(), X[:, 1])
    np.save(tmp_path / "line.npy", np.arange(5.0))
    assert table_of(tmp_path / "line.npy").X.shape == (5, 1)


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint64(), pa.decimal128(12, 3), pa.bool_(), pa.float16()]
)
def test_numbers_of_any_type(kind, tmp_path):
    values = [1, 0, None, 1]
    if kind in (pa.float16(), pa.bool_()):
        values = [None if value is None else kind.to_pandas_dtype()(value) for value in values]
    parquet.write_table(
        pa.table({"a": pa.array([1.5, 2, 3, 4]), "b": pa.array(values, kind)}),
        tmp_path / "t.parquet",
    )
    found = table_of(tmp_path / "t.parquet")
    np.testing.assert_array_equal(found.X, [[1.5, 1], [2, 0], [3, np.nan], [4, 1]])
    assert not found.complete


# ---- CSV


def write(path, text):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("a,b\n1,2\n3,4\n", ["a", "b"], [[1, 2], [3, 4]]),
        ("1,2\n3,4\n", ["x0", "x1"], [[1, 2], [3, 4]]),
        ("1,2\n3,4", ["x0", "x1"], [[1, 2], [3, 4]]),
        ("1,NA\n3,4", ["x0", "x1"], [[1, np.nan], [3, 4]]),
        ("a;b\r\n1;2\r\n", ["a", "b"], [[1, 2]]),
        ("a\tb\n1\t2\n", ["a", "b"], [[1, 2]]),
        ("a|b\n1|2\n", ["a", "b"], [[1, 2]]),
        ("\ufeffa,b\n1,2\n", ["a", "b"], [[1, 2]]),
        ("\ufeff1,2\n3,4\n", ["x0", "x1"], [[1, 2], [3, 4]]),
        ("\n\na,b\n\n1,2\n\n", ["a", "b"], [[1, 2]]),
        ('"a;x","b\ny"\n1,2\n', ["a;x", "b\ny"], [[1, 2]]),
        ('"a","b"\n"1","2"\n3,4\n', ["a", "b"], [[1, 2], [3, 4]]),
        ("a\n1\n2\n", ["a"], [[1], [2]]),
        ("größe,数\n 1, 2 \n", ["größe", "数"], [[1, 2]]),
        ("a,b\n1e3,-0.5\n?,null\n", ["a", "b"], [[1000, -0.5], [np.nan, np.nan]]),
        (",a\n0,5\n", ["", "a"], [[0, 5]]),
        ("1_0,2_0\n1,2\n", ["1_0", "2_0"], [[1, 2]]),
        (f"{'a' * 200_000},b\n1,2\n", ["a" * 200_000, "b"], [[1, 2]]),
    ],
)  # fmt: skip
def test_csv_of_all_sorts(text, columns, rows, tmp_path):
    table = table_of(write(tmp_path / "t.csv", text))
    assert table.columns == columns
    np.testing.assert_array_equal(table.X, np.array(rows, dtype=float))


def test_header_can_be_said(tmp_path):
    path = write(tmp_path / "t.csv", "2019,2020\n1,2\n")
    assert table_of(path).X.tolist() == [[2019, 2020], [1, 2]]
    assert table_of(path, header=True).columns == ["2019", "2020"]
    named = write(tmp_path / "u.csv", "a,b\n1,2\n")
    with pytest.raises(
        DataFileError, match=r"u.csv, line 1: columns 'x0', 'x1' must hold numbers; got 'a'"
    ):
        table_of(named, header=False)
    assert table_of(write(tmp_path / "v.csv", "a b\n1 2\n"), delimiter=" ").columns == ["a", "b"]


@pytest.mark.parametrize("name", ["data.csv.gz", "data.txt"])
def test_compressed_text_is_known_by_its_content(name, tmp_path):
    path = write(tmp_path / name, gzip.compress(b"a,b\n1,2\n"))
    assert table_of(path).X.tolist() == [[1, 2]]


@pytest.mark.parametrize("chunk", [1, 5, 64, 1000, 1 << 20])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_rows_do_not_depend_on_chunks(chunk, end, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "CHUNK_BYTES", chunk)
    X = np.round(numbers(60, 3), 3)
    text = end.join(["a,b,c", *(",".join(map(str, row)) for row in X.tolist())])
    table = table_of(write(tmp_path / "t.csv", text))
    np.testing.assert_array_equal(table.X, X)


IDS = [
    "plain",
    "007",
    "a,b",
    'say "hi"',
    "two\nlines",
    "größe 数 🙂",
    "",
    "NA",
    "  spaces ",
    "'",
    "a\r\nb",
    "<b>",
]


@pytest.mark.parametrize("chunk", [3, 40, 1 << 20])
def test_ids_survive_whatever_is_in_them(chunk, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "CHUNK_BYTES", chunk)
    ids = IDS * 3
    lines = "".join(
        f'"{word}",{i},{i / 2}\n'.replace('say "hi"', 'say ""hi""') for i, word in enumerate(ids)
    )
    path = write(tmp_path / "t.csv", "id,a,b\n" + lines)
    table = table_of(path, choice=Choice(id="id"))
    assert table.ids.to_pylist() == ids
    np.testing.assert_array_equal(table.X, [[i, i / 2] for i in range(len(ids))])


def test_a_quote_within_a_field_is_a_letter(tmp_path):
    path = write(tmp_path / "t.csv", 'name,a\n5" pipe,1\nplain,2\n6" pipe,3\n')
    table = table_of(path, choice=Choice(id="name"))
    assert table.ids.to_pylist() == ['5" pipe', "plain", '6" pipe']


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n3\n", "t.csv, line 3: must have 2 fields, as the first line has; got 1"),
        ("a,b\n1,2\n\n3,4,5\n", "t.csv, line 4: must have 2 fields, as the first line has; got 3"),
        ("a,b\n1,2\n3,Paris\n", "t.csv, line 3: column 'b' must hold numbers; got 'Paris'"),
        ('a,b\n"1",2\n3,x\n', "t.csv, line 3: column 'b' must hold numbers; got 'x'"),
        ('a,"b\nc"\n1,2\n3,x\n', "t.csv, line 4: column 'b\\nc' must hold numbers; got 'x'"),
        ('a,b\n"1\n",2\n3,x\n', "t.csv, line 2: column 'a' must hold numbers"),
        ("a,b\n", "t.csv: has no rows"),
        ("", "t.csv: is empty"),
        ("\n\n", "t.csv: is empty"),
        (b"a,b\n1,\x00\n", "t.csv: is not UTF-8 text: it holds zero bytes"),
        (b"a,\xe4\n1,2\n", "t.csv, line 1: is not UTF-8 text"),
        ("a,a\n1,2\n", "t.csv: has 2 columns 'a'; --drop leaves out all of them, --columns (columns=) chooses others"),
        (b"PAR1xxxx", "t.csv: is not what its ending .csv says: its content is Parquet"),
        (b"PK\x03\x04....", "t.csv: must be one of CSV, Parquet, Arrow, .npy; got a file of zip"),
        (gzip.compress(b"a,b\n1,2\n")[:-9], "t.csv: cannot be read as CSV"),
    ],
)  # fmt: skip
def test_bad_text_is_told_with_its_place(text, said, tmp_path):
    path = write(tmp_path / "t.csv", text)
    with pytest.raises(DataFileError) as caught:
        table_of(path)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("quoted", [False, True])
def test_the_line_is_right_far_down_the_file(quoted, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "CHUNK_BYTES", 100)
    lines = ["id,a", *(f"{i},{i}" for i in range(500))]
    if quoted:
        lines[200] = '"x\ny",3'
    lines[401] = "oops,text"
    path = write(tmp_path / "t.csv", "\n".join(lines))
    line = 403 if quoted else 402
    with pytest.raises(
        DataFileError, match=f"t.csv, line {line}: column 'a' must hold numbers; got 'text'"
    ):
        table_of(path, choice=Choice(id="id"))


def test_a_text_column_that_is_not_used_is_no_matter(tmp_path):
    path = write(tmp_path / "t.csv", "city,a,b\nParis,1,2\nRome,3,4\n")
    assert table_of(path, choice=Choice(drop=("city",))).columns == ["a", "b"]
    assert table_of(path, choice=Choice(("b",))).X.tolist() == [[2], [4]]
    assert table_of(path, choice=Choice(("b",), id="city")).ids.to_pylist() == ["Paris", "Rome"]
    with pytest.raises(DataFileError, match=r"has no column 'c'; it has 'city', 'a', 'b'"):
        table_of(path, choice=Choice(("c",)))
    with pytest.raises(DataFileError, match="no column is left"):
        table_of(path, choice=Choice(drop=("city", "a", "b")))


def test_columns_that_share_a_name_can_be_dropped(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,,\n1,2,,\n3,4,,\n")
    assert table_of(path, choice=Choice(drop=("",))).X.tolist() == [[1, 2], [3, 4]]
    assert table_of(path, choice=Choice(("b",))).X.tolist() == [[2], [4]]


def test_all_text_columns_of_a_row_are_named_at_once(tmp_path):
    path = write(tmp_path / "t.csv", "id,name,a,day\n1,Ann,2,2026-01-01\n")
    with pytest.raises(
        DataFileError, match=r"line 2: columns 'name', 'day' must hold numbers; got"
    ):
        table_of(path)


def test_blanks_around_missing_values_and_names(tmp_path):
    path = write(tmp_path / "t.csv", "a, b ,c\n 1 ,  , NA \n2,\t,?\n")
    table = table_of(path)
    assert table.columns == ["a", "b", "c"]
    np.testing.assert_array_equal(table.X, [[1, np.nan, np.nan], [2, np.nan, np.nan]])
    bad = write(tmp_path / "u.csv", "a,b\n 1 , NA \n2, x \n")
    with pytest.raises(
        DataFileError, match=r"u.csv, line 3: column 'b' must hold numbers; got 'x'"
    ):
        table_of(bad)


def test_decimal_commas(tmp_path):
    path = write(tmp_path / "t.csv", "a;b\n1,5;2\n 3,25; NA \n")
    with pytest.raises(DataFileError, match=r"decimal comma need --decimal ,"):
        table_of(path)
    np.testing.assert_array_equal(table_of(path, decimal=",").X, [[1.5, 2], [3.25, np.nan]])
    bare = write(tmp_path / "u.csv", "1,5;2\n3,25;4\n")
    assert table_of(bare, decimal=",").X.tolist() == [[1.5, 2], [3.25, 4]]


def test_a_quote_that_hides_rows_is_told(tmp_path):
    rows = [f"{i},note {i}" for i in range(100)]
    rows[5] = '5,"5 inch'
    path = write(tmp_path / "t.csv", "a,note\n" + "\n".join(rows) + "\n")
    with pytest.raises(DataFileError, match=r"t.csv, line 7: a quote is opened and never closed"):
        table_of(path, choice=Choice(("a",)))
    rows[60] = '60,6 inch"'
    write(path, "a,note\n" + "\n".join(rows) + "\n")
    table = table_of(path, choice=Choice(("a",)))
    assert table.files[0].notes == ["t.csv, line 7: a row has 56 lines; is a quote missing?"]
    rows[5], rows[60] = '5,"two\nlines"', "60,note"
    write(path, "a,note\n" + "\n".join(rows) + "\n")
    assert table_of(path, choice=Choice(("a",))).files[0].notes == []


def test_invalid_text_in_ids(tmp_path):
    path = write(tmp_path / "t.csv", b"id,a\nx,1\n" + b"y,2\n" * 300_000 + b"\xe4,2\n")
    with pytest.raises(DataFileError, match=r"t.csv, line 300003: is not UTF-8"):
        table_of(path, choice=Choice(id="id"))


# ---- the other formats


def test_a_text_column_of_a_typed_file(tmp_path):
    parquet.write_table(
        pa.table({"a": [1.0], "s": ["x"], "t": pa.array([0], pa.timestamp("s"))}),
        tmp_path / "t.parquet",
    )
    with pytest.raises(DataFileError, match=r"t.parquet: column 's' must hold numbers; got string"):
        table_of(tmp_path / "t.parquet")
    with pytest.raises(DataFileError, match=r"column 't' must hold numbers; got timestamp"):
        table_of(tmp_path / "t.parquet", choice=Choice(drop=("s",)))


def test_ids_of_other_types(tmp_path):
    import datetime

    days = [datetime.date(2026, 1, day) for day in (1, 2, 1)]
    words = pa.array(["x", "y", "x"]).dictionary_encode()
    table = pa.table({"a": [1.0, 2, 3], "day": days, "word": words, "list": [[1], [2], [3]]})
    table = table.append_column("big", words.dictionary_decode().cast(pa.large_string()))
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=2)
    for name, wanted in (("day", days), ("word", ["x", "y", "x"]), ("big", ["x", "y", "x"])):
        found = table_of(tmp_path / "t.parquet", choice=Choice(("a",), id=name))
        assert found.ids.to_pylist() == wanted
    binary = pa.table({"a": [1.0], "raw": pa.array([b"\xff"])})
    parquet.write_table(binary, tmp_path / "b.parquet")
    with pytest.raises(
        DataFileError, match=r"b.parquet: column 'raw' cannot name rows: it holds binary"
    ):
        table_of(tmp_path / "b.parquet", choice=Choice(("a",), id="raw"))
    with pytest.raises(DataFileError, match="column 'list' cannot name rows: it holds list"):
        table_of(tmp_path / "t.parquet", choice=Choice(("a",), id="list"))
    with pytest.raises(DataFileError, match="column 'a' can name the rows or be clustered"):
        table_of(tmp_path / "t.parquet", choice=Choice(("a",), id="a"))


@pytest.mark.parametrize("name", ["data.parquet", "data.feather", "data.arrows"])
def test_a_damaged_file_is_named(name, tmp_path):
    WRITERS[name](arrow_table(numbers(5000)), tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataFileError, match=f"{name}: cannot be read as"):
        table_of(tmp_path / name)


def test_ids_as_polars_writes_them(tmp_path):
    import polars as pl

    frame = pl.DataFrame({"a": [1.0, 2.0], "id": ["x", "ü"]}).with_columns(
        kind=pl.col("id").cast(pl.Categorical)
    )
    frame.write_ipc(tmp_path / "t.arrow", compat_level=pl.CompatLevel.newest())
    for name in ("id", "kind"):
        found = table_of(tmp_path / "t.arrow", choice=Choice(("a",), id=name))
        assert found.ids.to_pylist() == ["x", "ü"]
        assert found.ids.type == pa.string()


def test_arrays_of_another_byte_order(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1, 2], [3, 4]], dtype=">i4"))
    found = table_of(tmp_path / "a.npy", choice=Choice(id="x0"))
    assert found.ids.to_pylist() == [1, 3]
    assert found.X.tolist() == [[2], [4]]
    np.save(tmp_path / "none.npy", np.zeros((0, 2)))
    with pytest.raises(DataFileError, match=r"none.npy: has no rows"):
        table_of(tmp_path / "none.npy")


@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.zeros((2, 2, 2)), np.array(3.0), np.array([1j])]
)
def test_arrays_that_are_no_tables(array, tmp_path):
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(DataFileError, match=r"a.npy: must hold an array of numbers"):
        table_of(tmp_path / "a.npy")


def test_objects_in_an_array_are_never_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DataFileError, match=r"a.npy: cannot be read as .npy"):
        table_of(tmp_path / "a.npy")


def test_a_text_file_called_parquet(tmp_path):
    path = write(tmp_path / "t.parquet", "a,b\n1,2\n")
    with pytest.raises(
        DataFileError, match=r"is not what its ending .parquet says: its content is CSV"
    ):
        table_of(path)


# ---- several files


def test_files_are_joined_by_column_names(tmp_path):
    write(tmp_path / "1.csv", "id,a,b\nx,1,2\n")
    write(tmp_path / "2.csv", "b,id,a\n4,y,3\n")
    parquet.write_table(pa.table({"a": [5], "b": [6], "id": [7]}), tmp_path / "3.parquet")
    paths = [tmp_path / name for name in ("1.csv", "2.csv", "3.parquet")]
    table = table_of(*paths, choice=Choice(id="id"))
    assert table.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert table.ids.to_pylist() == ["x", "y", "7"]
    assert [table.place(row) for row in range(3)] == [
        "1.csv, line 2",
        "2.csv, line 2",
        "3.parquet, row 0",
    ]


def test_files_must_have_the_same_columns(tmp_path):
    one, two = write(tmp_path / "1.csv", "a,b\n1,2\n"), write(tmp_path / "2.csv", "a,c\n1,2\n")
    with pytest.raises(DataFileError, match=r"2.csv: has no column 'b'; it has 'a', 'c'"):
        table_of(one, two)
    three = write(tmp_path / "3.csv", "a,b,c\n1,2,3\n")
    with pytest.raises(DataFileError, match=r"3.csv: has a column 'c' that 1.csv has not"):
        table_of(one, three)
    assert table_of(one, three, choice=Choice(("b", "a"))).X.tolist() == [[2, 1], [2, 1]]


def test_the_others_must_have_the_id_and_each_column_once(tmp_path):
    one, two = write(tmp_path / "1.csv", "id,a\nx,1\n"), write(tmp_path / "2.csv", "a\n1\n")
    with pytest.raises(DataFileError, match=r"2.csv: has no column 'id'"):
        table_of(one, two, choice=Choice(("a",), id="id"))
    three = write(tmp_path / "3.csv", "id,a,a\nx,1,2\n")
    with pytest.raises(DataFileError, match=r"3.csv: has 2 columns 'a'"):
        table_of(one, three, choice=Choice(("a",), id="id"))
    four = write(tmp_path / "4.csv", "id,a,id\nx,1,y\n")
    with pytest.raises(DataFileError, match=r"4.csv: has 2 columns 'id'"):
        table_of(four, choice=Choice(("a",), id="id"))


def test_a_first_line_of_megabytes(tmp_path):
    names = [f"a column with a long name and number {i}" for i in range(60_000)]
    path = write(tmp_path / "t.csv", ";".join(names) + "\n" + ";".join(["1"] * 60_000) + "\n")
    table = table_of(path)
    assert table.columns == names
    assert (table.X == 1).all()


def test_a_quote_that_never_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "STREAM_BYTES", 1000)
    path = write(tmp_path / "t.csv", 'id,a\nx,1\n"y,2\n' + "z,3\n" * 2000)
    with pytest.raises(
        DataFileError, match=r"t.csv: has a record of more than|t.csv.*must have 2 fields"
    ):
        table_of(path, choice=Choice(id="id"))


def test_an_empty_file_among_others_adds_nothing(tmp_path):
    one, two = write(tmp_path / "1.csv", "a,b\n1,2\n"), write(tmp_path / "2.csv", "a,b\n")
    assert table_of(two, one, two, one).X.tolist() == [[1, 2], [1, 2]]


def test_names_patterns_and_folders(tmp_path):
    for name in ("b.csv", "a.csv", "[x].csv"):
        write(tmp_path / name, "a\n1\n")
    with local_files([f"{tmp_path}/?.csv", f"{tmp_path}/[x].csv"]) as found:
        assert [path.name for path, _ in found] == ["a.csv", "b.csv", "[x].csv"]
    with (
        pytest.raises(DataFileError, match="no file matches"),
        local_files([f"{tmp_path}/*.parquet"]),
    ):
        pass
    with pytest.raises(DataFileError, match="is a folder"):
        open_file(tmp_path, "folder")
    with pytest.raises(FileNotFoundError):
        open_file(tmp_path / "nothing.csv", "nothing.csv")


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"Reading t.csv needs pyarrow.*nkmeans\[data\]"):
        open_file(write(tmp_path / "t.csv", "a\n1\n"), "t.csv")


# ---- the matrix


@pytest.mark.parametrize("n", [1, 2047, 2048, 2049, 5000])
def test_columns_become_rows(n, dtype):
    X = numbers(n, 3, dtype=dtype)
    columns = [np.ascontiguousarray(X[:, j]) for j in range(3)]
    out = np.empty((n, 3), dtype)
    write_rows(columns, out)
    np.testing.assert_array_equal(out, np.column_stack(columns))


def test_a_growing_matrix_keeps_its_rows():
    rows, X = GrowingRows(3, np.dtype(float), 1), numbers(1000, 3)
    for start in range(0, 1000, 7):
        rows.add(len(X[start : start + 7]))[:] = X[start : start + 7]
    np.testing.assert_array_equal(rows.finished(), X)


def test_progress_ends_at_one(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "CHUNK_BYTES", 1000)
    told = []
    path = write(tmp_path / "t.csv", "a,b\n" + "1,2\n" * 4000)
    read_table([open_file(path, "t.csv")] * 2, Choice(), told.append)
    assert told == sorted(told)
    assert told[0] < 0.5
    assert told[-1] == 1


def test_nothing_is_copied_unless_it_must_be(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("x\n1\n")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with local_files([f"{tmp_path}/a.csv"]) as found:
        assert found == [(tmp_path / "a.csv", f"{tmp_path}/a.csv")]
        assert os.listdir(tmp_path / "temporary") == []
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"x\n1\n")))
    with local_files(["-"]) as [(path, name)]:
        assert (path.read_bytes(), name) == (b"x\n1\n", "standard input")
        assert path.parent == tmp_path / "temporary"
    assert os.listdir(tmp_path / "temporary") == []


def test_ids_of_files_have_one_type_before_they_are_read(tmp_path):
    parquet.write_table(pa.table({"id": [1, 2], "x": [0.0, 1]}), tmp_path / "a.parquet")
    words = pa.array(["p", "q"]).dictionary_encode()
    parquet.write_table(pa.table({"id": words, "x": [0.0, 1]}), tmp_path / "b.parquet")
    np.save(tmp_path / "c.npy", np.array([[3, 0], [4, 1]], dtype=">i4"))
    a, b, c = (open_file(tmp_path / name, name) for name in ("a.parquet", "b.parquet", "c.npy"))
    assert Walk([a], Choice(id="id")).id_type == pa.int64()
    assert Walk([b], Choice(id="id")).id_type == pa.string()
    assert Walk([c], Choice(id="x0")).id_type == pa.int32()
    walk = Walk([a, b], Choice(id="id"))
    assert walk.id_type == pa.string()
    found = list(walk.pieces())
    assert [piece.start for piece in found] == [0, 2]
    assert [piece.ids.to_pylist() for piece in found] == [["1", "2"], ["p", "q"]]
    assert walk.place(3) == "b.parquet, row 1"
    assert [piece.ids.type for piece in Walk([c], Choice(id="x0")).pieces()] == [pa.int32()]


def test_pieces_of_wide_files_are_no_larger_than_blocks(tmp_path):
    X = np.arange(3000.0 * 1000).reshape(3000, 1000)
    np.save(tmp_path / "wide.npy", X)
    walk = Walk([open_file(tmp_path / "wide.npy", "wide.npy")], Choice(id="x7"))
    found = list(walk.pieces())
    assert max(len(piece.X) for piece in found) == rows_a_block(999, X.dtype) < 1000
    assert [piece.start for piece in found] == list(range(0, 3000, len(found[0].X)))
    np.testing.assert_array_equal(
        np.concatenate([piece.X for piece in found]), np.delete(X, 7, axis=1)
    )
    ids = np.concatenate([piece.ids.to_numpy() for piece in found])
    np.testing.assert_array_equal(ids, X[:, 7])
