#!/usr/bin/env python3
"""Our linear support vector machine beside LIBLINEAR: the same rows, the same cost.

Needs `pip install scikit-learn` and cargo:

    python3 core/models/benches/beside_liblinear.py

6,000 rows of 40 words out of 20,000, as skewed as words are, each row of length 1; a third of the
words of a row tell its class, and one label in ten is wrong. Prints what both minimise as far as
they got, and their times with the ratio, for LIBLINEAR at the precision that is usual
in scikit-learn and at one that comes as near as ours.
"""

import os
import subprocess
import tempfile
import time

import numpy
from scipy.sparse import csr_matrix
from sklearn.svm import LinearSVC

ROWS, WORDS, ALL, ROUNDS = 6_000, 40, 20_000, 5


def drawn():
    """Labels and rows, a dictionary each."""
    draw = numpy.random.default_rng(1)
    labels = draw.random(ROWS) < 0.3
    rows = []
    for is_good in labels:
        words = (ALL ** draw.random(WORDS)).astype(int)
        # What tells the class: words of odd numbers in one, of even ones in the other.
        telling = draw.random(WORDS) < 0.33
        words = numpy.where(telling, words // 2 * 2 + int(is_good), words)
        row = {}
        for word in words:
            row[int(word)] = row.get(int(word), 0.0) + 1.0
        length = sum(value * value for value in row.values()) ** 0.5
        rows.append({word: value / length for word, value in sorted(row.items())})
    return labels ^ (draw.random(ROWS) < 0.1), rows


def best(train):
    """The machine, and the seconds of the fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        machine = train()
        seconds.append(time.perf_counter() - began)
    return machine, min(seconds)


def main():
    labels, rows = drawn()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "rows")
        with open(file, "w") as out:
            for is_good, row in zip(labels, rows):
                cells = [f"{word}:{value!r}" for word, value in row.items()]
                out.write(" ".join(["1" if is_good else "-1", *cells]) + "\n")
        said = subprocess.run(
            ["cargo", "bench", "--quiet", "--package", "linkscent-models", "--bench", "svm",
             "--", file],
            check=True, capture_output=True, text=True,
        )
    loss, seconds = map(float, said.stdout.split())
    lengths = [len(row) for row in rows]
    matrix = csr_matrix(
        (
            [value for row in rows for value in row.values()],
            [word for row in rows for word in row],
            numpy.concatenate([[0], numpy.cumsum(lengths)]),
        ),
        shape=(ROWS, ALL + 2),
    )
    signs = numpy.where(labels, 1, -1)
    print(f"ours: loss {loss:.6f}, {1e3 * seconds:.1f} ms")
    for tolerance in [1e-4, 1e-5]:
        machine = LinearSVC(loss="squared_hinge", C=1.0, tol=tolerance, max_iter=100_000)
        _, theirs = best(lambda: machine.fit(matrix, signs))
        weights, bias = machine.coef_[0], machine.intercept_[0]
        missed = numpy.maximum(0.0, 1.0 - signs * (matrix @ weights + bias))
        least = (weights @ weights + bias * bias) / 2.0 + (missed**2).sum()
        print(f"LIBLINEAR at {tolerance}: loss {least:.6f}, {1e3 * theirs:.1f} ms, "
              f"ratio {seconds / theirs:.2f}")


if __name__ == "__main__":
    main()
