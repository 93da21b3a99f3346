"""The kinds of values a scenario holds, each with its allowed range in words and its JSON form.

A range is written once, on the field; the check, the message, the JSON Schema and docs/scenario.md all
read it there. Infinity is the string "inf" in files; TOML's own `inf` is accepted too. Text is never
taken for a number, NaN is never allowed.
Leaves out: checks between fields (`validation`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Real
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, Strict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError, core_schema
from typing_extensions import override

from .errors import is_shown

Flag = Annotated[bool, Strict()]


def about(meaning: str, unit: str = "", source: str = "") -> FieldInfo:
    """A field's documentation: meaning, unit ('' for none) and where its default comes from."""
    info: FieldInfo = Field(description=meaning, json_schema_extra={"unit": unit, "source": source})
    return info


def refuse(message: str, index: int | None = None, value: object = None) -> PydanticCustomError:
    """The error for a value outside its range; `index` and `value` point into a list."""
    context = {"message": message} if index is None else {"message": message, "index": index, "item": value}
    return PydanticCustomError("airlink", "{message}", context)


class Section(BaseModel):
    """A table of the scenario: unchangeable, and no field that isn't known."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=(), defer_build=True
    )

    if not TYPE_CHECKING:

        def __init__(self, /, **data: Any) -> None:
            try:
                super().__init__(**data)
            except ValidationError as error:
                from .error_messages import explained

                raise explained(type(self), data, error) from None

        # Tells pydantic that nested tables need not be built through this constructor, so that all
        # mistakes of a scenario arrive in one error.
        __init__.__pydantic_base_init__ = True


@dataclass(frozen=True)
class Kind:
    """What all kinds of values share: a check, and the same in words and as JSON Schema."""

    def allowed(self) -> str:
        """What is allowed, in words."""
        raise NotImplementedError

    def check(self, value: Any) -> Any:
        """The value as stored; raises when it is not allowed."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """The JSON Schema."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        written = core_schema.plain_serializer_function_ser_schema(json_form, when_used="json")
        return core_schema.no_info_plain_validator_function(self.check, serialization=written)

    def __get_pydantic_json_schema__(
        self, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return self.schema()


def json_form(value: Any) -> Any:
    """The value with tuples as lists and infinity as "inf"."""
    if isinstance(value, (tuple, list)):
        return [json_form(item) for item in value]
    if isinstance(value, Mapping):
        return {key: json_form(item) for key, item in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def number_text(value: float) -> str:
    """A short decimal form: 0.5, 1000000, 1e+12."""
    return str(int(value)) if value == int(value) and abs(value) < 1e10 else f"{value:g}"


@dataclass(frozen=True)
class Number(Kind):
    """A number within bounds; `whole` for counts, `infinite` where "inf" is allowed, `words` for others.

    With `or_zero` 0 is allowed below the bounds, too.
    """

    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    whole: bool = False
    infinite: bool = False
    or_zero: bool = False
    words: tuple[str, ...] = ()

    @override
    def allowed(self) -> str:
        if self.whole and self.at_least is not None and self.at_least == self.at_most:
            return number_text(self.at_least)
        noun = ("0 or " if self.or_zero else "") + ("a whole number" if self.whole else "a number")
        if self.at_least is not None and self.at_most is not None:
            bounds = [f"from {number_text(self.at_least)} to {number_text(self.at_most)}"]
        else:
            parts = (
                ("above", self.above),
                ("at least", self.at_least),
                ("at most", self.at_most),
                ("below", self.below),
            )
            bounds = [f"{word} {number_text(bound)}" for word, bound in parts if bound is not None]
        others = "".join(f' or "{word}"' for word in (*self.words, *(("inf",) if self.infinite else ())))
        return " ".join([noun, " and ".join(bounds)]).strip() + others

    @override
    def check(self, value: Any) -> Any:
        if isinstance(value, str) and value in self.words:
            return value
        if self.infinite and isinstance(value, str) and value == "inf":
            return math.inf
        accepted = self.accepted(value)
        if accepted is None:
            raise refuse(f"must be {self.allowed()}{_number_in_quotes(value)}")
        return accepted

    def accepted(self, value: Any) -> float | None:
        """The number as stored, None when it is none or outside the bounds."""
        if not _is_number(value):
            return None
        try:
            number = float(value)
        except OverflowError:
            return None
        if self.infinite and number == math.inf:
            return math.inf
        outside = (
            not math.isfinite(number)
            or (self.at_least is not None and number < self.at_least)
            or (self.above is not None and number <= self.above)
            or (self.at_most is not None and number > self.at_most)
            or (self.below is not None and number >= self.below)
        )
        if (outside and not (self.or_zero and number == 0)) or (self.whole and not isinstance(value, Integral)):
            return None
        return int(value) if self.whole else number

    @override
    def schema(self) -> dict[str, Any]:
        bounds = {
            "minimum": self.at_least,
            "exclusiveMinimum": self.above,
            "maximum": self.at_most,
            "exclusiveMaximum": self.below,
        }
        number: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        number.update({name: bound for name, bound in bounds.items() if bound is not None})
        words = [*self.words, *(["inf"] if self.infinite else [])]
        others: list[Any] = [*([0] if self.or_zero else []), *words]
        return {"anyOf": [number, {"enum": others}]} if others else number


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _number_in_quotes(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\s*", value):
        return ": write the number without quotes"
    return ""


@dataclass(frozen=True)
class Seed(Kind):
    """A whole number of 64 bits, every digit of which counts, or a word."""

    word: str

    @override
    def allowed(self) -> str:
        return f'a whole number from 0 to 2^64-1 or "{self.word}"'

    @override
    def check(self, value: Any) -> Any:
        if isinstance(value, str) and value == self.word:
            return value
        if isinstance(value, bool) or not isinstance(value, Integral) or not 0 <= int(value) < 2**64:
            raise refuse(f"must be {self.allowed()}{_number_in_quotes(value)}")
        return int(value)

    @override
    def schema(self) -> dict[str, Any]:
        return {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 2**64 - 1}, {"const": self.word}]}


@dataclass(frozen=True)
class Each(Kind):
    """A list of values of one kind; `single` allows one value for all, `word` a word for all."""

    item: Kind
    at_least: int = 0
    single: bool = False
    word: str = ""

    @override
    def allowed(self) -> str:
        some = f" of at least {self.at_least}" if self.at_least else ""
        one = f"{self.item.allowed()}, or " if self.single else ""
        word = f'"{self.word}" or ' if self.word else ""
        return f"{word}{one}a list{some}, each {self.item.allowed()}"

    @override
    def check(self, value: Any) -> Any:
        if self.word and isinstance(value, str) and value == self.word:
            return value
        if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
            if self.single:
                return self.item.check(value)
            raise refuse(f"must be {self.allowed()}")
        items = tuple(value)
        if len(items) < self.at_least:
            raise refuse(f"must be {self.allowed()}")
        return tuple(self._checked(index, item) for index, item in enumerate(items))

    def _checked(self, index: int, item: Any) -> Any:
        try:
            return self.item.check(item)
        except PydanticCustomError as error:
            raise refuse(str(error), index, item) from None

    @override
    def schema(self) -> dict[str, Any]:
        item = self.item.schema()
        whole = {"type": "array", "items": item, "minItems": self.at_least}
        others = ([item] if self.single else []) + ([{"const": self.word}] if self.word else [])
        return {"anyOf": [*others, whole]} if others else whole


def _quoted(value: Any) -> str:
    """How a number becomes a text; empty of what is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or 1e12 < abs(value) < float("inf"):
        return ""
    return f"""; in quotes it is one: "{value}", on a command line '"{value}"'"""


@dataclass(frozen=True)
class Text(Kind):
    """Text up to a length, without characters that a file can't hold; `pattern` restricts it further."""

    longest: int = 10_000
    shortest: int = 0
    pattern: str = ""
    meaning: str = "text"

    @override
    def allowed(self) -> str:
        return self.meaning

    @override
    def check(self, value: Any) -> Any:
        if not isinstance(value, str) or not self.shortest <= len(value) <= self.longest:
            size = f" of {self.shortest} to {self.longest} characters" if isinstance(value, str) else _quoted(value)
            raise refuse(f"must be {self.allowed()}{size}")
        if any(0xD800 <= ord(letter) <= 0xDFFF or letter == "\0" for letter in value):
            raise refuse("must be text that a UTF-8 file can hold")
        if not all(is_shown(letter) or letter in "\n\t\r" for letter in value):
            raise refuse("must be text without control characters and marks of direction")
        if self.pattern and not re.fullmatch(self.pattern, value):
            raise refuse(f"must be {self.allowed()}")
        return value

    @override
    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string", "maxLength": self.longest, "minLength": self.shortest}
        return {**schema, "pattern": f"^{self.pattern}$"} if self.pattern else schema


@dataclass(frozen=True)
class Length(Kind):
    """A length of time given as a number or as an exact fraction of two whole numbers ("5/3")."""

    shortest: Fraction
    longest: Fraction

    @override
    def allowed(self) -> str:
        low, high = number_text(float(self.shortest)), number_text(float(self.longest))
        return f'a number or a fraction in quotes ("5/3") from {low} to {high}'

    @override
    def check(self, value: Any) -> Any:
        length = value if isinstance(value, str) else Number(above=0, at_most=float(self.longest)).accepted(value)
        if length is None or (isinstance(length, str) and not re.fullmatch("[0-9]{1,9}/0*[1-9][0-9]{0,8}", length)):
            raise refuse(f"must be {self.allowed()}{_number_in_quotes(value)}")
        if not self.shortest <= exact(length) <= self.longest:
            raise refuse(f"must be {self.allowed()}")
        return length

    @override
    def schema(self) -> dict[str, Any]:
        low, high = float(self.shortest), float(self.longest)
        number = {"type": "number", "minimum": low, "maximum": high}
        return {"anyOf": [number, {"type": "string", "pattern": "^[0-9]{1,9}/[0-9]{1,9}$"}]}


def exact(length: float | str) -> Fraction:
    """A length as an exact fraction; a decimal number counts as what is written (1.667 = 1667/1000)."""
    return Fraction(length) if isinstance(length, str) else Fraction(repr(float(length)))
