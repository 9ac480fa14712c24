"""`surefoot doctor`."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.cli.flags import Common
from surefoot.cli.output import Output


@dataclass(frozen=True, kw_only=True)
class Command(Common):
    """What is installed, what is missing, what each missing part would add and the line that installs it.

    Examples:
      surefoot doctor
      surefoot doctor --json -
    """

    def run(self) -> None:
        from surefoot import doctor

        output = Output(self.json)
        parts = doctor.examine()
        output.say(doctor.text(parts))
        output.result(doctor.to_json(parts))
