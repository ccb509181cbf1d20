"""What is wrong with a call of a compiled function, in words in place of a list of its signatures."""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
from typing import Any, Callable

from . import _core

_PLAIN = {"str": (str,), "bool": (bool,), "int": (int,), "float": (int, float), "dict": (dict,), "list": (list,)}


def _parameters(head: str) -> tuple[list[inspect.Parameter], dict[str, tuple[type, ...]]]:
    """Of "simulate(graph: object, *, seed: int = 1) -> Simulation", and the types that the compiled function checks itself."""
    function = ast.parse(f"def {head}: ...").body[0]
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    parameters = []
    types: dict[str, tuple[type, ...]] = {}
    defaults = [None] * (len(given.args) - len(given.defaults)) + list(given.defaults) + list(given.kw_defaults)
    for argument, default in zip(given.args + given.kwonlyargs, defaults):
        kind = inspect.Parameter.KEYWORD_ONLY if argument in given.kwonlyargs else inspect.Parameter.POSITIONAL_OR_KEYWORD
        value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
        parameters.append(inspect.Parameter(argument.arg, kind, default=value))
        name = ast.unparse(argument.annotation).rpartition(".")[2] if argument.annotation else ""
        own = getattr(_core, name, None)
        if name in _PLAIN or isinstance(own, type):
            types[argument.arg] = _PLAIN.get(name) or (own,)
    return parameters, types


def _why(name: str, signature: inspect.Signature, types: dict[str, tuple[type, ...]], arguments: Any, named: Any) -> str:
    takes = f"; it takes ({', '.join(key for key in signature.parameters if key != 'self')})"
    for key in named:
        if key not in signature.parameters:
            near = difflib.get_close_matches(key, signature.parameters, 1)
            return f"{name}(): there is no argument '{key}'" + (f"; did you mean '{near[0]}'?" if near else takes)
    try:
        bound = signature.bind(*arguments, **named).arguments
    except TypeError as error:
        has_scenario = name == "simulate" and bool(arguments) and isinstance(arguments[0], _core.Scenario)
        of_scenario = "; a Scenario is simulated by its own simulate(design)" if has_scenario else ""
        return f"{name}(): {error}{takes}{of_scenario}"
    for key, value in bound.items():
        kinds = types.get(key)
        if not kinds or isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds):
            continue
        design = f"; a design of that name is tasktwin.Design({value!r})" if _core.Design in kinds and isinstance(value, str) else ""
        return f"{name}(): {key}: must be a {kinds[-1].__name__}, not {type(value).__name__}{design}"
    return f"{name}(): an argument is of a wrong type{takes}"


def worded(function: Callable[..., Any], of: str = "") -> Callable[..., Any]:
    """`function` of _core, or of its class `of`, which says what is wrong with a call where pybind11 lists signatures."""
    try:
        parameters, types = _parameters((function.__doc__ or "").splitlines()[0])
    except (IndexError, SyntaxError, ValueError):
        return function
    signature = inspect.Signature(parameters)
    name = of + function.__name__

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
        raise TypeError(_why(name, signature, types, arguments, named))

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__module__ = "tasktwin"
    call.__qualname__ = name
    return call


def word_methods(of: type) -> None:
    for name, member in list(vars(of).items()):
        if not name.startswith("_") and type(member).__name__ == "instancemethod":
            setattr(of, name, worded(member, f"{of.__name__}."))
