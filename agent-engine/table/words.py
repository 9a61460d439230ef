"""Splitting a text into the words that the table sees: the same as agent-engine's `index::words` without its `whole`s.

Letters and digits in runs; a run is cut where case, digits or script change; folded to lower case without accents; stop
words left out; Chinese, Japanese and Korean as pairs of neighbouring letters.
"""

import re
import unicodedata

LONGEST = 64  # bytes of a word
STOP = set(
    """a an the this that these those it its i me my we us our you your he his she her they them their
    and or but so if then than as of at by for with about into is are was were be been being am do does did
    have has had will would shall should can could may might must please want wants need needs like
    there here what which who whom whose where how why some any such very just also each other own same too
    s t d m ll re ve don didn doesn isn etc eg ie using via tool tools mcp""".split()
)
SPELT = {"ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
CJK = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0x20000, 0x3134F))
ASCII_RUNS = re.compile(r"[A-Za-z0-9]+")


def mark(letter):
    return "\u0300" <= letter <= "\u036f"


def cjk(letter):
    return any(first <= ord(letter) <= last for first, last in CJK)


def fold(text):
    """Lower case, without accents."""
    if text.isascii():
        return text.lower()
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not mark(letter)).lower()
    return unicodedata.normalize("NFC", "".join(SPELT.get(letter, letter) for letter in plain))


def kind(letter):
    if cjk(letter):
        return "cjk"
    return "digit" if letter.isnumeric() else "upper" if letter.isupper() else "lower"


def parts(run):
    """`getHTTPResponse2` is `get`, `HTTP`, `Response`, `2`; `URLs` stays whole."""
    letters = [letter for letter in run if not mark(letter)]
    kinds = [kind(letter) for letter in letters]
    found, start = [], 0
    for at in range(1, len(letters)):
        pair = (kinds[at - 1], kinds[at])
        plural = at + 2 == len(letters) and letters[-1] == "s"
        if pair == ("upper", "upper"):
            cut = at + 1 < len(letters) and kinds[at + 1] == "lower" and not plural
        else:
            cut = pair[0] != pair[1] and pair != ("upper", "lower")
        if cut:
            found.append("".join(letters[start:at]))
            start = at
    return found + ["".join(letters[start:])] if letters else found


def runs(text):
    if text.isascii():
        return ASCII_RUNS.findall(text)
    text = unicodedata.normalize("NFKC", text)
    return "".join(letter if letter.isalnum() or mark(letter) else " " for letter in text).split()


def words(text):
    """The words of a text in order."""
    found = []
    for run in runs(text):
        for part in parts(run):
            plain = fold(part)
            pairs = len(plain) > 2 and any(map(cjk, plain))
            found += [plain[at : at + 2] for at in range(len(plain) - 1)] if pairs else [plain]
    return [word for word in found if word not in STOP and 1 <= len(word.encode()) <= LONGEST]
