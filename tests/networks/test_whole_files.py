import gzip
import os
import stat
import subprocess
import sys

import pytest

from bayleaf._util.whole_files import DataFileError, atomic_write, read_text, write_text


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


def test_a_name_with_gz_packs_always_the_same_bytes(tmp_path):
    for name in ("a.txt.gz", "b.txt.GZ"):
        write_text(tmp_path / name, "line\nä\n")
    assert (tmp_path / "a.txt.gz").read_bytes() == (tmp_path / "b.txt.GZ").read_bytes()
    assert gzip.decompress((tmp_path / "a.txt.gz").read_bytes()) == "line\nä\n".encode()
    assert read_text(tmp_path / "a.txt.gz", "a note") == "line\nä\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"x" * 99, mtime=0)[:-9], r"a' is truncated or damaged: .*[^.]\.$"),
        (b"\xff", "a' is not a note: it is not t"),
    ],
)
def test_damaged_files_are_refused(tmp_path, content, message):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(DataFileError, match=message):
        read_text(tmp_path / "a", "a note")


def test_folders_and_missing_files_are_named(tmp_path):
    with pytest.raises(DataFileError, match="is a folder, not a note"):
        read_text(tmp_path, "a note")
    with pytest.raises(FileNotFoundError, match=r"There is no file '.*none'"):
        read_text(tmp_path / "none", "a note")


def test_a_link_stays_a_link_and_permissions_stay(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o600


def test_devices_and_pipes_are_written_and_not_replaced(tmp_path):
    write_text(os.devnull, "nothing")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_text(tmp_path / "pipe", "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_names_of_many_bytes_are_written(tmp_path):
    name = "葉" * 80  # 240 bytes of the 255 that a name may have
    write_text(tmp_path / name, "x")
    assert (tmp_path / name).read_text() == "x"


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    write = "import os, sys; from bayleaf._util.whole_files import atomic_write\n"
    write += "with atomic_write(sys.argv[1]) as file: file.write('half'); file.flush(); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", write, str(tmp_path / "a")], check=False).returncode == 9
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    with atomic_write(tmp_path / "a") as other, atomic_write(tmp_path / "a") as file:
        file.write("whole")
        other.write("of a process that runs")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
