"""Tables that programs draw with lines in a terminal, as tables of a page."""

import re

# A title, perhaps, and the lines from the top of a box to its bottom.
# Lines of a long title end with spaces.
_BOX = re.compile(
    r"(?P<title>(?:^[^\n┏└│]*\S[^\n┏└│]* \n)+|^[^\n┏└│]*\S[^\n┏└│]*\n)?^┏.*?^└[^\n]*$", re.M | re.S
)
# A number with its unit, perhaps marked.
_NUMBER = re.compile(r"(• )?[~±+−-]?[\d.,]+(e[+-]\d+)?(\s?[^\s\d]{1,3})?$")


def with_tables(block):
    """What a program printed, as Markdown: boxes as tables, and the rest as it is.

    >>> print(with_tables('''Some words.
    ...    Two columns
    ... ┏━━━━━━┳━━━━━━━┓
    ... ┃ name ┃ score ┃
    ... ┡━━━━━━╇━━━━━━━┩
    ... │ uni  │   3 % │
    ... │ toro │  12 % │
    ... └──────┴───────┘'''))
    ```text
    Some words.
    ```
    <BLANKLINE>
    **Two columns**
    <BLANKLINE>
    | name | score |
    |---|---:|
    | uni | 3\u00a0% |
    | toro | 12\u00a0% |
    <BLANKLINE>
    """
    parts, end = [], 0
    for found in _BOX.finditer(block):
        parts += [_plain(block[end : found.start()]), _table(found[0], found["title"])]
        end = found.end()
    parts.append(_plain(block[end:]))
    return "\n".join(part for part in parts if part)


def _plain(text):
    return f"```text\n{text.strip(chr(10))}\n```\n" if text.strip() else ""


def _table(box, title):
    head, body, ruled = [], [], "├" in box
    rows = head
    for line in box[box.index("┏") :].splitlines():
        if line[0] == "┡":
            rows = body
        if line[0] in "┡├":
            body.append([])
        if line[0] not in "┃│":
            continue
        cells = [cell.strip() for cell in re.split("[┃│]", line)[1:-1]]
        # A unit stays with its number.
        cells = [c.replace(" ", "\u00a0") if _NUMBER.match(c) else c for c in cells]
        if rows is head:
            head.append(cells)
        elif ruled or not body[-1]:
            body[-1].append(cells)
        else:
            body.append([cells])
    names = [" ".join(filter(None, parts)) for parts in zip(*head, strict=True)]
    lines = [["<br>".join(filter(None, parts)) for parts in zip(*row, strict=True)] for row in body]
    numeric = [
        all(_NUMBER.match(part) for line in lines for part in line[k].split("<br>") if part)
        for k in range(len(names))
    ]
    written = [f"**{' '.join(title.split())}**\n"] if title else []
    written += [_row(names), "|" + "|".join("---:" if each else "---" for each in numeric) + "|"]
    return "\n".join([*written, *map(_row, lines)]) + "\n"


def _row(cells):
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
