"""The programs that people use for parts of this today; each may lack."""

import shutil


class Git:
    name, needs, encrypts = "git (add, commit)", "git", False

    def __init__(self, arena):
        self.arena = arena

    def prepare(self, lines):
        """A repository that holds a file of lines."""
        folder = self.arena.fresh("git")
        self.arena.set_up(["git", "init", "-q", folder])
        if lines:
            shutil.copy(lines, folder / "base.jsonl")
            self.commit(folder, self.arena.set_up)
        return folder

    def commit(self, folder, run):
        durably = ["git", "-c", "core.fsync=all"]
        added = run([*durably, "add", "-A"], cwd=folder)
        return added + run([*durably, "commit", "-q", "-m", "record"], cwd=folder)

    def store(self, lines):
        folder = self.prepare(None)
        shutil.copy(lines, folder / "lines.jsonl")
        return self.commit(folder, self.arena.time)

    def add_one(self, folder, line):
        with (folder / "base.jsonl").open("a") as file:
            file.write(line + "\n")
        return self.commit(folder, self.arena.time)

    def fetch_all(self, lines):
        """Clones what `store` left behind; it was pushed to a bare repository first."""
        bare = self.arena.folder / "git-bare"
        if not bare.exists():
            folder = self.prepare(lines)
            self.arena.set_up(["git", "clone", "-q", "--bare", folder, bare])
        target = self.arena.fresh("git-clone")
        return self.arena.time(["git", "clone", "-q", f"file://{bare}", target / "work"])


class Restic:
    name, needs, encrypts = "restic", "restic", True

    def __init__(self, arena):
        self.arena = arena

    def _command(self, *words):
        repository = self.arena.folder / "restic"
        return ["restic", "-q", "--no-cache", "-r", repository, *words]

    def store(self, lines):
        self.arena.fresh("restic")
        self.arena.set_up(self._command("init"))
        return self.arena.time(self._command("backup", lines))

    def fetch_all(self, lines):
        return self.arena.time(self._command("restore", "latest", "--target", self.arena.fresh("restic-out")))


class Borg:
    name, needs, encrypts = "borg", "borg", True

    def __init__(self, arena):
        self.arena = arena

    def store(self, lines):
        repository = self.arena.fresh("borg") / "repository"
        self.arena.set_up(["borg", "init", "-e", "repokey", repository])
        return self.arena.time(["borg", "create", f"{repository}::all", lines])

    def fetch_all(self, lines):
        repository = self.arena.folder / "borg" / "repository"
        return self.arena.time(["borg", "extract", f"{repository}::all"], cwd=self.arena.fresh("borg-out"))


class Sqlite:
    name, needs, encrypts = "sqlite3 (.import)", "sqlite3", False

    def __init__(self, arena):
        self.arena = arena

    def store(self, lines):
        base = self.arena.fresh("sqlite") / "base"
        self.arena.set_up(["sqlite3", base, "create table record(line text)"])
        return self.arena.time(["sqlite3", base, ".mode list", ".separator \"\\037\"", f".import {lines} record"])

    def group(self, rows):
        """The same sums as a report by day and model, over a table of the same requests."""
        base = self.arena.folder / "requests.sqlite"
        if not base.exists():
            self.arena.set_up([
                "sqlite3", base, "create table request(provider, model, time, input integer, output integer, id)",
                ".mode csv", f".import {rows} request"])
        query = "select substr(time, 1, 10), model, count(*), sum(input), sum(output) from request group by 1, 2"
        return self.arena.time(["sqlite3", base, query])


def present(arena, kinds):
    """The peers that are here, and the names of those that are not."""
    here = [kind(arena) for kind in kinds if arena.has(kind.needs)]
    return here, [kind.needs for kind in kinds if not arena.has(kind.needs)]
