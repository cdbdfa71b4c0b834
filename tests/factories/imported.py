"""Translations made elsewhere of every line that the contract of engines asks for."""

from pathlib import Path

from mtcore.engines.bundle import Bundle, bundle_open
from mtcore.engines.imported import outputs_bundle


def imported_outputs(folder: Path) -> Bundle:
    """Make the bundle in a folder, or open it when it is there."""
    from tests.contract import test_engines_contract as contract

    place = folder / "bundle"
    if place.exists():
        return bundle_open(place)
    folder.mkdir(parents=True, exist_ok=True)
    cases = [line for name in ("eng04_lines.txt", "eng02_long.txt") for line in contract.case_lines(name, 10)]
    lines = list(dict.fromkeys([*contract.PLAIN, *contract.ODD, contract.LONG, *cases]))
    source, outputs = folder / "source.txt", folder / "outputs.txt"
    source.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
    outputs.write_text("".join(f"Translation {n}.\n" for n in range(len(lines))), "utf-8")
    return outputs_bundle(
        source, outputs, source_language="de", target_language="en", made_by="a count", place=place
    )
