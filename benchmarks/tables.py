"""Tables of plain text for the benchmark programs."""


def print_table(title, header, rows):
    """A title, and cells in columns of their widths."""
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print(
            "  ".join(f"{cell!s:>{width}}" for cell, width in zip(row, widths, strict=True)),
            flush=True,
        )
