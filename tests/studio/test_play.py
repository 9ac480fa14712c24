"""`surefoot play` as a process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("viser")


def start(*flags: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "surefoot.cli.main", "play", *flags]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_prints_its_address_serves_there_and_ends_cleanly(number: signal.Signals, tmp_path: Path) -> None:
    process = start("humanoid/walk", "--port", "0", "--json", str(tmp_path / "said.json"))
    try:
        assert process.stdout is not None
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert address is not None
        process.stdout.readline()  # written before the JSON
        with urllib.request.urlopen(address.group(0), timeout=30) as answer:
            assert answer.status == 200
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert errors == ""
    assert json.loads((tmp_path / "said.json").read_text())["address"] == address.group(0)


def test_where_others_can_connect_a_token_stands_in_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    from surefoot.studio import studio as module
    from surefoot.studio.show import open_show

    monkeypatch.setattr(module, "is_loopback", lambda host: False)
    made = module.Studio(open_show("humanoid/walk"), host="127.0.0.1", port=0)
    try:
        assert re.fullmatch(rf"http://127\.0\.0\.1:{made.port}/\?token=[\w-]{{20,}}", made.address)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(made.address.split("?")[0], timeout=30)
        with urllib.request.urlopen(made.address, timeout=30) as answer:
            assert answer.status == 200
    finally:
        made.close()


def test_wrong_ports_and_files_are_one_line_and_code_2() -> None:
    for flags, said in ((("humanoid/walk", "--port", "70000"), "--port 70000"), (("humanoid/wlak",), "did you mean 'humanoid/walk'")):
        process = start(*flags)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 2
        assert said in errors
        assert len(errors.strip().splitlines()) == 1
