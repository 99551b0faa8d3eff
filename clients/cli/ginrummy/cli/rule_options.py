"""Options of the rules as people write them: `oklahoma=ace_is_one`, `knock_limit=5`.

Read off the API's own description, so that a new option of the rules needs nothing here but words.
"""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

from ginrummy.cli.faults import CommandLineError
from ginrummy.cli.words import Words
from ginrummy.v1.rules_pb2 import Rules

_YES = ("on", "yes", "true", "1", "да", "вкл")
_NO = ("off", "no", "false", "0", "нет", "выкл")


def option_names() -> list[str]:
    return [field.name for field in Rules.DESCRIPTOR.fields]


def parsed(settings: Iterable[str]) -> Rules:
    """The overrides of `NAME=VALUE` settings. A CommandLineError tells what is allowed."""
    rules = Rules()
    for setting in settings:
        name, _, value = setting.partition("=")
        name = name.strip().replace("-", "_")
        field = Rules.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise CommandLineError("bad-rule-name", name=name, allowed=", ".join(option_names()))
        setattr(rules, name, _value(field, value.strip()))
    return rules


def _value(field: FieldDescriptor, text: str) -> int | bool:
    if field.enum_type is not None:
        allowed = _enum_names(field.enum_type)
        if text.lower().replace("-", "_") in allowed:
            return allowed[text.lower().replace("-", "_")]
        raise CommandLineError(
            "bad-rule-value", name=field.name, value=text, allowed=", ".join(allowed)
        )
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        if text.lower() in (*_YES, *_NO):
            return text.lower() in _YES
        raise CommandLineError("bad-rule-value", name=field.name, value=text, allowed="on, off")
    if not text.isdecimal() or len(text) > 9:
        raise CommandLineError("bad-rule-number", name=field.name, value=text)
    return int(text)


def _enum_names(enum: EnumDescriptor) -> dict[str, int]:
    """`ace_is_one` for OKLAHOMA_ACE_IS_ONE; without the unspecified value."""
    prefix = enum.values[0].name.removesuffix("UNSPECIFIED")
    return {value.name.removeprefix(prefix).lower(): value.number for value in enum.values[1:]}


def value_text(rules: Rules, name: str, words: Words) -> str:
    """An option's value for a person."""
    value = getattr(rules, name)
    enum = Rules.DESCRIPTOR.fields_by_name[name].enum_type
    if enum is not None:
        plain = next((n for n, v in _enum_names(enum).items() if v == value), "?")
        return words.or_plain(f"value-{name}-{plain}".replace("_", "-"), plain)
    if isinstance(value, bool):
        return words("value-on" if value else "value-off")
    return words("value-single-hand") if name == "target" and not value else str(value)


def rule_lines(rules: Rules, words: Words) -> list[tuple[str, str, str]]:
    """(what the option is, its value, how it is set) of every option."""
    return [
        (
            words.or_plain(f"rule-{name}".replace("_", "-"), name),
            value_text(rules, name, words),
            f"{name}={allowed_values(name)}",
        )
        for name in option_names()
    ]


def allowed_values(name: str) -> str:
    """What may stand after `NAME=`."""
    field = Rules.DESCRIPTOR.fields_by_name[name]
    if field.enum_type is not None:
        return "|".join(_enum_names(field.enum_type))
    return "on|off" if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL else "N"
