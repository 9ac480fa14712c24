"""Errors a person can act on.

Every error the package raises on purpose is a `SurefootError`; its text is one line that says what was given, what was
expected, what exists and what to do. The command line prints that line and exits with `exit_code`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def one_line(text: str, limit: int = 400) -> str:
    """`text` without control characters or line ends, cut to `limit` characters."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


class SurefootError(Exception):
    """Base of all errors raised on purpose. The message is always one line."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class InputError(SurefootError):
    """A file or an argument cannot be used as it is."""


class MissingExtra(SurefootError):
    """An optional dependency is absent; the message holds the exact install line."""


def missing_extra(what: str, install: str) -> MissingExtra:
    """The error for an absent optional part: what needs it and the line that installs it."""
    return MissingExtra(f"{what} is not installed. Install it with: {install}")


def unknown_name(kind: str, given: str, known: Iterable[str]) -> InputError:
    """The error for a name that does not exist: it lists what does, nearest names first.

    >>> str(unknown_name("clip", "Wlak", ["Walk", "Run"]))
    "no clip named 'Wlak'; did you mean 'Walk'? There are 2: 'Walk', 'Run'."
    """
    names = list(known)
    near = difflib.get_close_matches(given, names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    if not names:
        return InputError(f"no {kind} named '{given}'; there is none at all.")
    listed = ", ".join(f"'{n}'" for n in names[:12]) + (", …" if len(names) > 12 else "")
    verb = "is" if len(names) == 1 else "are"
    return InputError(f"no {kind} named '{given}'{hint} There {verb} {len(names)}: {listed}.")
