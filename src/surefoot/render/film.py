"""Frames as a file: MP4 by ffmpeg, GIF and PNG by Pillow. Written beside and renamed; the same frames are the same bytes."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image

from surefoot.errors import InputError, missing_extra, one_line
from surefoot.motion.files import atomic_write
from surefoot.picture import tiled
from surefoot.render.canvas import Frame

FILMS = (".mp4", ".gif")
WRITTEN = (*FILMS, ".png")
MOST_OF_GIF = 1200
"""Frames of a GIF, which is made in memory."""
COLOURS_FROM = 8
"""Frames of a GIF from which its palette is taken."""


def mp4(path: Path, frames: Iterator[Frame], size: tuple[int, int], fps: float) -> None:
    """Frames as H.264 that every browser plays."""
    command = [
        *(program(), "-hide_banner", "-loglevel", "error", "-y"),
        *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", f"{fps:.6g}", "-i", "-"),
        *("-an", "-c:v", "libx264", "-preset", "medium", "-crf", "20", "-pix_fmt", "yuv420p", "-threads", "1"),
        *("-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1", "-f", "mp4"),
    ]
    with _beside(path) as part, tempfile.TemporaryFile() as told:
        process = subprocess.Popen([*command, str(part)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=told)
        assert process.stdin is not None
        try:
            for frame in frames:
                process.stdin.write(np.ascontiguousarray(frame).tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # ffmpeg ended; what it says comes below
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.wait() != 0:
            told.seek(0)
            said = told.read(4000).decode("utf-8", "replace").strip().splitlines()
            raise InputError(f"{path.name}: ffmpeg could not write it: {one_line(said[-1] if said else 'it gave no reason', 200)}")


def gif(path: Path, frames: Iterator[Frame], count: int, fps: float) -> None:
    """Frames as a GIF that repeats, in colours that stay the same throughout."""
    if count > MOST_OF_GIF:
        raise InputError(f"{path.name}: {count} frames are too many for a GIF ({MOST_OF_GIF}); shorten it, lower --fps, or write .mp4.")
    pictures = [Image.fromarray(frame, "RGB") for frame in frames]
    some = pictures[:: max(1, len(pictures) // COLOURS_FROM)]
    sheet = tiled(some, [""] * len(some), 1)
    palette = sheet.quantize(255, method=Image.Quantize.MEDIANCUT)
    flat = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    ends = np.round(100.0 * np.arange(1, len(flat) + 1) / fps)  # GIF counts hundredths of a second
    lasting = [10 * int(n) for n in np.diff(np.concatenate([[0.0], ends]))]
    file = io.BytesIO()
    flat[0].save(file, "GIF", save_all=True, append_images=flat[1:], duration=lasting, loop=0, optimize=False, disposal=1)
    atomic_write(path, file.getvalue())


def png(path: Path, frames: Iterator[Frame], titles: Sequence[str], columns: int | None = None) -> None:
    """Frames side by side, each with its title; one alone as it is."""
    pictures = [Image.fromarray(frame, "RGB") for frame in frames]
    file = io.BytesIO()
    sheet = pictures[0] if len(pictures) == 1 else tiled(pictures, titles, columns)
    sheet.save(file, "PNG", optimize=True)
    atomic_write(path, file.getvalue())


def program() -> str:
    """The ffmpeg that there is: the extra's, or the system's."""
    try:
        import imageio_ffmpeg

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (ModuleNotFoundError, RuntimeError):
        place = shutil.which("ffmpeg")
    if place is None:
        raise missing_extra("imageio-ffmpeg, which writes MP4 (GIF and PNG need nothing),", "pip install 'surefoot[video]'")
    return place


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A file to be written beside `path`, renamed into place where all goes well and gone where it does not."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
        umask = os.umask(0)
        os.umask(umask)
        part.chmod(0o666 & ~umask)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
