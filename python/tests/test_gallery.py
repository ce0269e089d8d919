"""The gallery's runs give what they promise, and their pictures are drawn."""

import importlib.util
import pathlib

import numpy as np
import pytest
import scipy.optimize

GALLERY = pathlib.Path(__file__).parents[1] / "gallery"


def load(name):
    spec = importlib.util.spec_from_file_location(f"gallery_{name}", GALLERY / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def least_squares(result):
    assert result["info"] == 0 and result["error"] < 0.07  # the noise is 0.1


def tomography(result):
    assert result["error"] < 0.25 and result["info"].steps == 15


def page_rank(result):
    assert result["info"] == 0 and result["first"][:3] == [34, 1, 33]
    assert result["A"].nnz == 2 * 78
    np.testing.assert_allclose(result["rank"].sum(), 1)


def time_stepping(result):
    assert result["error"] < 0.02 and result["steps"] > 50


def linear_program(result):
    A, b, c = result["problem"]
    best = scipy.optimize.linprog(c, A_eq=A.to_scipy(), b_eq=b)
    assert result["gap"] < 1e-6 and result["steps"] < 40_000
    np.testing.assert_allclose(result["cost"], best.fun, rtol=1e-5)


def spy(result):
    assert [A.shape[0] for A in result.values()] == [3600, 580, 2000]


@pytest.mark.parametrize("check", [least_squares, tomography, page_rank, time_stepping, linear_program, spy])
def test_gallery(check, tmp_path):
    module = load(check.__name__)
    result = module.run()
    check(result)
    pytest.importorskip("matplotlib").use("agg")
    import matplotlib.pyplot as plt

    module.draw(result).savefig(tmp_path / "picture.png", dpi=40)
    plt.close("all")


def test_there_are_no_others():
    assert {p.stem for p in GALLERY.glob("*.py")} == {
        "least_squares", "tomography", "page_rank", "time_stepping", "linear_program", "spy"
    }  # fmt: skip
