"""A report as Markdown, with its figures as files beside it."""

import html
import re

from reproduction.findings import Document, Outcome, Section, Sheet, Verdict, columns_of, shown

FIGURES = "figures"

_MARKS = {
    Outcome.HOLDS: "✓",
    Outcome.IN_PART: "◐",
    Outcome.FAILS: "✗",
    Outcome.UNDECIDED: "?",
    Outcome.UNCHECKED: "–",
}


def panel_file(picture: str, place: int) -> str:
    """The name of a panel's file, from the picture's name and the panel's place in it."""
    return f"{FIGURES}/{picture}-{place + 1}.svg"


def markdown_page(document: Document) -> str:
    """The whole report."""
    counts = ", ".join(f"{document.count(outcome)} {outcome}" for outcome in Outcome)
    lines = [f"# {document.title}", "", document.lead.strip(), "", f"Verdicts: {counts}.", ""]
    lines += ["| verdict | as published | the paper says | where |", "|---|---|---|---|"]
    for section in document.sections:
        lines += [
            f"| {_mark(verdict)} | {_mark(verdict.published)} | "
            f"[{_cell(claim.statement)}](#{section.anchor}) | {_cell(claim.where)} |"
            for claim, verdict in section.claims
        ]
    for section in document.sections:
        lines += ["", *_section(section)]
    if document.bibtex:
        lines += ["", "```bibtex", document.bibtex, "```"]
    return with_minus_signs("\n".join(lines) + "\n")


def _section(section: Section) -> list[str]:
    lines = [f'<a id="{section.anchor}"></a>', "", f"## {section.title}", ""]
    lines += [section.prose.strip(), ""]
    for claim, verdict in section.claims:
        lines.append(
            f"- **{_mark(verdict)}** ({claim.where}): *{claim.statement}* {verdict.because}"
        )
        if verdict.published:
            published = verdict.published
            lines.append(f"  As published: **{_mark(published)}**. {published.because}")
    for name, picture in section.pictures.items():
        lines.append("")
        for place, panel in enumerate(picture.panels):
            lines.append(f"![{_cell(panel)}]({panel_file(name, place)})")
        keys = ", ".join(f"{key.label} ({key.style})" for key in picture.legend)
        lines += ["", f"*{picture.caption.replace('*', '')}*" + (f" {keys}." if keys else "")]
    for sheet in section.sheets:
        lines += ["", *_sheet(sheet)]
    if section.tables:
        files = ", ".join(f"[{name}.csv]({name}.csv)" for name in section.tables)
        lines += ["", f"Numbers: {files}, and as JSON."]
    return lines


def _sheet(sheet: Sheet) -> list[str]:
    columns = columns_of(sheet.rows)
    lines = [f"{sheet.caption}", "", "| " + " | ".join(map(_cell, columns)) + " |"]
    lines.append("|" + "---|" * len(columns))
    for row in sheet.rows:
        cells = (_cell(shown(row.get(name), sheet.formats.get(name, ""))) for name in columns)
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def _mark(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    return f"{_MARKS[verdict.outcome]} {verdict.outcome}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


# A hyphen before a number, not within a word, a date or an exponent.
_MINUS = re.compile(r"(?<![\w.\-/#])-(?=\d)")

_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    # Indices and exponents: v_l, B_{i−1}, (l + 1)^(n − l).
    (re.compile(r"(?<![\w/])([A-Za-zφ])_(?:\{([^{}]*)\}|(\w)(?!\w))"), r"\1<sub>\2\3</sub>"),
    (re.compile(r"\^\(([^()]*)\)"), r"<sup>\1</sup>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*\s][^*]*)\*"), r"<em>\1</em>"),
    (re.compile(r"\[([^\]]+)\]\(((?:https?://|#|[\w./-])[^)\s]*)\)"), r'<a href="\2">\1</a>'),
)


def with_minus_signs(text: str) -> str:
    """Negative numbers with a minus sign instead of a hyphen.

    >>> with_minus_signs("from -0.5 to top-3")
    'from −0.5 to top-3'
    """
    return _MINUS.sub("−", text)


def inline_html(text: str) -> str:
    """One line: `code`, **bold**, *italics* and [links](address); all else is escaped.

    >>> inline_html("**F1** < `0.6`, see [theory](#theory)")
    '<strong>F1</strong> &lt; <code>0.6</code>, see <a href="#theory">theory</a>'
    >>> inline_html("B_{i-1} and tekka_maki")
    'B<sub>i-1</sub> and tekka_maki'
    """
    escaped = html.escape(with_minus_signs(text), quote=True)
    for pattern, replacement in _INLINE:
        escaped = pattern.sub(replacement, escaped)
    return escaped


def block_html(text: str) -> str:
    r"""Paragraphs and lists, separated by empty lines.

    >>> block_html("Two kinds:\n\n- full\n- top-k")
    '<p>Two kinds:</p>\n<ul><li>full</li><li>top-k</li></ul>'
    """
    blocks = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.splitlines()]
        if lines[0].startswith("- "):
            entries: list[str] = []
            for line in lines:
                # A line that does not begin an entry continues the one before.
                if line.startswith("- "):
                    entries.append(line[2:])
                else:
                    entries[-1] += " " + line
            listed = "".join(f"<li>{inline_html(entry)}</li>" for entry in entries)
            blocks.append(f"<ul>{listed}</ul>")
        elif block.strip():
            blocks.append(f"<p>{inline_html(' '.join(lines))}</p>")
    return "\n".join(blocks)
