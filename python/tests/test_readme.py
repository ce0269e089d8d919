"""The programs of the README and of docs/python.md run."""

import pathlib
import re

import numpy as np
import pytest

PYTHON = pathlib.Path(__file__).parents[1]


def run(page):
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert blocks
    names = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)
    return names


def test_readme():
    names = run(PYTHON / "README.md")
    np.testing.assert_allclose(names["y"], names["S"] @ names["x"])
    np.testing.assert_allclose(names["C"].toarray(), 0.5 * names["S"].toarray())


def test_tour():
    page = PYTHON.parent / "docs" / "python.md"
    if not page.exists():
        pytest.skip("the tests are not in a checkout")
    names = run(page)
    assert names["info"] == 0
    np.testing.assert_allclose(names["g"], names["S"].T @ (names["w"] * (names["S"] @ np.ones(1000))))
