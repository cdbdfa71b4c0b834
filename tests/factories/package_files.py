"""Alter the files of a package, as someone who cheats would."""

import csv
import io
import json

from annotation.services.package_layout import file_entry


def alter(folder, name, change):
    """Change a file of a package and its hash in the manifest, as someone who cheats would."""
    path = folder / name
    before = path.read_text("utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, "utf-8", newline="\n")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"][name] = file_entry(path)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


def changed(change):
    """Return a change of a JSON text, made on its value."""

    def apply(text):
        value = json.loads(text)
        change(value)
        return json.dumps(value, ensure_ascii=False)

    return apply


def rows_changed(change):
    """Return a change of a CSV text, made on its rows."""

    def apply(text):
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        change(rows)
        out = io.StringIO()
        writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()

    return apply


def all_bytes(folder):
    """Return all that is in a folder."""
    return b"\n".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def fields(verified):
    """Return file and field of each difference that was found."""
    return {(one.file, one.field) for one in verified.differences}
