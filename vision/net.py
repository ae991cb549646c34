"""Loading the ONNX networks: checked against their model cards, warmed up, one thread each."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from scorer.errors import KibitzError
from vision.files import shipped


@dataclass(frozen=True)
class Net:
    """A loaded network and the card that describes it."""

    name: str
    sha256: str
    card: dict[str, Any]
    session: ort.InferenceSession

    def __call__(self, **inputs: NDArray[Any]) -> list[NDArray[np.float32]]:
        return self.session.run(None, inputs)


def load_net(name: str, folder: Path | None = None) -> Net:
    """Load `models/<name>.onnx`, checked against `models/<name>.toml`.

    Raises:
        KibitzError: `model-missing`, `model-empty`, `model-changed` (its sha256 is not its card's), `model-broken`.
    """
    folder = folder or shipped("models")
    path, card_path = folder / f"{name}.onnx", folder / f"{name}.toml"
    mend = "install Kibitz again, or train it with `python -m models.export`"
    if not path.exists() or not card_path.exists():
        raise KibitzError("model-missing", f"the model {path} or its card {card_path.name} is missing: {mend}", path=str(path))
    data = path.read_bytes()
    if not data:
        raise KibitzError("model-empty", f"the model {path} is empty (0 bytes): {mend}", path=str(path))
    try:
        card = tomllib.loads(card_path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise KibitzError("model-card", f"the model card {card_path} cannot be read ({error}): {mend}", path=str(card_path)) from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != card.get("sha256"):
        raise KibitzError("model-changed", f"the model {path} is not the one its card names (sha256 {digest[:12]}…): {mend}", path=str(path))
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises classes of its own that share no base but Exception
        raise KibitzError("model-broken", f"the model {path} cannot be loaded ({str(error).splitlines()[0][:120]}): {mend}", path=str(path)) from error
    return Net(name, digest, card, session)
