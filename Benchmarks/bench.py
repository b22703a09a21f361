#!/usr/bin/env python3
"""Measures runic beside its peers and plain C, in one run.

    bench.py --runic FILE [--records N[,N]] [--runs N] [--output FILE] [--smoke]

Peers that are not installed are left out, by name. Needs cc, libcrypto, zlib and, for anything to compare with,
git, restic, borg, rsync and sqlite3.
"""

import argparse
import datetime
import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from measure import HERE, Arena, Failed
from table import Report
from works import Works


@dataclass
class Sizes:
    """How much of each there is."""

    base: int = 10_000
    bulk: tuple = (100_000,)
    requests: int = 100_000
    pushes: int = 1000
    devices: int = 100

    @staticmethod
    def smoke():
        return Sizes(base=20, bulk=(300,), requests=200, pushes=3, devices=4)


def arguments():
    parser = argparse.ArgumentParser(description="Measures runic beside its peers and plain C.")
    parser.add_argument("--runic", required=True, type=Path)
    parser.add_argument("--records", default="100000", help="sizes of the bulk works, with commas")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--devices", type=int, default=100)
    parser.add_argument("--pushes", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--peers", default="git,restic,borg,rsync,sqlite3", help="the peers to run, where installed")
    parser.add_argument("--output", type=Path, default=HERE / "RESULTS.md")
    parser.add_argument("--smoke", action="store_true", help="everything once and tiny: does it still run?")
    return parser.parse_args()


def about(runs):
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    return (
        f"{day}, {model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, warm caches, medians of "
        f"{runs} runs in turn. Processor time is of the process and its threads. Compare only figures of "
        "one run. Made by `make bench`."
    )


def main():
    options = arguments()
    sizes = Sizes.smoke() if options.smoke else Sizes(
        bulk=tuple(int(text) for text in options.records.split(",")), requests=options.requests,
        devices=options.devices, pushes=options.pushes)
    runs = 1 if options.smoke else options.runs
    folder = Path(tempfile.mkdtemp(prefix="runic-bench-"))
    report = Report("Benchmarks", about(runs))
    try:
        works = Works(Arena(folder, options.runic.resolve(), options.peers.split(",")), sizes, runs, report)
        works.all()
    except Failed as failure:
        sys.exit(f"bench: {failure}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if works.absent:
        report.lines += ["Not installed, so left out: " + ", ".join(sorted(works.absent)) + ".", ""]
    options.output.write_text(report.text())
    print(report.text() if not options.smoke else f"bench: wrote {options.output}")


if __name__ == "__main__":
    main()
