"""The page about a set of rankings, made of the answers' own words and figures."""

from rankcut.report.ranking_report import Report, report

__all__ = ["Report", "report"]
