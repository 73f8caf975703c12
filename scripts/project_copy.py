"""A copy of the project's files, also of uncommitted ones, that is built beside it."""

import pathlib
import subprocess

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=PROJECT,
                            stdout=subprocess.PIPE, check=True).stdout
    return [name for name in listed.decode().split("\0") if name and (PROJECT / name).exists()]


def copy_project(scratch, changed=None):
    """Brings the scratch folder to the state of the project, but for `changed`: contents by name, also of files that the project lacks.
    An unchanged file keeps its time and is not built again.
    """
    changed = changed or {}
    wanted = set(tracked_files()) | set(changed)
    scratch.mkdir(parents=True, exist_ok=True)
    for old in scratch.rglob("*"):
        name = str(old.relative_to(scratch))
        if old.is_file() and not name.startswith((".build", ".git/")) and name not in wanted:
            old.unlink()
    for name in wanted:
        source, target = PROJECT / name, scratch / name
        content = changed[name] if name in changed else source.read_bytes()
        if target.exists() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if name not in changed:
            target.chmod(source.stat().st_mode)
