import ast
import inspect
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import tasktwin

PACKAGE = Path(tasktwin.__file__).parent


def stubs():
    return ast.parse((PACKAGE / "__init__.pyi").read_text()).body


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_stubs_name_what_the_module_has():
    found = {node.name for node in stubs() if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    found |= {node.target.id for node in stubs() if isinstance(node, ast.AnnAssign)}
    assert public(found) == public(dir(tasktwin)) - {"annotations"} == set(tasktwin.__all__)


def test_stubs_of_classes_name_their_members():
    for node in stubs():
        if not isinstance(node, ast.ClassDef) or node.name in ("InputError", "RunError"):
            continue
        members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
        assert public(members) == public(vars(getattr(tasktwin, node.name))), node.name


def test_stubs_of_functions_name_their_arguments():
    for node in stubs():
        if isinstance(node, ast.FunctionDef):
            function = getattr(tasktwin, node.name)
            arguments = [argument.arg for argument in node.args.args + node.args.kwonlyargs]
            if inspect.isfunction(function):
                named = [name for name, given in inspect.signature(function).parameters.items() if given.kind != given.VAR_KEYWORD]
                assert arguments == named, node.name
                continue
            signature = function.__doc__.splitlines()[0]
            for argument in arguments:
                assert f"{argument}: " in signature, (node.name, argument)


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is missing")
def test_the_tutorial_is_well_typed(tmp_path):
    result = subprocess.run(
        [
            shutil.which("mypy"),
            "--strict",
            "--allow-untyped-defs",
            "--allow-untyped-calls",
            "--check-untyped-defs",
            "--ignore-missing-imports",
            "--no-site-packages",
            f"--cache-dir={tmp_path}",
            "examples/python/tutorial.py",
        ],
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
