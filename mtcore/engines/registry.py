"""The engines there are: a new one is a file of its own and one line here."""

from __future__ import annotations

from mtcore.engines.base import Engine
from mtcore.engines.ctranslate2 import CTranslate2Engine
from mtcore.engines.errors import EngineError
from mtcore.engines.fairseq import FairseqEngine
from mtcore.engines.imported import ImportEngine
from mtcore.engines.setup import Setup
from mtcore.engines.thot import ThotEngine

ENGINES: dict[str, type[Engine]] = {
    CTranslate2Engine.name: CTranslate2Engine,
    FairseqEngine.name: FairseqEngine,
    ThotEngine.name: ThotEngine,
    ImportEngine.name: ImportEngine,
}
"""Name → engine, the preferred one first where several can do the same."""


def engine_make(name: str, setup: Setup) -> Engine:
    """Make the engine of a name.

    Raises:
        EngineError: there is none of this name.
    """
    if name not in ENGINES:
        raise EngineError(f"There is no engine “{name}”.", f"The engines are {', '.join(ENGINES)}.")
    return ENGINES[name](setup)


def engines_for(task: str, kind: str, setup: Setup) -> list[Engine]:
    """Return the engines that can do a task ("trains", "decodes", "scores") for a kind of model.

    Those that are available come first, otherwise in the order of the registry.
    """
    able = [engine(setup) for engine in ENGINES.values() if kind in getattr(engine, task)]
    return sorted(able, key=lambda engine: not engine.is_available())
