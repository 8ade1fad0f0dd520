import pickle

from rankcut import RankingFileError


def test_an_error_comes_back_whole_from_another_process():
    for error in (RankingFileError("no item 9", "votes.soi", 12), RankingFileError("bad", "a")):
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)
        assert (again.message, again.source, again.line) == (
            error.message,
            error.source,
            error.line,
        )
