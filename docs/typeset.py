"""What keeps together and where a line may break, and formulas with their indices."""

import re

# Blocks of code, code within a sentence, and tags; what is between them is text.
_PIECES = re.compile(r"(<pre\b.*?</pre>|<code>[^<]*</code>|<[^>]*>)", re.S)

# W_ij, φ'_i or Σ_{i<j}; p^(d−1) or φ^d.
_INDEX = re.compile(
    r"(?<![\w.])([A-Za-zΑ-Ωα-ω][°']?)_(?:\{([^{}]*)\}|(\d:[a-z]|[A-Za-z0-9α-ω]{1,2}))(?![A-Za-z0-9_])"
)
_POWER = re.compile(r"(?<=[\w)])\^(?:\{([^{}]*)\}|\(([^()]*)\)|(\w)(?!\w))")

# A number with its unit, its margin, or the sign before it; short words with a hyphen.
_UNIT = re.compile(r"(\d) (?=(?:%|s|ms|µs|min|GB|MB|kB)(?!\w))")
_MARGIN = re.compile(r" ± (?=[.\d])")
_SIGN = re.compile(r"(≤|≥|&lt;|&gt;) (?=[.\d])")
_HYPHEN = re.compile(r"\b(?:[Tt]op-(?:k|\d+)|[Pp]-values?)\b")

# An option with or without its value, a word with a hyphen, and an extra: not to be broken.
_OPTION = re.compile(r"--?.{1,26}", re.S)
_WHOLE = re.compile(r'(?=.*-|".\[).{1,30}')

# Where a long name may be broken on a phone: in a sentence, and sooner in a table.
_JOINT = re.compile(r"(?<=[(.=,/])(?=\w)")
_JOINT_IN_CELL = re.compile(rf"{_JOINT.pattern}|(?<=\w\w_)(?=\w)|(?<=[a-z])(?=[A-Z])")


def typeset(html):
    """The HTML of a page with its text and its code within sentences mended."""
    pieces = _PIECES.split(html)
    in_cell = False
    for number, piece in enumerate(pieces):
        if number % 2 == 0:
            pieces[number] = _text(piece)
        elif piece.startswith("<code>"):
            code = piece.removeprefix("<code>").removesuffix("</code>")
            pieces[number] = _code(code, in_cell)
        elif re.match(r"</?t[dh]\b", piece):
            in_cell = not piece.startswith("</")
    return "".join(pieces)


def _text(text):
    text = _INDEX.sub(lambda found: f"{found[1]}<sub>{found[2] or found[3]}</sub>", text)
    text = _POWER.sub(lambda found: f"<sup>{found[1] or found[2] or found[3]}</sup>", text)
    text = _MARGIN.sub("\u00a0±\u00a0", _UNIT.sub("\\1\u00a0", text))
    text = _SIGN.sub("\\1\u00a0", text)
    return _HYPHEN.sub(lambda found: _unbroken(found[0]), text)


def _code(code, in_cell):
    if _OPTION.fullmatch(code):
        return f'<code style="white-space:nowrap">{code}</code>'
    words = re.split(r"(\s+)", code)
    return f"<code>{''.join(_word(word, in_cell) for word in words)}</code>"


def _word(word, in_cell):
    if _WHOLE.fullmatch(word):
        return _unbroken(word)
    joint, long = (_JOINT_IN_CELL, 17) if in_cell else (_JOINT, 34)
    return joint.sub('<wbr class="joint">', word) if len(word) > long else word


def _unbroken(words):
    return f'<span style="white-space:nowrap">{words}</span>'
