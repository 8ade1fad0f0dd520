"""A report as Markdown, with its figures as files beside it."""

from rankcut.reports.findings import Document, Outcome, Section, Sheet, Verdict
from rankcut.reports.markdown_text import with_minus_signs
from rankcut.reports.table_files import columns_of, shown

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
    lines += ["| verdict | the paper says | where |", "|---|---|---|"]
    for section in document.sections:
        lines += [
            f"| {_mark(verdict)} | [{_cell(claim.statement)}](#{section.anchor}) | "
            f"{_cell(claim.where)} |"
            for claim, verdict in section.claims
        ]
    for section in document.sections:
        lines += ["", *_section(section)]
    return with_minus_signs("\n".join(lines) + "\n")


def _section(section: Section) -> list[str]:
    lines = [f'<a id="{section.anchor}"></a>', "", f"## {section.title}", ""]
    lines += [section.prose.strip(), ""]
    for claim, verdict in section.claims:
        lines.append(
            f"- **{_mark(verdict)}** ({claim.where}): *{claim.statement}* {verdict.because}"
        )
    for name, picture in section.pictures.items():
        lines.append("")
        for place, panel in enumerate(picture.panels):
            lines.append(f"![{_cell(panel)}]({panel_file(name, place)})")
        lines += ["", f"*{picture.caption.replace('*', '')}*"]
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


def _mark(verdict: Verdict) -> str:
    return f"{_MARKS[verdict.outcome]} {verdict.outcome}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
