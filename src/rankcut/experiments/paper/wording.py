"""Numbers as a person would say them."""

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_words(seconds: float) -> str:
    """Seconds as a person would say them.

    >>> in_words(0.00231), in_words(75), in_words(8000), in_words(0.000212)
    ('2.3 ms', '75 s', '2.2 hours', '212 µs')
    """
    units = {"hours": 3600.0, "minutes": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6}
    # Up to two minutes are told in seconds, and up to two hours in minutes.
    fitting = (
        (seconds / size, unit)
        for unit, size in units.items()
        if seconds >= (2 * size if size >= 60 else size)
    )
    number, unit = next(fitting, (seconds * 1e9, "ns"))
    return f"{number:,.0f} {unit}" if number >= 9.95 else f"{number:.2g} {unit}"


def tiny(number: float) -> str:
    """A difference that should be 0, to its power of ten.

    >>> tiny(3.6e-16), tiny(0.0)
    ('4·10⁻¹⁶', '0')
    """
    if number == 0:
        return "0"
    digit, power = f"{number:.0e}".split("e")
    return f"{digit.replace('-', '−')}·10{str(int(power)).translate(_RAISED)}"


def as_count(number: float) -> str:
    """How many times, to two digits or so.

    >>> as_count(0.8312), as_count(1234.5), as_count(29_917_694)
    ('0.83', '1,234', '30 million')
    """
    if number >= 1e6:
        return f"{number / 1e6:,.0f} million"
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"
