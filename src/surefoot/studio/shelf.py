"""What has been opened: files that people handed in, in a folder that ends with the studio, and the shows that can be put on again.

A file keeps its name as far as it is harmless, so that "the .asf beside the .amc" and "the .bin of the .gltf" are found. It is read by the
same readers as any file, which bound everything before it is allocated.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

from surefoot.errors import InputError, one_line
from surefoot.motion.files import SUFFIXES, ReadOptions, atomic_write
from surefoot.studio.show import BUNDLE, Show, open_show, show_bundle

MAX_BYTES = 256 * 2**20
"""Of all files that are kept; the oldest go first."""
MAX_SHOWS = 12
BESIDE = (".asf", ".bin")
"""Files that belong to another that is opened after them."""


class Shelf:
    """Shows by their names, and the files they come from."""

    def __init__(self, first: Show) -> None:
        self._shows: dict[str, Show] = {}
        self._folder: Path | None = None
        self._files: list[Path] = []
        self._lock = threading.Lock()
        self.put(first)

    @property
    def names(self) -> tuple[str, ...]:
        """What can be put on, oldest first."""
        return tuple(self._shows)

    def show(self, name: str) -> Show | None:
        """The show of that name."""
        return self._shows.get(name)

    def put(self, show: Show) -> Show:
        """Keep a show under a name of its own."""
        label, n = one_line(show.name, 60), 1
        while label in self._shows and self._shows[label] is not show:
            n += 1
            label = f"{one_line(show.name, 56)} {n}"
        kept = show if label == show.name else replace(show, name=label)
        self._shows[label] = kept
        while len(self._shows) > MAX_SHOWS:
            del self._shows[next(iter(self._shows))]
        return kept

    def handed_in(self, name: str, data: bytes) -> Show | str:
        """What a file holds, or a sentence when it is kept for another that comes after it."""
        suffix = Path(name).suffix.lower()
        if suffix not in (*SUFFIXES, *BESIDE, BUNDLE):
            known = ", ".join(dict.fromkeys((BUNDLE, *SUFFIXES)))
            raise InputError(f"{one_line(Path(name).name, 80)}: no motion and no bundle; open one of {known}.")
        with self._lock:
            file = self._keep(name, data)
            if suffix in BESIDE:
                return f"{file.name} is kept; now open the file that needs it."
            try:
                return self.put(open_show(file))
            except BaseException:
                self._drop(file)
                raise

    def clip(self, show: Show, clip: str) -> Show:
        """Another clip of the file that a show came from."""
        if show.file is None or not show.file.is_file():
            raise InputError(f"the file of '{show.name}' is no longer there; open it again.")
        with self._lock:
            return self.put(open_show(show.file, ReadOptions(clip=clip)))

    def result(self, show: Show) -> Show:
        """Keep what a piece of work brought."""
        assert show.bundle is not None
        return self.put(show_bundle(show.bundle))

    def close(self) -> None:
        """Throw the files away."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _keep(self, name: str, data: bytes) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="surefoot-studio-"))
        file = self._folder / harmless(name)
        self._drop(file)
        while self._files and sum(each.stat().st_size for each in self._files) + len(data) > MAX_BYTES:
            self._drop(self._files[0])
        if file.suffix == ".asf":  # an .amc takes the only one beside it
            for other in [each for each in self._files if each.suffix == ".asf"]:
                self._drop(other)
        atomic_write(file, data)
        self._files.append(file)
        return file

    def _drop(self, file: Path) -> None:
        file.unlink(missing_ok=True)
        if file in self._files:
            self._files.remove(file)


def harmless(name: str) -> str:
    """A file's own name without a folder, in letters that every file system takes."""
    base = re.sub(r"[^\w .()+-]", "_", Path(name.replace("\\", "/")).name).lstrip(". ")
    path = Path(base)
    return f"{path.stem[:80] or 'file'}{path.suffix.lower()[:12]}"
