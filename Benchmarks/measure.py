"""Runs commands through timer.c, contestants in turn, and keeps what each run took."""

import os
import shutil
import statistics
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass
class Run:
    """One run: seconds of wall and processor time, KiB of the largest process."""

    wall: float = 0.0
    processor: float = 0.0
    memory: int = 0

    def __add__(self, other):
        return Run(self.wall + other.wall, self.processor + other.processor, max(self.memory, other.memory))


@dataclass
class Row:
    """What one contestant needed for one work."""

    who: str
    runs: list = field(default_factory=list)

    def wall(self):
        return statistics.median(run.wall for run in self.runs)

    def processor(self):
        return statistics.median(run.processor for run in self.runs)

    def spread(self):
        return min(run.wall for run in self.runs), max(run.wall for run in self.runs)

    def memory(self):
        return max(run.memory for run in self.runs)


class Failed(Exception):
    pass


class Arena:
    """A folder with a HOME of its own, the programs, and what runs them."""

    def __init__(self, folder, runic, peers):
        self.folder = folder
        self.runic = self._installed(runic)
        self.peers = peers
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder / "home"), "LC_ALL": "C", "TZ": "UTC",
            "RESTIC_PASSWORD": "bench", "BORG_PASSPHRASE": "bench", "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "no",
            "GIT_AUTHOR_NAME": "b", "GIT_AUTHOR_EMAIL": "b@b", "GIT_COMMITTER_NAME": "b", "GIT_COMMITTER_EMAIL": "b@b",
            "GIT_CONFIG_NOSYSTEM": "1",
            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")},
        }
        (folder / "home").mkdir(parents=True)
        self.floors = self._compile("floors", "-lcrypto", "-lz")
        self.timer = self._compile("timer")
        if self.has("git"):
            self.set_up(["git", "config", "--global", "gc.auto", "0"])

    def _installed(self, runic):
        """The program as 'make install' puts it: stripped, where there is a strip."""
        copy = self.folder / "bin" / "runic"
        copy.parent.mkdir()
        shutil.copy2(runic, copy)
        if shutil.which("strip"):
            subprocess.run(["strip", copy], check=True)
        self._settle(copy)
        return str(copy)

    @staticmethod
    def _settle(program):
        """Writes a program anew in one go, as a package's installer does. What strip and a linker wrote lies in memory in
        small pieces until it is read from the disk again, and takes a tenth of a millisecond more to start."""
        whole = program.with_suffix(".new")
        shutil.copy2(program, whole)
        whole.replace(program)

    def _compile(self, name, *libraries):
        """A program of ours, linked statically as runic is, where the system has the libraries for it."""
        program = self.folder / name
        compiler = shutil.which("cc") or shutil.which("clang") or "cc"
        words = [compiler, "-O2", "-o", program, HERE / f"{name}.c"]
        if subprocess.run([*words, "-static", *libraries], capture_output=True).returncode != 0:
            subprocess.run([*words, *libraries], check=True)
        self._settle(program)
        return str(program)

    def has(self, program):
        """Whether a peer is wanted and installed."""
        return program in self.peers and shutil.which(program) is not None

    def set_up(self, command, stdin=None, cwd=None):
        """Runs something that is not measured, and answers what it printed."""
        with open(stdin or os.devnull, "rb") as source:
            done = subprocess.run(
                [str(word) for word in command], stdin=source, cwd=cwd or self.folder, env=self.environment,
                capture_output=True)
        if done.returncode != 0:
            raise Failed(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace')[-400:]}")
        return done.stdout

    def time(self, command, stdin=None, cwd=None):
        report = self.folder / "report"
        self.set_up([self.timer, report, *command], stdin, cwd)
        wall, processor, memory, status = map(int, report.read_text().split())
        if status != 0:
            raise Failed(f"{' '.join(map(str, command))}: status {status}")
        return Run(wall / 1e9, processor / 1e6, memory)

    def fresh(self, name):
        """An empty folder of that name."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def copy(self, source, name):
        """A copy of a folder, for a run that changes it."""
        path = self.folder / name
        shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(source, path, symlinks=True)
        return path


def contest(contestants, runs):
    """Lets all contestants run once, then all again, each time another one first: what the machine does
    meanwhile befalls all alike. A contestant is a name and what answers a Run for a run's number."""
    rows = [Row(name) for name, _ in contestants]
    order = list(range(len(contestants)))
    for number in range(runs):
        os.sync()
        for place in order[number % len(order):] + order[:number % len(order)]:
            rows[place].runs.append(contestants[place][1](number))
    return rows


def tree_size(folder):
    """Bytes and files of a tree."""
    sizes = [path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()]
    return sum(sizes), len(sizes)
