"""A formula as a tree that can be cut and joined: read from its text, and written as text again.

    read("rate / average")  ->  Tree("/", (Tree("rate"), Tree("average")))

A text that comes out has the value of its tree: operators bind as in the engine (`^` from the right and tighter than a
sign). Numbers have four digits. Left out: values, which only the engine computes, and units, which are ignored.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from airlink.engine import RequestError
from airlink.scenario.formula import formula_refusal

DIGITS = 4
"""Of a number in a text."""

SIGN = "-x"
"""The name of the sign, which has one operand."""

BINDING = {"<": 1, "<=": 1, ">": 1, ">=": 1, "==": 1, "!=": 1, "+": 2, "-": 2, "*": 3, "/": 3, "^": 5}
"""How tightly operators bind; the sign lies between / and ^."""

LEADING_ZEROS = re.compile(r"(?<![\w.])0+(?=\d)")

_PYTHON = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "^",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


@dataclass(frozen=True)
class Tree:
    """A formula, or a part of one.

    Attributes
    ----------
    name : of a column, a constant, a function or an operator; empty of a number.
    of : the operands or arguments.
    number : of a number.
    """

    name: str
    of: tuple[Tree, ...] = ()
    number: float = 0.0

    @cached_property
    def size(self) -> int:
        """Columns, numbers, operators and functions in it."""
        return 1 + sum(each.size for each in self.of)

    @cached_property
    def text(self) -> str:
        """The formula as `scheduler.metric` has it."""
        return _written(self)

    def parts(self) -> Iterator[Tree]:
        """The tree and all parts of it, each before its own parts."""
        yield self
        for each in self.of:
            yield from each.parts()

    def with_part(self, place: int, part: Tree) -> Tree:
        """The tree with another part at a place, counted as in `parts`.

        >>> read("rate / average").with_part(2, read("2 * average")).text
        'rate / (2 * average)'
        """
        if place == 0:
            return part
        place -= 1
        made = list(self.of)
        for index, each in enumerate(made):
            if place < each.size:
                made[index] = each.with_part(place, part)
                break
            place -= each.size
        return Tree(self.name, tuple(made), self.number)


def number(value: float) -> Tree:
    """A number as a tree, with as many digits as its text."""
    return Tree("", (), float(f"{value:.{DIGITS}g}"))


def read(text: str) -> Tree:
    """The tree of a formula.

    Raises
    ------
    RequestError : the text is no formula; the message says where.

    Examples
    --------
    >>> read("-rate^2 * max(1, average)").text
    '(-rate^2) * max(1, average)'
    """
    refusal = formula_refusal(text)
    if refusal is not None:
        raise RequestError(f'formula "{text}": {refusal}')
    # Python's grammar is that of formulas but for one sign, lines, and zeros before a number.
    line = LEADING_ZEROS.sub("", " ".join(text.split()))
    return _tree(ast.parse(line.replace("^", "**"), mode="eval").body)


def _tree(node: ast.expr) -> Tree:
    if isinstance(node, ast.Constant):
        return Tree("", (), float(str(node.value)))
    if isinstance(node, ast.Name):
        return Tree(node.id)
    if isinstance(node, ast.Call):
        return Tree(ast.unparse(node.func), tuple(map(_tree, node.args)))
    if isinstance(node, ast.UnaryOp):
        inner = _tree(node.operand)
        return inner if isinstance(node.op, ast.UAdd) else Tree(SIGN, (inner,))
    if isinstance(node, ast.BinOp):
        return Tree(_PYTHON[type(node.op)], (_tree(node.left), _tree(node.right)))
    assert isinstance(node, ast.Compare), "nothing else is left in a formula"
    return Tree(_PYTHON[type(node.ops[0])], (_tree(node.left), _tree(node.comparators[0])))


def _written(tree: Tree) -> str:
    if not tree.of:
        return tree.name or f"{tree.number:.{DIGITS}g}"
    if tree.name == SIGN:
        return f"-{_inside(tree.of[0], 4)}"
    if tree.name not in BINDING:
        return f"{tree.name}({', '.join(each.text for each in tree.of)})"
    binding = BINDING[tree.name]
    left, right = tree.of
    from_right = tree.name == "^"
    first = _inside(left, binding + (from_right or binding == 1))
    second = _inside(right, binding + (not from_right))
    return f"{first}^{second}" if from_right else f"{first} {tree.name} {second}"


def _inside(tree: Tree, binding: int) -> str:
    """An operand, in parentheses unless it binds as tightly; whatever begins with a sign is in some."""
    if tree.name == SIGN or (not tree.name and tree.number < 0):
        return f"({tree.text})"
    return f"({tree.text})" if BINDING.get(tree.name, 9) < binding else tree.text
