"""What would a person say of the items not listed? Gaussian utilities behind rankings."""

from rankcut.estimators.completion.completer import RankingCompleter

__all__ = ["RankingCompleter"]
