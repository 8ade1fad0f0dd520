"""Look for trouble at random, for a bounded time: ``make explore``.

Property tests run with random examples, in random order, and beside them mutated files are read.
What is found is printed, with the lines that repeat it; write it beside the test as an
``@example``.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mutated_files import run_all

TESTS = Path(__file__).parent.parent


def start_properties(seed, output):
    """Property tests with random examples, one file after another in random order."""
    files = sorted(path for path in TESTS.rglob("test_*.py") if "hypothesis" in path.read_text())
    random.Random(seed).shuffle(files)
    options = ["-q", "-m", "hypothesis", "--tb=short", f"--hypothesis-seed={seed}"]
    options += ["--hypothesis-profile=explore", *map(str, files)]
    command = [sys.executable, "-m", "pytest", *options]
    return subprocess.Popen(command, cwd=TESTS.parent, stdout=output, stderr=subprocess.STDOUT)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=600, help="how long in all (default 600)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31 - 1))
    options = parser.parse_args()
    print(f"exploring with seed {options.seed} for {options.seconds} s", flush=True)
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryFile() as output:
        properties = start_properties(options.seed, output)
        found = run_all(options.seed, max(4, options.seconds - 20))
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
