"""Attacks on the studio's door, each of which must be refused; and the one way in."""

import json
import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

pytest.importorskip("uvicorn")
from bayleaf.studio.doors import Guard
from bayleaf.studio.limits import listen
from bayleaf.studio.project import Project
from bayleaf.studio.workbench import Workbench, studio_app
from studio.conftest import running


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """A studio that runs: its guard, its port, and its project."""
    project = Project(tmp_path_factory.mktemp("doors") / "p.bayleaf-studio")
    door = listen("127.0.0.1", 0)
    guard = Guard(studio_app(Workbench(project)), door.getsockname()[1])
    with running(guard, door) as port:
        yield guard, port, project


@pytest.fixture
def inside(studio):
    """A browser that was let in."""
    guard, port, _ = studio
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True, trust_env=False) as client:
        assert client.get(guard.first_address).status_code == 200
        client.headers["Origin"] = f"http://127.0.0.1:{port}"
        yield client


def test_the_first_address_leads_in_and_its_token_leaves_the_address(studio):
    guard = studio[0]
    answer = httpx.get(guard.first_address)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert guard.token not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}


def test_whoever_was_let_in_is_answered(inside):
    assert inside.get("/state").json()["name"] == "p"


@pytest.mark.parametrize(
    "path", ["/", "/state", "/table", "/events", "/studio/studio.js", "/?token=", "/?token=abc"]
)
def test_without_the_cookie_nothing_is_answered(studio, path):
    answer = httpx.get(f"http://127.0.0.1:{studio[1]}{path}")
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_wrong_cookie_is_none(studio):
    guard, port, _ = studio
    for value in ("", guard.token, "x" * 43, "ä"):
        cookie = f"bayleaf-studio-{port}={value}".encode()
        assert httpx.get(f"http://127.0.0.1:{port}/state", headers={"Cookie": cookie}).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil", ""]
)
def test_another_name_for_this_machine_is_refused(inside, studio, host):
    """DNS rebinding: a page of another site whose name leads here."""
    answer = inside.get("/state", headers={"Host": host.format(port=studio[1])})
    assert answer.status_code in (400, 403)
    assert "folder" not in answer.text


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_origin_is_refused_even_with_the_cookie(inside, studio, origin, method):
    answer = inside.request(method, "/state", headers={"Origin": origin.format(port=studio[1])})
    assert answer.status_code == 403


def test_a_change_without_an_origin_is_refused(inside):
    del inside.headers["Origin"]
    assert inside.get("/state").status_code == 200
    assert inside.put("/settings", json={}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_cannot_embed_anything(inside, site):
    """Another port of this machine is the same site to a browser: the cookie comes along."""
    assert inside.get("/state", headers={"Sec-Fetch-Site": site}).status_code == 403


def test_every_answer_forbids_what_the_studio_does_not_need(inside, studio):
    for answer in (
        inside.get("/"),
        inside.get("/state"),
        inside.get("/nothing"),
        httpx.get(f"http://127.0.0.1:{studio[1]}/"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_a_model_page_is_kept_apart_from_the_studio(inside, studio):
    project = studio[2]
    project.save()
    number = project.new_version()
    page = project.version_folder(number) / "network.html"
    page.write_text("<script>parent.fetch('/state')</script>")
    policy = inside.get(f"/versions/{number}/network/page").headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy


def test_the_door_is_on_this_machine_alone(studio):
    other = socket.gethostbyname(socket.gethostname())
    if not other.startswith("127."):
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((other, studio[1]), timeout=2)


@pytest.mark.parametrize(
    "name",
    [
        "../../outside.csv",
        "/etc/outside.csv",
        "..\\..\\outside.csv",
        "a/../../outside.csv",
        "%2e%2e%2foutside.csv",
        "x\0.csv",
    ],
)
def test_names_never_become_paths(inside, studio, name):
    project = studio[2]
    answer = inside.put("/data", params={"name": name}, content=b"a,b\n1,2\n")
    assert answer.status_code == 200
    assert project.table_path.parent == project.folder
    assert project.table_path.name.startswith("data")
    inside_folder = {path.name for path in project.folder.iterdir()}
    assert not [each for each in inside_folder if "outside" in each or each.startswith(".incoming")]
    assert not list(project.folder.parent.glob("outside*"))


@pytest.mark.parametrize(
    "path",
    [
        "/studio/../project.json",
        "/studio/%2e%2e/workbench.py",
        "/page/..%2fassemble.py",
        "/versions/1/../page",
        "/versions/-1/network/page",
        "/versions/1/..%2f..%2fproject.json/file",
    ],
)
def test_paths_lead_nowhere_else(inside, path):
    answer = inside.get(path)
    assert answer.status_code in (404, 405, 422)
    assert "bayleaf-studio" not in answer.text


def test_uploads_are_limited_whether_they_say_their_size_or_not(inside, studio, monkeypatch):
    monkeypatch.setattr("bayleaf.studio.workbench.MOST_UPLOAD", 1000)
    before = sorted(path.name for path in studio[2].folder.iterdir())
    declared = inside.put("/data", params={"name": "a.csv"}, content=b"x" * 2000)
    streamed = inside.put("/data", params={"name": "a.csv"}, content=(b"x" * 100 for _ in range(20)))
    assert (declared.status_code, streamed.status_code) == (413, 413)
    assert sorted(path.name for path in studio[2].folder.iterdir()) == before


@pytest.mark.parametrize("name", ["model.pkl", "run.py", "noname", "", "a.csv.exe", "page.html"])
def test_only_tables_are_taken(inside, name):
    answer = inside.put("/data", params={"name": name}, content=b"a,b\n1,2\n")
    assert answer.status_code == 422
    assert "no table that can be read" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/settings", b"{"),
        ("PUT", "/settings", b"[]"),
        ("PUT", "/settings", {"seed": -1}),
        ("PUT", "/settings", {"target": ["a"]}),
        ("PUT", "/settings", {"types": {"a": "code; rm -rf /"}}),
        ("PUT", "/settings", {"__class__": "x"}),
        ("PUT", "/wishes", {"wishes": [{"parent": "a"}]}),
        ("PUT", "/wishes", {"wishes": [{"parent": "a", "child": "a", "must": True}]}),
        ("POST", "/learn", {"version": "../1"}),
        ("POST", "/learn", {}),
    ],
)
def test_broken_requests_get_one_sentence(inside, method, path, body):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = inside.request(method, path, content=content)
    assert answer.status_code == 422
    assert answer.json()["detail"].endswith(".")
    assert "Traceback" not in answer.text


def test_what_is_in_a_table_is_not_logged(inside, capfd):
    inside.put("/data", params={"name": "secret.csv"}, content=b"name,b\nMargaret,2\nMargaret,3\n")
    inside.put("/settings", json={"target": "nothing"})
    assert inside.get("/table").status_code == 200
    said = capfd.readouterr()
    assert "Margaret" not in said.out + said.err
    assert said.out + said.err == ""


def test_ctrl_c_ends_the_studio_while_a_page_is_open(tmp_path):
    command = [sys.executable, "-m", "bayleaf", "studio", "--no-browser"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", process.stdout.readline())[0]
        with httpx.Client(timeout=60, trust_env=False) as client:
            client.get(address)
            with client.stream("GET", httpx.URL(address).copy_with(path="/events", query=None)) as events:
                assert next(events.iter_text()).startswith("event: state")
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert (out, err, process.returncode) == ("Ctrl-C stops it.\nStopped.\n", "", 0)
    assert list(tmp_path.iterdir()) == []  # nothing is written before there is something to keep
