"""What a reader or writer says of a file it cannot use."""


class RankingFileError(ValueError):
    """``file:line: what is wrong and the remedy``.

    Parameters
    ----------
    message : str
        What is wrong, and what to do about it.
    source : str
        The file's name.
    line : int or None
        The line, counted from 1, if the mistake is at one.

    Examples
    --------
    >>> str(RankingFileError("item 9 does not exist", "votes.soi", 12))
    'votes.soi:12: item 9 does not exist'
    """

    def __init__(self, message: str, source: str, line: int | None = None) -> None:
        self.message = message
        self.source = source
        self.line = line
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {message}")

    def __reduce__(self) -> tuple[type["RankingFileError"], tuple[str, str, int | None]]:
        # An exception is made again from its text alone, unless told: a worker's would be lost.
        return type(self), (self.message, self.source, self.line)
