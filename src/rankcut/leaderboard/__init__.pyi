# The names of this package and their homes, which __init__.py loads when they are first used.

from rankcut.leaderboard.estimator import Leaderboard as Leaderboard
from rankcut.leaderboard.estimator import next_comparisons as next_comparisons
from rankcut.leaderboard.fusion import reciprocal_rank_fusion as reciprocal_rank_fusion
from rankcut.leaderboard.games import Games as Games
from rankcut.leaderboard.judges import JudgeAgreement as JudgeAgreement
from rankcut.leaderboard.judges import judge_agreement as judge_agreement
from rankcut.leaderboard.mean_ranks import MeanRanks as MeanRanks
from rankcut.leaderboard.mean_ranks import critical_difference as critical_difference
from rankcut.leaderboard.places import Places as Places
from rankcut.leaderboard.scores import ScoreTable as ScoreTable
