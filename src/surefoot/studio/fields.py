"""A panel from a config dataclass: a widget for each field, its docstring as the hint, and back.

    bool -> checkbox     int, float -> number     Literal -> dropdown     X | None, str -> text, empty for None     dataclass -> folder

A value that does not fit is the dataclass's own `InputError`, or one that names the field.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from surefoot.errors import InputError

if TYPE_CHECKING:
    import viser

LONGEST = 400
"""Characters of a hint."""


def docstrings(cls: type[Any]) -> dict[str, str]:
    """The docstring under each field of a dataclass, its own and those it inherits."""
    out: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not is_dataclass(base):
            continue
        try:
            body = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        except (OSError, TypeError, SyntaxError):
            continue
        assert isinstance(body, ast.ClassDef)
        for field, below in zip(body.body, body.body[1:], strict=False):
            if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr)):
                continue
            if isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
                out[field.target.id] = " ".join(below.value.value.split())[:LONGEST]
    return out


@dataclass(frozen=True, eq=False)
class Widget:
    """A field's widget and the way back to its value."""

    handle: Any
    kind: Any
    name: str

    @property
    def value(self) -> Any:
        """What stands in it, as the field's type."""
        return self.handle.config() if isinstance(self.handle, Panel) else parsed(self.kind, self.handle.value, self.name)


class Panel:
    """The widgets of one config. Made inside the container that shall hold them."""

    def __init__(self, server: viser.ViserServer, config: Any, top: tuple[str, ...] = ()) -> None:
        """`config` holds the values to begin with; fields named in `top` stand outside the folder of all others."""
        self._cls = type(config)
        self._server = server
        self._widgets: dict[str, Widget] = {}
        self._folders: list[Any] = []
        kinds, hints = get_type_hints(self._cls), docstrings(self._cls)
        later = []
        for field in fields(config):
            if top and field.name not in top:
                later.append(field.name)
            else:
                self._add(field.name, kinds[field.name], getattr(config, field.name), hints.get(field.name, ""))
        if later:
            folder = server.gui.add_folder("More settings", expand_by_default=False)
            self._folders.append(folder)
            with folder:
                for name in later:
                    self._add(name, kinds[name], getattr(config, name), hints.get(name, ""), alone=len(later) == 1)

    def config(self) -> Any:
        """The config as it stands in the widgets."""
        return self._cls(**{name: widget.value for name, widget in self._widgets.items()})

    def remove(self) -> None:
        """Take the widgets away."""
        for widget in self._widgets.values():
            widget.handle.remove()
        for folder in reversed(self._folders):  # the inner ones first: they go with the outer
            folder.remove()

    def _add(self, name: str, kind: Any, value: Any, hint: str, alone: bool = False) -> None:
        """The widget of one field; a dataclass that stands `alone` in its folder needs none of its own."""
        gui, label = self._server.gui, name.replace("_", " ").capitalize()
        handle: Any
        if is_dataclass(value) and alone:
            handle = Panel(self._server, value)
        elif is_dataclass(value):
            folder = gui.add_folder(label, expand_by_default=False)
            self._folders.append(folder)
            with folder:
                handle = Panel(self._server, value)
        elif kind is bool:
            handle = gui.add_checkbox(label, value, hint=hint)
        elif kind is int:
            handle = gui.add_number(label, value, step=1, hint=hint)
        elif kind is float:
            handle = gui.add_number(label, value, hint=hint)
        elif get_origin(kind) is Literal:
            handle = gui.add_dropdown(label, tuple(str(v) for v in get_args(kind)), initial_value=str(value), hint=hint)
        else:
            handle = gui.add_text(label, "" if value is None else str(value), hint=f"{hint} Empty: by itself." if optional(kind) else hint)
        self._widgets[name] = Widget(handle, kind, name)


def optional(kind: Any) -> Any:
    """The X of X | None; None for other types."""
    if get_origin(kind) not in (Union, types.UnionType) or type(None) not in get_args(kind):
        return None
    rest = [part for part in get_args(kind) if part is not type(None)]
    return rest[0] if len(rest) == 1 else None


def parsed(kind: Any, value: Any, name: str) -> Any:
    """A widget's value as a field's type."""
    inner = optional(kind)
    if inner is not None:
        return None if not str(value).strip() else parsed(inner, value, name)
    if get_origin(kind) is Literal:
        known = {str(option): option for option in get_args(kind)}
        if str(value) not in known:
            raise InputError(f"{name}: '{value}' is none of {', '.join(known)}.")
        return known[str(value)]
    if kind in (int, float):
        try:
            number = float(str(value).strip())
            if kind is int and number != int(number):
                raise ValueError
        except (ValueError, OverflowError):
            raise InputError(f"{name}: expected a {'whole ' if kind is int else ''}number, got '{value}'.") from None
        return kind(number)
    return bool(value) if kind is bool else str(value)


def plain(config: Any) -> dict[str, Any]:
    """A config as JSON values."""
    return {f.name: plain(v) if is_dataclass(v := getattr(config, f.name)) else v for f in fields(config)}


def restored(cls: type[Any], values: dict[str, Any]) -> Any:
    """A config again from `plain`'s values."""
    kinds = get_type_hints(cls)
    return cls(**{name: restored(kinds[name], v) if is_dataclass(kinds[name]) else v for name, v in values.items()})
