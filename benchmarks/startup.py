"""How long the command takes to start: processor time of help, a small file, and the import.

Run ``python -m benchmarks.startup``; each process runs several times, and the least time counts.
"""

import argparse
import os
import subprocess
import sys

from rankcut.cli import COMMANDS


def main() -> None:
    """Print a line for each process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="How often each process runs.")
    runs = parser.parse_args().runs
    command = [sys.executable, "-m", "rankcut"]
    processes = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import rankcut": [sys.executable, "-c", "import rankcut"],
        "rankcut --help": [*command, "--help"],
        **{f"rankcut {name} --help": [*command, name, "--help"] for name in COMMANDS},
        "rankcut info lunch:full": [*command, "info", "lunch:full"],
    }
    print(f"{'process':<26}{'processor time':>14}")
    for name, arguments in processes.items():
        seconds = min(processor_time(arguments) for _ in range(runs))
        print(f"{name:<26}{seconds:>12.2f} s", flush=True)


def processor_time(arguments: list[str]) -> float:
    """Seconds that a process computes, whatever else the machine does."""
    before = os.times()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    spent = after.children_user - before.children_user
    return spent + after.children_system - before.children_system


if __name__ == "__main__":
    main()
