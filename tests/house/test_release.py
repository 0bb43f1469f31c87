"""What a release is made of: one version, links that work on a package page, wheels of all platforms."""

import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Template
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
RELATIVE = re.compile(r"\]\((?!https?:|#)([^)]*)\)")


def package_page() -> str:
    """Return the README as the build puts it on a package page."""
    text = (ROOT / "README.md").read_text()
    for each in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    return text


def test_the_version_is_in_one_place() -> None:
    version = PROJECT["project"]["version"]
    assert str(Version(version)) == version
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(r"^## \[([^\]]+)\]", changelog, re.MULTILINE).group(1) == version  # type: ignore[union-attr]
    others = [
        path.name
        for path in [*ROOT.glob("*.cff"), *ROOT.glob("*.yml"), *(ROOT / "packaging").rglob("*.*")]
        if Version(version).base_version in path.read_text()
    ]
    assert others == []


def test_links_of_the_readme_lead_somewhere() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md"):
        for link in RELATIVE.findall((ROOT / name).read_text()):
            assert (ROOT / link.partition("#")[0]).exists(), (name, link)


def test_a_package_page_has_no_link_into_folders() -> None:
    assert RELATIVE.search((ROOT / "README.md").read_text())
    page = package_page()
    assert RELATIVE.findall(page) == []
    assert "![" not in page
    assert "- Tutorial: from a CSV file" in page
    shown = metadata("bayleaf")["Description"] or metadata("bayleaf").get_payload()
    assert "- Tutorial: from a CSV file" in str(shown)


def test_wheels_are_built_for_every_platform() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text())
    machines = {each["name"] for each in workflow["jobs"]["wheels"]["strategy"]["matrix"]["include"]}
    assert machines == {"linux-x86_64", "linux-aarch64", "macos-x86_64", "macos-arm64", "windows-x86_64"}
    wheels = PROJECT["tool"]["cibuildwheel"]
    assert wheels["build"] == ["cp311-*", "cp312-*"]
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert "packaging/smoke.py" in wheels["test-command"]


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_files_of_a_code_host_are_yaml(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    asked: list[str] = []

    def load_file_data(name: str, *, from_recipe_dir: bool) -> dict[str, Any]:
        asked.append(name)
        assert from_recipe_dir
        return tomllib.loads((ROOT / "packaging" / "conda" / name).read_text())

    plain = {"compiler": lambda kind: f"{kind}-compiler", "PYTHON": "python"}
    recipe = yaml.safe_load(Template(text).render(load_file_data=load_file_data, **plain))
    assert asked == ["../../pyproject.toml"]
    assert recipe["package"] == {"name": "bayleaf", "version": PROJECT["project"]["version"]}
    assert recipe["requirements"]["run"] == ["python", *PROJECT["project"]["dependencies"]]
    built = {each.replace(" ", "") for each in recipe["requirements"]["host"]}
    assert built >= set(PROJECT["build-system"]["requires"])
