"""Archives: the same bytes for the same contents, and what is refused before it is believed."""

from __future__ import annotations

import io
import stat
import struct
import warnings
import zipfile
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from surefoot.archive import FREE, MAX_DEPTH, MAX_RATIO, Archive, encode_array, pack
from surefoot.errors import InputError

NUMBERS = st.one_of([hnp.floating_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), hnp.boolean_dtypes()])


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_STORED, **fields: Any) -> bytes:
    """An archive as anybody may write one."""
    out = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            info = zipfile.ZipInfo("x")
            info.filename, info.compress_type = name, method
            for field, value in fields.items():
                setattr(info, field, value)
            archive.writestr(info, data)
    return out.getvalue()


def opened(data: bytes) -> Archive:
    return Archive(data, "a.surefoot")


@given(hnp.arrays(NUMBERS, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)))
def test_arrays_come_back_bit_for_bit(array: np.ndarray) -> None:
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        with pytest.raises(InputError, match="NaN or an infinity"):
            opened(pack({"a.npy": array})).array("a.npy")
        return
    back = opened(pack({"a.npy": array})).array("a.npy", array.shape, "biuf")
    assert back.dtype == array.dtype.newbyteorder("=")
    assert back.tobytes() == np.ascontiguousarray(array.astype(back.dtype)).tobytes()
    assert not back.flags.writeable


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=9), max_size=5))
def test_texts_come_back(texts: list[str]) -> None:
    array = np.array(texts) if texts else np.zeros(0, "U1")
    assert opened(pack({"a.npy": array})).array("a.npy", (None,), "U").tolist() == texts


def test_the_same_contents_are_the_same_bytes_in_any_order() -> None:
    members = {"b.json": {"z": 1, "a": [1.5, None]}, "a.npy": np.arange(3.0), "c.xml": b"<a/>"}
    assert pack(members) == pack(dict(reversed(members.items())))
    assert pack(members)[10:14] == b"\0\0\x21\0"  # the first of January 1980


def test_deflated_members_are_read_as_well() -> None:
    assert opened(zipped(("a.json", b'{"a": 1}'), method=zipfile.ZIP_DEFLATED)).json("a.json") == {"a": 1}


@pytest.mark.parametrize("name", ["../a", "/a", "a/../b", "a\\b", "C:a", "a//b", "./a", "a/", "", "a\nb", "é", "a" * 500, ".hidden", "-a"])
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="names are letters"):
        opened(zipped((name, b"")))
    with pytest.raises(InputError):
        pack({name: b""})


def test_a_name_cut_at_a_nul_is_refused() -> None:
    with pytest.raises(InputError, match="names are letters"):
        opened(zipped(("a.npyXb", b"")).replace(b"a.npyXb", b"a.npy\0b"))


def test_links_and_devices_are_refused() -> None:
    for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO):
        with pytest.raises(InputError, match="link or a device"):
            opened(zipped(("a", b"/etc/passwd"), external_attr=(kind | 0o777) << 16))


def test_duplicates_are_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        opened(zipped(("a", b"1"), ("a", b"2")))


def test_other_compressions_are_refused() -> None:
    with pytest.raises(InputError, match="method 14"):
        opened(zipped(("a", b"1"), method=zipfile.ZIP_LZMA))


def test_an_encrypted_member_is_refused() -> None:
    data = bytearray(zipped(("a", b"1")))
    data[data.find(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(InputError, match="encrypted"):
        opened(bytes(data))


def test_what_unpacks_to_far_more_than_its_size_is_refused_unread() -> None:
    bomb = zipped(*((f"a{n}", b"\0" * (FREE // 4)) for n in range(5)), method=zipfile.ZIP_DEFLATED)
    assert MAX_RATIO * len(bomb) < FREE
    with pytest.raises(InputError, match="declares more than the 8 MB"):
        opened(bomb)


def test_a_directory_that_declares_too_little_is_found_out() -> None:
    data = bytearray(zipped(("a", b"x" * 100_000), method=zipfile.ZIP_DEFLATED))
    struct.pack_into("<I", data, data.find(b"PK\x01\x02") + 24, 10)
    with pytest.raises(InputError, match=r"a is (damaged|not readable)"):
        opened(bytes(data)).bytes("a")


def test_a_damaged_byte_is_found_by_the_checksum() -> None:
    data = pack({"a.npy": np.arange(100.0)})
    at = data.find(np.float64(50.0).tobytes())
    with pytest.raises(InputError, match="damaged"):
        opened(data[:at] + b"\x01" + data[at + 1 :]).array("a.npy")


def test_cut_off_at_any_place_is_one_line() -> None:
    data = pack({"a.npy": np.arange(4.0), "b.json": {"a": 1}})
    for end in range(len(data)):
        with pytest.raises(InputError, match=r"^a\.surefoot: "):
            opened(data[:end])


def test_pickles_are_refused() -> None:
    out = io.BytesIO()
    np.save(out, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="pickled objects are not read"):
        opened(zipped(("a.npy", out.getvalue()))).array("a.npy")
    with pytest.raises(InputError, match="numbers, truth values and texts"):
        encode_array(np.array([{}]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(2,)", b"(99999999999,)"),
        (b"(2,)", b"(-2,)"),
        (b"(2,)", b"(2, 0)"),
        (b"(2,)", b"(3,)"),
        (b"'<f8'", b"'<f9'"),
        (b"'<f8'", b"'<U0'"),
        (b"'<f8'", b"'|O8'"),
        (b"False", b"os.x "),
    ],
)
def test_headers_that_lie_are_refused_before_anything_is_made(old: bytes, new: bytes) -> None:
    body = encode_array(np.arange(2.0)).replace(old, new)
    body = body[:8] + struct.pack("<H", body.index(b"\n") + 1 - 10) + body[10:]
    with pytest.raises(InputError):
        opened(zipped(("a.npy", body))).array("a.npy", kinds="biufU")


def test_shapes_and_kinds_that_do_not_fit_are_told() -> None:
    archive = opened(pack({"a.npy": np.zeros((2, 3))}))
    with pytest.raises(InputError, match=r"has the shape \(2, 3\), expected \(any, 4\)"):
        archive.array("a.npy", (None, 4))
    with pytest.raises(InputError, match="holds float64"):
        archive.array("a.npy", kinds="i")
    with pytest.raises(InputError, match=r"b\.npy is missing"):
        archive.array("b.npy")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": NaN}',
        '{"a": 1e999, "b": Infinity}',
        "[1]",
        "{",
        "",
        '{"a": ' + "[" * 50_000 + "]" * 50_000 + "}",
        '{"a":' + "1" * 5000 + "}",
        "\ud800",
    ],
)
def test_json_that_is_none_is_one_line(text: str) -> None:
    with pytest.raises(InputError, match=r"^a\.surefoot: m\.json"):
        opened(zipped(("m.json", text.encode("utf-8", "surrogatepass")))).json("m.json")


def test_json_is_bounded_in_depth_and_size() -> None:
    deep: dict[str, Any] = {}
    for _ in range(MAX_DEPTH - 1):
        deep = {"a": deep}
    assert opened(pack({"m.json": deep})).json("m.json") == deep
    with pytest.raises(InputError, match="deep"):
        opened(pack({"m.json": {"a": deep}})).json("m.json")
    with pytest.raises(InputError, match="lists and objects"):
        opened(pack({"m.json": {"a": [[]] * 300_000}})).json("m.json")
