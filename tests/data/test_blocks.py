import numpy as np
import pytest

from nkmeans.data.blocks import NO_WEIGHT, ArraySource


def whole(source):
    blocks = [source.block(start) for start in source.starts()]
    return blocks, np.concatenate([block.X for block in blocks])


@pytest.mark.parametrize("block_rows", [None, 1, 7, 100, 1000])
def test_blocks_are_the_rows_in_order(block_rows, rng):
    X = rng.normal(size=(100, 3))
    blocks, joined = whole(ArraySource(X, NO_WEIGHT, block_rows))
    np.testing.assert_array_equal(joined, X)
    for block in blocks:
        np.testing.assert_array_equal(X[block.rows], block.X)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("f2", "f4"),
        ("f4", "f4"),
        ("f8", "f8"),
        ("i4", "f8"),
        ("u1", "f8"),
        ("?", "f8"),
        ("i8", "f8"),
    ],
)
def test_each_type_becomes_a_float_that_holds_it(given, taken):
    X = np.arange(12).reshape(6, 2).astype(given)
    blocks, joined = whole(ArraySource(X, NO_WEIGHT, 4))
    assert all(block.X.dtype == taken for block in blocks)
    np.testing.assert_array_equal(joined, X.astype(taken))


def test_fortran_order_and_memmaps_are_read_block_by_block(tmp_path, rng):
    X = rng.normal(size=(50, 4))
    np.save(tmp_path / "X.npy", X)
    for source in (
        np.asfortranarray(X),
        np.load(tmp_path / "X.npy", mmap_mode="r"),
        X[:, ::-1][:, ::-1],
    ):
        blocks, joined = whole(ArraySource(source, NO_WEIGHT, 16))
        np.testing.assert_array_equal(joined, X)
        assert all(block.X.flags.c_contiguous for block in blocks)


def test_weights_go_with_their_rows():
    source = ArraySource(np.zeros((10, 1)), np.arange(10.0), 4)
    np.testing.assert_array_equal(source.block(4).weight, [4, 5, 6, 7])


def test_wide_rows_make_blocks_of_at_least_256():
    assert ArraySource(np.zeros((1000, 5000)), NO_WEIGHT).starts().step == 256
