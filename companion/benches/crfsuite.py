#!/usr/bin/env python3
"""Our CRF beside CRFsuite: the same sequences, the same objective.

Needs `pip install python-crfsuite` and a release build:

    cargo build --release -p linkscent
    python3 companion/benches/crfsuite.py target/release/linkscent

Sequences are drawn at random in the shape of Liu and Milios 2010: 12,000
sequences of 6 pages, 60 words a page out of 20,000, 5 states. Prints the
objective at convergence and the marginals on a tenth of them, then time an
iteration and peak memory on all, each with its ratio.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import pycrfsuite

STATES, WORDS, VOCABULARY, PAGES = 5, 60, 20_000, 6
VARIANCE = 10.0


def sequences(count, seed):
    """Lists of (label, {word: value}); words are Zipf-like and lean to states."""
    draw = random.Random(seed)
    made = []
    for _ in range(count):
        state = draw.randrange(STATES)
        pages = []
        for _ in range(PAGES):
            state = max(0, min(STATES - 1, state + draw.choice((-1, -1, 0, 1))))
            words = {}
            for _ in range(WORDS):
                rank = int(VOCABULARY ** draw.random()) - 1
                if draw.random() < 0.3:
                    rank = rank // STATES * STATES + state
                words[f"w{min(rank, VOCABULARY - 1)}"] = 1.0 / WORDS**0.5
            pages.append((f"T{state}", words))
        made.append(pages)
    return made


def write(made, path):
    with open(path, "w") as file:
        for pages in made:
            for label, words in pages:
                fields = "\t".join(f"{word}:{value:.9g}" for word, value in words.items())
                file.write(f"{label}\t{fields}\n")
            file.write("\n")


def theirs(made, iterations, model):
    """Trains CRFsuite in this process; (loss, seconds an iteration, iterations)."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for pages in made:
        trainer.append([words for _, words in pages], [label for label, _ in pages])
    trainer.set_params({
        "c1": 0.0, "c2": 0.5 / VARIANCE, "max_iterations": iterations,
        "epsilon": 1e-7 if iterations > 200 else 1e-12, "delta": 1e-12, "period": 10,
    })
    lines = []
    trainer.message = lambda text: lines.append(text)
    trainer.verbose = True
    trainer.train(model)
    log = "".join(lines)
    losses = [float(value) for value in re.findall(r"Loss: ([0-9.]+)", log)]
    seconds = [float(value) for value in re.findall(r"Seconds required for this iteration: ([0-9.]+)", log)]
    return losses[-1], sum(seconds) / len(seconds), len(losses)


def ours(program, path, iterations):
    said = subprocess.run(
        [program, "train", "--model", "crf", "--sequences", path, "--all", "--observed-only",
         "--variance", str(VARIANCE), "--iterations", str(iterations), "--exact", "--json"],
        check=True, capture_output=True, text=True,
    )
    return json.loads(said.stdout)


def alone(task, *arguments):
    """Runs a part of this script in a process of its own: its peak memory."""
    command = [sys.executable, os.path.abspath(__file__), "--part", task, *arguments]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(said.stdout.splitlines()[-1])


def peak_mb():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


def main(program):
    folder = tempfile.mkdtemp()
    small, large = os.path.join(folder, "small"), os.path.join(folder, "large")
    made = sequences(1_200, 1)
    write(made, small)
    model = os.path.join(folder, "model")
    their_loss, _, their_count = theirs(made, 1_000, model)
    mine = ours(program, small, 1_000)
    print(f"objective at convergence: ours {mine['loss']:.4f} in {mine['iterations']} iterations, "
          f"CRFsuite {their_loss:.4f} in {their_count}, "
          f"apart {100 * abs(mine['loss'] / their_loss - 1):.5f} %")
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    tagger.set([words for _, words in made[0]])
    labels = mine["labels"]
    apart = max(
        abs(share - tagger.marginal(labels[state], at))
        for at, row in enumerate(mine["sequence"]["marginals"])
        for state, share in enumerate(row)
    )
    print(f"marginals of the first sequence: at most {apart:.1e} apart")
    began = time.time()
    write(sequences(12_000, 2), large)
    print(f"(12,000 sequences drawn in {time.time() - began:.0f} s)")
    their = alone("theirs", large)
    mine = ours(program, large, 50)
    each = mine["seconds"] / mine["iterations"]
    print(f"time an iteration: ours {1e3 * each:.0f} ms, CRFsuite {1e3 * their['seconds']:.0f} ms, "
          f"ratio {each / their['seconds']:.2f}")
    print(f"peak memory: ours {mine['peak_mb']:.0f} MB, CRFsuite in Python {their['peak_mb']:.0f} MB, "
          f"ratio {mine['peak_mb'] / their['peak_mb']:.2f}")


def read(path):
    """The sequences of a file, one by one, so that Python holds only one."""
    pages = []
    with open(path) as file:
        for line in file:
            if not line.strip():
                yield pages
                pages = []
                continue
            label, *fields = line.rstrip("\n").split("\t")
            words = (field.rsplit(":", 1) for field in fields)
            pages.append((label, {word: float(value) for word, value in words}))


def part(path):
    _, seconds, _ = theirs(read(path), 50, path + ".model")
    print(json.dumps({"seconds": seconds, "peak_mb": peak_mb()}))


if __name__ == "__main__":
    if sys.argv[1] == "--part":
        part(sys.argv[3])
    else:
        main(sys.argv[1])
