"""`surefoot VERB …`: finds the verb, runs it, turns errors into one line and an exit code.

A verb is a module of this folder that defines `Command`, a frozen dataclass made into flags by tyro, with `run() -> int | None`. Only
the module of the verb that was asked for is imported.

    0 done    1 tried honestly, did not succeed    2 bad input or usage    130 interrupted    70 a fault of Surefoot's own
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from surefoot.errors import InputError, SurefootError, missing_extra, one_line, unknown_name

VERBS: dict[str, str] = {
    "demo": "the main job on built-in material",
    "doctor": "what is installed, what is missing, the exact install line",
    "inspect": "what is in a motion, a character or a bundle",
    "rig": "a character from a skeleton",
    "retarget": "a motion onto another body",
    "reconstruct": "a simulated character performs a motion",
    "learn": "feedback that keeps it on its feet",
    "evaluate": "survival, tracking error, push tolerance",
    "play": "the studio in the browser: see it, push it, compare it",
    "render": "a film or a sheet of pictures of a character",
    "export": "a motion, or what a bundle's character did, in another format",
    "bench": "speed, with the raw engine measured in the same run",
}
"""Each verb and what it gives; its module has the verb's name."""

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""The linear algebra library is held to one thread: its last bits would depend on their number, and it is no faster here."""

FAULT = 70


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no "°" shows something else
            stream.reconfigure(errors="replace")
    try:
        return _dispatch(list(sys.argv[1:] if arguments is None else arguments))
    except SurefootError as error:
        _complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        _complain("interrupted")
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _complain(f"{error.filename or 'a file'}: {error.strerror or error}")
        return 2
    except MemoryError:
        _complain("out of memory; cut the clip, lower its frame rate, or run fewer simulations at once")
        return 2
    except Exception as error:
        if os.environ.get("SUREFOOT_TRACEBACK"):
            traceback.print_exc()
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        _complain(f"a fault in Surefoot itself ({type(error).__name__} at {where}: {error}); SUREFOOT_TRACEBACK=1 shows where")
        return FAULT


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(overview(), flush=True)
        return 0 if arguments else 2
    if arguments[0] in ("-V", "--version"):
        import surefoot

        print(f"surefoot {surefoot.__version__}")
        return 0
    verb = arguments[0]
    if verb not in VERBS:
        raise unknown_name("command", verb, VERBS)
    module = importlib.import_module(f"surefoot.cli.{verb.replace('-', '_')}")
    command = _parse(module.Command, verb, _joined(arguments[1:]))
    return int(command.run() or 0)


def _joined(arguments: list[str]) -> list[str]:
    """`--up -Y` as `--up=-Y`: a value that begins like a flag."""
    out: list[str] = []
    for argument in arguments:
        if out and out[-1] == "--up" and re.fullmatch("-[XYZxyz]", argument):
            out[-1] += f"={argument}"
        else:
            out.append(argument)
    return out


def overview() -> str:
    """The text of `surefoot --help`."""
    width = max(len(verb) for verb in VERBS)
    lines = [
        "usage: surefoot VERB [OPTIONS] …",
        "",
        "Give it a motion; get a character that performs it in physics and stays on its feet.",
        "",
    ]
    lines += [f"  {verb:<{width}}  {what}" for verb, what in VERBS.items()]
    lines += ["", "surefoot VERB --help shows a verb's options with examples; surefoot --version its version."]
    lines += ["Exit codes: 0 done, 1 tried honestly and did not succeed, 2 bad input or usage, 130 interrupted."]
    return "\n".join(lines)


def _parse(command: Any, verb: str, arguments: list[str]) -> Any:
    """The command with its flags filled in; wrong usage is an `InputError` of one line."""
    try:
        import tyro
    except ModuleNotFoundError:
        raise missing_extra("tyro, which reads the command line,", "pip install tyro") from None

    about = inspect.cleandoc(command.__doc__ or "")
    with _page_width(), io.StringIO() as complaint:
        try:
            with contextlib.redirect_stderr(complaint):
                return tyro.cli(command, prog=f"surefoot {verb}", description=about, args=arguments, config=(tyro.conf.FlagCreatePairsOff,))
        except SystemExit as leaving:
            if not leaving.code:
                raise
            raise InputError(usage_error(complaint.getvalue(), verb)) from None


@contextlib.contextmanager
def _page_width() -> Iterator[None]:
    """Help as wide as the terminal, but no wider than a page."""
    before = os.environ.get("COLUMNS")
    with contextlib.suppress(OSError, ValueError):
        os.environ["COLUMNS"] = str(min(int(before or os.get_terminal_size().columns), 110))
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("COLUMNS", None)
        else:
            os.environ["COLUMNS"] = before


def usage_error(box: str, verb: str) -> str:
    """One line from the box that tyro draws around an error.

    >>> usage_error("╭─ Bad ─╮\\n│ Unrecognized options: --sed │\\n│ ──── │\\n│ For full helptext │\\n╰──╯", "rig")
    'rig: Unrecognized options: --sed; see surefoot rig --help'
    """
    plain = re.sub(r"\x1b\[[0-9;]*m", "", box)
    sections: list[list[str]] = [[]]
    for line in plain.splitlines()[1:]:  # the first holds a title; where there is no Unicode, borders are spaces and rules are hyphens
        inside = line[1:-1]
        if set(inside.strip()) in ({"─"}, {"-"}):
            sections.append([])
        elif inside.strip():
            sections[-1].append(inside[1:].rstrip())
    sections = [section for section in sections if section] or [[]]
    what = sections[0]
    if what and what[0].startswith("Missing from"):
        names = [line.strip() for line in what[1:] if re.match(r" {4}\S", line)]
        said = f"missing: {', '.join(names)}"
    else:
        said = _shorter(one_line(" ".join(what), 240).rstrip(".")) or "wrong usage"
    for section in sections[1:]:
        if section and section[0].startswith("Perhaps you meant"):
            names = [line.strip() for line in section[1:] if re.match(r" {4}-", line)]
            said += f"; did you mean {' or '.join(names[:3])}?" if names else ""
    return f"{verb}: {said}{'' if said.endswith('?') else ';'} see surefoot {verb} --help"


def _shorter(said: str) -> str:
    """What tyro says of a value of the wrong type, without Python's own words."""
    wrong = re.match(r"Error parsing (--[\w.-]+): .*?'(.*?)'(?:\]|$)", said)
    if wrong is None:
        return said
    kind = "a whole number" if "int()" in said else "a number" if "float" in said.lower() else "another kind of value"
    return f"{wrong[1]} '{wrong[2]}': expected {kind}"


def _complain(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(f"surefoot: {one_line(text)}", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
