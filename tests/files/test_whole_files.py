import os
import stat

import pytest

from bayleaf.files.whole_files import atomic_write


def test_a_new_file_has_the_permissions_of_any_other(tmp_path):
    (tmp_path / "plain").write_text("x")
    with atomic_write(tmp_path / "text") as file:
        file.write("ä")
    with atomic_write(tmp_path / "bytes", binary=True) as file:
        file.write(b"x")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "text", "bytes")}
    assert len(modes) == 1
    assert (tmp_path / "text").read_bytes() == "ä".encode()


def test_the_mask_of_the_process_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask belongs to all threads"))
    with atomic_write(tmp_path / "a") as file:
        file.write("x")
    assert (tmp_path / "a").read_text() == "x"


def test_a_failed_write_leaves_nothing(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(TypeError, match="must be str"), atomic_write(tmp_path / "a") as file:
        file.write(b"new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]
