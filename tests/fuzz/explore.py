"""Look for trouble at random, for a bounded time: ``make explore``.

Property tests run with random examples, in random order, and beside them the fuzzers of the
readers (where atheris is installed). What is found is printed, with the lines that repeat it;
write it beside the test as an ``@example``.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fuzz_readers import SEEDS

TESTS = Path(__file__).parent.parent
HARNESS = Path(__file__).with_name("fuzz_readers.py")


def start_properties(seed, output):
    """Property tests with random examples, one file after another in random order."""
    files = sorted(path for path in TESTS.rglob("test_*.py") if "hypothesis" in path.read_text())
    random.Random(seed).shuffle(files)
    options = ["-q", "-m", "hypothesis", "--tb=short", f"--hypothesis-seed={seed}"]
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            *options,
            "--hypothesis-profile=explore",
            *map(str, files),
        ],
        cwd=TESTS.parent,
        stdout=output,
        stderr=subprocess.STDOUT,
    )


def fuzz(name, seed, seconds, folder):
    """Run one fuzzer; what it wrote, and whether it found something."""
    corpus = folder / name
    corpus.mkdir()
    for number, content in enumerate(SEEDS[name]):
        (corpus / str(number)).write_bytes(content)
    bounds = [f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=1500", "-max_len=600"]
    done = subprocess.run(
        [sys.executable, str(HARNESS), name, *bounds, f"-seed={seed}", str(corpus)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
    )
    return done.returncode != 0, done.stderr[-3000:]


def fuzz_readers(seed, seconds):
    """All fuzzers one after another; whether any found something."""
    try:
        import atheris  # noqa: F401
    except ModuleNotFoundError:
        print("atheris is not installed: no fuzzing")
        return False
    found = False
    with tempfile.TemporaryDirectory() as folder:
        for name in SEEDS:
            each = max(1, seconds // len(SEEDS))
            failed, said = fuzz(name, seed, each, Path(folder))
            print(f"fuzzed {name} for {each} s: {'FOUND SOMETHING' if failed else 'nothing'}")
            if failed:
                print(said)
            found |= failed
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=600, help="how long in all (default 600)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31 - 1))
    options = parser.parse_args()
    print(f"exploring with seed {options.seed} for {options.seconds} s", flush=True)
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryFile() as output:
        properties = start_properties(options.seed, output)
        found = fuzz_readers(options.seed, max(4, options.seconds - 20))
        try:
            properties.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            properties.send_signal(signal.SIGINT)
            try:
                properties.wait(15)
            except subprocess.TimeoutExpired:
                properties.kill()
                properties.wait()
        output.seek(0)
        said = output.read().decode(errors="replace")
    failed = "\nFAILED " in said or "\nERROR " in said
    print(said if failed else said[-200:])
    print("property tests:", "FOUND SOMETHING" if failed else "nothing")
    return int(found or failed)


if __name__ == "__main__":
    sys.exit(main())
