# The names of this package and their homes, which __init__.py loads when they are first used.

from rankcut.report.ranking_report import Report as Report
from rankcut.report.ranking_report import report as report
