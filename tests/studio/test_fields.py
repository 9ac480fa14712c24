"""Panels from config dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

pytest.importorskip("viser")

from surefoot.errors import InputError
from surefoot.studio.fields import Panel, docstrings, parsed, plain, restored
from surefoot.studio.guard import Guard
from surefoot.studio.server import guarded_server, quiet
from surefoot.studio.work import kind, kinds


@dataclass(frozen=True, kw_only=True)
class Inner:
    """Inside."""

    weight: float = 1.5
    """How much."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """All kinds of fields."""

    count: int = 3
    """How many,
    over two lines."""
    way: Literal["left", "right"] = "left"
    lead: float | None = None
    """Seconds."""
    on: bool = True
    inner: Inner = field(default_factory=Inner)


@dataclass(frozen=True, kw_only=True)
class Child(Config):
    """One more."""

    count: int = 4
    """Other words."""


def test_docstrings_under_fields_are_found_those_of_parents_too() -> None:
    assert docstrings(Config) == {"count": "How many, over two lines.", "lead": "Seconds."}
    assert docstrings(Child) == {"count": "Other words.", "lead": "Seconds."}


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (int, 3.0, 3),
        (float, "0.25", 0.25),
        (bool, 1, True),
        (str, "a", "a"),
        (float | None, "", None),
        (float | None, " 0.5 ", 0.5),
        (int | None, "7", 7),
        (Literal["left", "right"], "right", "right"),
    ],
)
def test_values_come_back_as_the_fields_types(kind: Any, given: Any, value: Any) -> None:
    found = parsed(kind, given, "field")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (int, 2.5, "field: expected a whole number, got '2.5'."),
        (float | None, "soon", "field: expected a number, got 'soon'."),
        (Literal["left", "right"], "up", "field: 'up' is none of left, right."),
    ],
)
def test_values_that_do_not_fit_are_named(kind: Any, given: Any, said: str) -> None:
    with pytest.raises(InputError) as error:
        parsed(kind, given, "field")
    assert str(error.value) == said


def test_a_config_is_plain_values_and_back() -> None:
    config = Config(count=9, lead=0.1, inner=Inner(weight=2.0))
    assert restored(Config, plain(config)) == config


@pytest.mark.parametrize("name", sorted(kinds()))
def test_every_kind_of_work_has_a_config_with_hints_that_survives_the_way_to_its_process(name: str) -> None:
    config = kind(name).config()
    assert restored(type(config), plain(config)) == config
    hints = docstrings(type(config))
    assert all(field in hints for field in config.__dataclass_fields__)


def test_panels_hold_their_configs_and_one_takes_the_place_of_another() -> None:
    server = guarded_server(Guard(token="a-secret"), 0, lambda client, why: None)
    try:
        with server.gui.add_folder("Settings"):
            for made in (kind(name) for name in (*kinds(), *kinds())):
                panel = Panel(server, made.config(), made.top)
                assert panel.config() == made.config()
                panel.remove()
    finally:
        with quiet():
            server.stop()


def test_an_unknown_kind_of_work_lists_what_there_is() -> None:
    with pytest.raises(InputError, match="no kind of work named 'magic'"):
        kind("magic")
