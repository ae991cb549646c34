"""The Game's rule of talk: anything may be said but the numbers one holds.

A sentence is refused when it names a number from 2 to 99 as a card, or a card's exact distance from a pile. Ordinals,
counts of cards or turns, the names of the piles (`pile 2`, `the 100 pile`) and the number that lies open on a pile
(`on the 47`) are no secret. English and Korean; digits in any language.

>>> allowed("I have a 47"), allowed("please nothing on the first pile"), allowed("마흔일곱 있어")
(False, True, False)
"""

from __future__ import annotations

import re
from collections.abc import Collection

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_SINO = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "륙": 6, "칠": 7, "팔": 8, "구": 9}
_NATIVE_TENS = {"열": 10, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90}
_NATIVE_UNITS = {"하나": 1, "둘": 2, "셋": 3, "넷": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9}


def _any(words: Collection[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_ENGLISH = re.compile(rf"\b(?:({_any(_TENS)})(?:[\s-]+({_any([w for w, n in _UNITS.items() if 1 <= n <= 9])})\b)?|({_any(_UNITS)}))\b")
_DECADE = re.compile(rf"\b({_any([w[:-1] for w in _TENS])})ies\b")
_KOREAN_END = r"(?=(?:이|가|을|를|은|는|도|번|만|있|짜|대|정|쯤|\s|[.,!?]|$))"
_SINO_NUMBER = re.compile(rf"(?<![가-힣])([이삼사오육칠팔구]?)십([일이삼사오육륙칠팔구]?){_KOREAN_END}")
_NATIVE_NUMBER = re.compile(rf"(?<![가-힣])({_any(_NATIVE_TENS)})({_any(_NATIVE_UNITS)})?{_KOREAN_END}")

_ADJECTIVES = r"(?:(?:more|other|good|great|bad|low|high|small|big|useful|playable|different|very|really|easy|whole|at least|at most) )*"
_NOUNS = (r"cards?|piles?|stacks?|rows?|turns?|plays?|players?|moves?|rounds?|times?|seconds?|minutes?|tricks?|ones|things|jumps?|"
          r"options?|of (?:us|them|my|mine|these|those|you)|more(?! than)|left|or more")
_COUNTED = re.compile(rf"\s*-?\s*{_ADJECTIVES}(?:{_NOUNS})(?!\w)|\s*(?:장|번째|명|개|더미|줄|차례)")
_PLACE = re.compile(r"\b(?:piles?|stacks?|rows?|columns?|player|더미|줄)(?: number| no\.?)?\s*#?$|\b(?:at least|at most|no more than) $")
_OPEN = re.compile(r"(?:\bon(?:to)?|\bover|\btop of|\bcovers?|\bshow(?:s|ing)|\bstands? at|\bis (?:now )?at|\bpile (?:at|with|of)) "
                   r"(?:the |that |this )?$")
_HELD = re.compile(r"\b(?:have|hold|got|holding|mine is|my card is)\s+(?:a |an |the )?$")
_DISTANCE = re.compile(r"\s*(?:higher|lower|above|below|bigger|smaller|more than|less than|away from)\b")
_NUMBER = re.compile(r"(?<![\w.])(\d{1,3})(s)?(st|nd|rd|th)?(?!\d)")


def _in_digits(say: str) -> str:
    """The sentence in lower case with every number word written in digits."""

    def english(match: re.Match[str]) -> str:
        tens, unit, small = match.groups()
        return str(_UNITS[small] if small else _TENS[tens] + (_UNITS[unit] if unit else 0))

    def sino(match: re.Match[str]) -> str:
        tens, unit = match.groups()
        return str((_SINO[tens] if tens else 1) * 10 + (_SINO[unit] if unit else 0))

    def native(match: re.Match[str]) -> str:
        tens, unit = match.groups()
        return str(_NATIVE_TENS[tens] + (_NATIVE_UNITS[unit] if unit else 0))

    text = _DECADE.sub(lambda m: f"{_TENS[m[1] + 'y']}s", say.lower().replace("’", "'"))
    return _NATIVE_NUMBER.sub(native, _SINO_NUMBER.sub(sino, _ENGLISH.sub(english, text)))


def numbers_told(say: str, held: Collection[int] = (), tops: Collection[int] = ()) -> tuple[int, ...]:
    """The card numbers (2..99) or exact distances that a sentence gives away, in order.

    `held`: the speaker's hand, where it is known: a number in it always counts. `tops`: the numbers open on the piles,
    which are nobody's secret.
    """
    text = _in_digits(say)
    told = []
    for match in _NUMBER.finditer(text):
        number, before, after = int(match[1]), text[: match.start()], text[match.end() :]
        if number <= 97 and _DISTANCE.match(after) and not _PLACE.search(before):  # "exactly 10 lower": as good as the number itself
            told.append(number)
            continue
        if not 2 <= number <= 99:
            continue
        if match[3] or (number <= 12 and _COUNTED.match(after)) or (number <= 10 and _PLACE.search(before)):
            continue  # an ordinal, a count, a pile's number
        if number not in held and not _HELD.search(before) and (number in tops or _OPEN.search(before)):
            continue  # lies open for all to see
        told.append(number)
    return tuple(told)


def allowed(say: str, held: Collection[int] = (), tops: Collection[int] = ()) -> bool:
    """May a player say this?"""
    return not numbers_told(say, held, tops)
