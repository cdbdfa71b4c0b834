"""A BEER model with invented weights: closer texts score higher."""

from __future__ import annotations

from pathlib import Path

from mtcore.metrics.beer import features


def write_beer(folder: Path) -> str:
    """Write a model of the shape of BEER 2.0's; return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(features("", ""))
    weights = [0.0 if name.startswith("len") else 0.05 for name in names]
    head = "solver_type L2R_L2LOSS_SVC\nnr_class 2\nlabel 1 -1\nnr_feature 61\nbias 0.0\nw\n"
    texts = {
        "core_model": head + "".join(f"{weight} \n" for weight in weights),
        "feature_names_mapping": "".join(f"{place} {name}\n" for place, name in enumerate(names)),
        "feature_values_scaling": "0.0 1.0\n" * len(names),
        "output_scaling": "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 1\nbias 0.0\nw\n5.0 \n25.0 \n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)
