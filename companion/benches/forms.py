"""What tells forms apart, beside scikit-learn on the same features and folds.

    linkscent-lab forms --material ... --domains ... --written ... --export forms.jsonl
    python3 forms.py forms.jsonl
"""

import json
import sys

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import accuracy_score, f1_score
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

rows = [json.loads(line) for line in open(sys.argv[1])]


def held_out(rows, label, features, make):
    folds = np.array([row["fold"] for row in rows])
    labels = np.array([row[label] for row in rows])
    said = labels.copy()
    for fold in np.unique(folds):
        taught = folds != fold
        x, y = features([row for row, is_taught in zip(rows, taught) if is_taught])
        model = make().fit(x, labels[taught])
        said[~taught] = model.predict(y([row for row, is_taught in zip(rows, taught) if not is_taught]))
    return labels, said


def shapes(taught):
    vectorizer = DictVectorizer(sparse=False)
    x = vectorizer.fit_transform([row["shape"] for row in taught])
    return x, lambda rows: vectorizer.transform([row["shape"] for row in rows])


def words(taught):
    rarity = TfidfVectorizer(analyzer=lambda row: row["words"] + row["around"], norm=None)
    rarity.fit(taught)

    def weighed(rows):
        own = rarity.transform([{"words": row["words"], "around": []} for row in rows])
        around = rarity.transform([{"words": [], "around": row["around"]} for row in rows])
        return normalize(own + 0.5 * around)

    return weighed(taught), weighed


forms = [row for row in rows if "shape" in row]
for row in forms:
    row["searchable"] = row["kind"] == "search"
figures = []
for seed in range(5):
    tree = lambda: DecisionTreeClassifier(min_samples_leaf=3, random_state=seed)
    labels, said = held_out(forms, "searchable", shapes, tree)
    figures.append((accuracy_score(labels, said), f1_score(labels, said)))
print("tree, searchable or not, five random seeds: accuracy %.3f, F1 %.3f" % tuple(np.mean(figures, axis=0)))
for accuracy, f1 in figures:
    print("  %.3f %.3f" % (accuracy, f1))
domains = [row for row in rows if "domain" in row]
if domains:
    svm = lambda: LinearSVC(C=10, class_weight="balanced", max_iter=100_000)
    labels, said = held_out(domains, "domain", words, svm)
    print("support vectors, domain: accuracy %.3f, mean F1 %.3f" % (accuracy_score(labels, said), f1_score(labels, said, average="macro")))
