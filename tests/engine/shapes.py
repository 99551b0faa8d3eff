"""Whether plain values have the shapes that the types describe."""

import types
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict


def faults(value: object, hint: Any, where: str = "") -> Iterator[str]:
    """What in a value differs from a type of ``ginrummy.engine.types``."""
    origin = get_origin(hint)
    if is_typeddict(hint):
        yield from _faults_of_fields(value, hint, where)
    elif origin is list:
        if type(value) is not list:
            yield f"{where}: {value!r} is no list"
            return
        for i, item in enumerate(value):
            yield from faults(item, get_args(hint)[0], f"{where}[{i}]")
    elif origin is Literal:
        if value not in get_args(hint):
            yield f"{where}: {value!r} is none of {get_args(hint)}"
    elif origin in (Union, types.UnionType):
        found = [list(faults(value, choice, where)) for choice in get_args(hint)]
        if all(found):
            yield from min(found, key=len)
    elif hint in (None, types.NoneType):
        if value is not None:
            yield f"{where}: {value!r} is not None"
    elif type(value) is not hint:
        yield f"{where}: {value!r} is no {hint.__name__}"


def _faults_of_fields(value: object, hint: Any, where: str) -> Iterator[str]:
    if type(value) is not dict:
        yield f"{where}: {value!r} is no dict"
        return
    fields = _fields(hint)
    for name in hint.__required_keys__ - value.keys():
        yield f"{where}: {name} is missing in {hint.__name__}"
    for name, item in value.items():
        if name in fields:
            yield from faults(item, fields[name], f"{where}.{name}")
        else:
            yield f"{where}: {name} is not in {hint.__name__}"


@cache
def _fields(hint: Any) -> dict[str, Any]:
    return get_type_hints(hint)
