#!/usr/bin/env python3
"""Our hidden Markov model beside hmmlearn: the same tables, the same sequences.

Needs `pip install hmmlearn` and cargo:

    python3 core/models/benches/beside_hmmlearn.py

12,000 sequences of 6 pages, 5 states and 40 symbols, drawn at random. Prints the
log-probability of all of them by both, and the time of forward-backward and of Viterbi, each
with its ratio.
"""

import os
import subprocess
import tempfile
import time

import numpy
from hmmlearn.hmm import CategoricalHMM

SEQUENCES, LENGTH, STATES, SYMBOLS, ROUNDS = 12_000, 6, 5, 40, 5


def best(ask):
    """What is answered, and the seconds of the fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = ask()
        seconds.append(time.perf_counter() - began)
    return answer, min(seconds)


def main():
    draw = numpy.random.default_rng(1)
    model = CategoricalHMM(n_components=STATES, n_features=SYMBOLS)
    model.startprob_ = draw.dirichlet(numpy.ones(STATES))
    model.transmat_ = draw.dirichlet(numpy.ones(STATES), STATES)
    model.emissionprob_ = draw.dirichlet(numpy.ones(SYMBOLS), STATES)
    rows = [model.sample(LENGTH, random_state=number)[0][:, 0] for number in range(SEQUENCES)]
    tables = [model.startprob_, model.transmat_.ravel(), model.emissionprob_.ravel()]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "sequences")
        with open(file, "w") as out:
            for line in tables:
                out.write(" ".join(repr(float(value)) for value in line) + "\n")
            for row in rows:
                out.write(" ".join(map(str, row)) + "\n")
        said = subprocess.run(
            ["cargo", "bench", "--quiet", "--package", "linkscent-models", "--bench", "hmm",
             "--", file],
            check=True, capture_output=True, text=True,
        )
    log_sum, marginals, viterbi = map(float, said.stdout.split())
    symbols, lengths = numpy.concatenate(rows).reshape(-1, 1), [LENGTH] * SEQUENCES
    (their_sum, _), their_marginals = best(lambda: model.score_samples(symbols, lengths))
    _, their_viterbi = best(lambda: model.decode(symbols, lengths))
    print(f"log-probability: ours {log_sum:.6f}, hmmlearn {their_sum:.6f}")
    for name, own, their in [("forward-backward", marginals, their_marginals),
                             ("Viterbi", viterbi, their_viterbi)]:
        print(f"{name}: ours {1e3 * own:.1f} ms, hmmlearn {1e3 * their:.1f} ms, "
              f"ratio {own / their:.3f}")


if __name__ == "__main__":
    main()
