"""Every public name has a docstring that says its arguments and its errors."""

import inspect

import pytest

import copse

MODULES = [copse, copse.linalg]
ERRORS = ("Raises", "raises")


def public_names():
    for module in MODULES:
        for name in module.__all__:
            yield f"{module.__name__}.{name}", getattr(module, name)
    for kind in (copse.SparseArray, copse.Plan, copse.SumPlan):
        for name in dir(kind):
            member = inspect.getattr_static(kind, name)
            if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                yield f"{kind.__name__}.{name}", member


@pytest.mark.parametrize("name, what", list(public_names()), ids=lambda v: v if isinstance(v, str) else "")
def test_docstrings(name, what):
    said = inspect.getdoc(what)
    assert said, f"{name} has no docstring"
    if isinstance(what, property) or inspect.ismodule(what) or name in ("copse.ConversionWarning", "copse.SparseArray"):
        return  # what makes a SparseArray are functions
    arguments = [p for p in inspect.signature(what).parameters if p not in ("self", "kwargs")]
    assert not [a for a in arguments if a not in said], f"{name} does not say what these arguments are"
    if arguments:
        assert any(word in said for word in ERRORS) or " as " in said, f"{name} does not say what it raises"
