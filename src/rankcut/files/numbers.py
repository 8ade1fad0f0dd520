"""Whole numbers as files write them."""


def whole_number(text: str) -> int | None:
    """The number that up to 15 plain digits are, or None.

    Python's ``int`` takes more than a file may say: other scripts' digits, signs, underscores.

    >>> whole_number("42"), whole_number("4_2"), whole_number("٤٢")
    (42, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
