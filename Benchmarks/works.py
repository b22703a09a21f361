"""The works: what runic, its peers and the floors are each asked to do."""

import gzip
import shutil
from itertools import islice

import workload
from measure import contest, tree_size
from peers import Borg, Git, Restic, Sqlite, present


class Runic:
    """runic's commands on repositories of this run."""

    def __init__(self, arena):
        self.arena = arena

    def words(self, repository, *words):
        return [self.arena.runic, "--quiet", "--repo", repository, *words]

    def run(self, repository, *words, stdin=None):
        return self.arena.set_up(self.words(repository, *words), stdin)

    def time(self, repository, *words, stdin=None):
        return self.arena.time(self.words(repository, *words), stdin)

    def begin(self, name, remote=None):
        repository = self.arena.fresh(name) / "repository"
        self.run(repository, "init", "--name", name)
        if remote:
            self.run(repository, "remote", "add", "home", remote)
        return repository

    def pair(self, name, lines, kind="usage"):
        """A device with these lines pushed to a remote, and a second one that has pulled them."""
        remote = self.arena.fresh(f"{name}-remote")
        first = self.begin(f"{name}-a", remote)
        self.run(first, "remote", "check", "home", "--create")
        self.run(first, "record", kind, "-", stdin=lines)
        self.run(first, "push")
        return first, self.clone(first, remote, f"{name}-b"), remote

    def clone(self, first, remote, name):
        key = self.arena.folder / "key"
        key.write_bytes(self.run(first, "key", "export"))
        second = self.arena.fresh(name) / "repository"
        self.run(second, "clone", remote, "--key-file", key, "--name", name)
        return second


class Works:
    def __init__(self, arena, sizes, runs, report):
        self.arena, self.sizes, self.runs, self.report = arena, sizes, runs, report
        self.runic = Runic(arena)
        self.absent = set()
        self.pullers = 0

    def all(self):
        # Short works first: those that remove much leave the disk slow at making files for a minute or more.
        self.start_up()
        self.record_one()
        self.hundred()
        for count in self.sizes.bulk:
            self.bulk(count)
        self.nothing()
        self.many_pushes()
        self.requests()
        self.devices()

    def lines(self, count, skip=0):
        """A file of quota readings."""
        path = self.arena.folder / f"usage-{count}-{skip}.jsonl"
        if not path.exists():
            with path.open("w") as file:
                for line in islice(workload.usage(skip + count), skip, None):
                    file.write(line + "\n")
        return path

    def peers(self, *kinds):
        here, absent = present(self.arena, kinds)
        self.absent.update(absent)
        return here

    def start_up(self):
        programs = [
            ("runic --version", [self.arena.runic, "--version"]), ("C", [self.arena.floors, "nothing"])]
        if self.arena.has("git"):
            programs.append(("git --version", ["git", "--version"]))
        rows = contest(
            [(name, lambda _, words=words: self.arena.time(words)) for name, words in programs], self.runs * 4)
        self.report.rows("Start-up", rows, rows[1])
        if len(rows) > 2:
            self.report.ratio("start-up", 1.3, rows[0], rows[2])

    def record_one(self):
        base = self.lines(self.sizes.base)
        ones = self.lines(self.runs, skip=self.sizes.base).read_text().splitlines()
        repository = self.runic.begin("one")
        self.runic.run(repository, "record", "usage", "-", stdin=base)
        floor = self.arena.fresh("one-floor")
        line = self.arena.folder / "one.jsonl"

        def one(run):
            def turn(number):
                line.write_text(ones[number] + "\n")
                return run()
            return turn

        contestants = [
            ("floor: seal, ref log, three fsyncs", one(lambda: self.arena.time(
                [self.arena.floors, "record", floor], stdin=line))),
            ("runic record", one(lambda: self.runic.time(repository, "record", "usage", "-", stdin=line))),
        ]
        for git in self.peers(Git):
            folder = git.prepare(base)
            contestants.append((git.name, lambda n: git.add_one(folder, ones[n])))
        rows = contest(contestants, self.runs)
        self.report.rows(f"Record one, with {self.sizes.base:,} there", rows, rows[0])
        self.report.ratio("record one", 1.5, rows[1], rows[0])
        if len(rows) > 2:
            times = rows[2].wall() / rows[1].wall()
            self.report.target("record one", "5 x faster than git", f"{times:.1f} x", times >= 5)

    def bulk(self, count):
        """Record, push and pull of many, with sizes."""
        lines = self.lines(count)
        sealed = self.arena.folder / "sealed"
        peers = self.peers(Restic, Borg, Git, Sqlite)

        def record(_):
            return self.runic.time(self.runic.begin("bulk"), "record", "usage", "-", stdin=lines)

        contestants = [
            ("floor: hash, deflate 6, seal", lambda _: self.arena.time([self.arena.floors, "seal", lines, sealed])),
            ("runic record", record),
        ] + [(peer.name, lambda _, peer=peer: peer.store(lines)) for peer in peers]
        rows = contest(contestants, self.runs)
        self.report.rows(f"Record {count:,} from JSON lines", rows, rows[0])
        self.report.ratio(f"record {count:,}", 1.2, rows[1], rows[0])
        self._faster(f"record {count:,}", rows, peers)
        self._memory(f"record {count:,}", count, rows[1])
        self._push(count)
        self._pull(count, lines, sealed, peers)

    def _faster(self, what, rows, peers):
        for row, peer in zip(rows[2:], peers):
            if peer.encrypts:
                found = row.wall() / rows[1].wall()
                self.report.target(what, f"faster than {row.who}", f"{found:.1f} x", found > 1)

    def _memory(self, what, count, row):
        limit = 64 if count >= 1_000_000 else 40
        found = row.memory() / 1024
        self.report.target(f"peak memory, {what}", f"{limit} MiB", f"{found:.1f} MiB", found <= limit)

    def _push(self, count):
        source = self.arena.folder / "bulk" / "repository"

        def push(_):
            remote = self.arena.fresh("bulk-remote")
            repository = self.arena.copy(source, "bulk-copy")
            self.runic.run(repository, "remote", "add", "home", remote)
            self.runic.run(repository, "remote", "check", "home", "--create")
            return self.runic.time(repository, "push")

        def copy(_):
            target = self.arena.fresh("bulk-floor")
            objects = [path for path in (source / "store" / "devices").rglob("*") if path.is_file()]
            runs = [self.arena.time([self.arena.floors, "copy", path, target / path.name]) for path in objects]
            return sum(runs[1:], runs[0])

        contestants = [("floor: copy, fsync, rename", copy), ("runic push", push)]
        if self.arena.has("rsync"):
            contestants.append(("rsync -a --fsync", lambda _: self.arena.time(
                ["rsync", "-a", "--fsync", f"{source}/store/", self.arena.fresh("rsync-out")])))
        rows = contest(contestants, self.runs)
        self.report.rows(f"Push {count:,} to an empty folder", rows, rows[0])
        self.report.ratio(f"push {count:,}", 3, rows[1], rows[0])
        self._memory(f"push {count:,}", count, rows[1])
        self._sizes(count)

    def _sizes(self, count):
        size, files = tree_size(self.arena.folder / "bulk-remote")
        whole = len(gzip.compress(self.lines(count).read_bytes(), 6))
        self.report.facts(
            f"Bytes, {count:,} records", ["what", "bytes", "bytes a record", "files"],
            [("runic's shared folder", size, f"{size / count:.1f}", files),
             ("gzip -6 of the whole file", whole, f"{whole / count:.1f}", 1)])
        self.report.target(
            f"bytes, {count:,}", "at most 1.1 x gzip -6", f"{size / whole:.2f} x", size <= 1.1 * whole)

    def _pull(self, count, lines, sealed, peers):
        first, remote = self.arena.folder / "bulk-copy", self.arena.folder / "bulk-remote"
        key = self.arena.folder / "key"
        key.write_bytes(self.runic.run(first, "key", "export"))

        def pull(_):
            repository = self.arena.fresh("puller") / "repository"
            return self.runic.time(repository, "clone", remote, "--key-file", key, "--name", "p")

        peers = [peer for peer in peers if hasattr(peer, "fetch_all")]
        contestants = [
            ("floor: unseal, inflate, hash", lambda _: self.arena.time([self.arena.floors, "unseal", sealed])),
            ("runic clone, with its pull", pull),
        ] + [(peer.name, lambda _, peer=peer: peer.fetch_all(lines)) for peer in peers]
        rows = contest(contestants, self.runs)
        self.report.rows(f"Pull {count:,} into an empty device", rows, rows[0])
        self.report.ratio(f"pull {count:,}", 4, rows[1], rows[0])
        self._faster(f"pull {count:,}", rows, peers)
        self._memory(f"pull {count:,}", count, rows[1])

    def nothing(self):
        """Pull and push of nothing at each size, beside git's fetch and push of nothing."""
        contestants = []
        for count in (self.sizes.base, *self.sizes.bulk):
            first, _, _ = self.runic.pair(f"idle-{count}", self.lines(count))
            for word in ("pull", "push"):
                contestants.append(
                    (f"runic {word}, {count:,}", lambda _, w=word, r=first: self.runic.time(r, w)))
        for git in self.peers(Git):
            folder = git.prepare(self.lines(self.sizes.base))
            bare = self.arena.fresh("idle-git") / "bare"
            self.arena.set_up(["git", "clone", "-q", "--bare", folder, bare])
            self.arena.set_up(["git", "remote", "add", "origin", f"file://{bare}"], cwd=folder)
            self.arena.set_up(["git", "push", "-q", "-u", "origin", "HEAD"], cwd=folder)
            for word in ("fetch", "push"):
                contestants.append(
                    (f"git {word}", lambda _, w=word, f=folder: self.arena.time(["git", w, "-q"], cwd=f)))
        rows = contest(contestants, self.runs * 2)
        self.report.rows("Pull and push of nothing", rows)
        if self.arena.has("git"):
            for row, other in zip(rows[-4:-2], rows[-2:]):
                self.report.ratio(f"nothing: {row.who}", 1, row, other)

    def hundred(self):
        count = self.sizes.bulk[0]
        first, second, remote = self.runic.pair("hundred", self.lines(count))
        ones = [self.lines(100, skip=count + 100 * number) for number in range(self.runs)]
        floor = self.arena.fresh("hundred-floor")

        def steps(number):
            return [
                self.runic.time(first, "record", "usage", "-", stdin=ones[number]),
                self.runic.time(first, "push"), self.runic.time(second, "pull")]

        def floors(number):
            program = self.arena.floors
            sealed, there, here = floor / "sealed", floor / "there", floor / "here"
            return [
                self.arena.time([program, "seal", ones[number], sealed]),
                self.arena.time([program, "copy", sealed, there]),
                self.arena.time([program, "copy", there, here]), self.arena.time([program, "unseal", here])]

        def whole(runs):
            return sum(runs[1:], runs[0])

        rows = contest(
            [("floor: seal, copy there, copy here, unseal", lambda n: whole(floors(n))),
             ("runic record, push, pull", lambda n: whole(steps(n)))], self.runs)
        self.report.rows(f"100 new records, with {count:,} there", rows, rows[0])
        self.report.ratio("100 new", 2, rows[1], rows[0])

    def many_pushes(self):
        remote = self.arena.fresh("many-remote")
        repository = self.runic.begin("many", remote)
        self.runic.run(repository, "remote", "check", "home", "--create")
        lines = self.lines(self.sizes.pushes * 10).read_text().splitlines(keepends=True)
        part = self.arena.folder / "ten.jsonl"
        for number in range(self.sizes.pushes):
            part.write_text("".join(lines[number * 10:number * 10 + 10]))
            self.runic.run(repository, "record", "usage", "-", stdin=part)
            self.runic.run(repository, "push")
        size, files = tree_size(remote)
        whole = len(gzip.compress("".join(lines).encode(), 6))
        self.report.facts(
            f"After {self.sizes.pushes:,} pushes of 10", ["what", "bytes", "files"],
            [("runic's shared folder", size, files), ("gzip -6 of all lines", whole, 1)])
        self.report.target(
            f"bytes after {self.sizes.pushes:,} pushes", "at most 1.5 x gzip -6", f"{size / whole:.2f} x",
            size <= 1.5 * whole)
        self.report.target(f"files after {self.sizes.pushes:,} pushes", "under 100", str(files), files < 100)

    def requests(self):
        count = self.sizes.requests
        lines, rows_file = self.arena.folder / "requests.jsonl", self.arena.folder / "requests.csv"
        with lines.open("w") as json, rows_file.open("w") as csv:
            for row in workload.requests(count):
                json.write(workload.request_line(row) + "\n")
                csv.write(",".join(map(str, row)) + "\n")
        repository = self.runic.begin("requests")
        self.runic.run(repository, "record", "request", "-", stdin=lines)
        contestants = [("runic report daily", lambda _: self.runic.time(repository, "report", "daily", "--json"))]
        for sqlite in self.peers(Sqlite):
            contestants.append(("sqlite3, group by day and model", lambda _: sqlite.group(rows_file)))
        rows = contest(contestants, self.runs)
        self.report.rows(f"Report over {count:,} requests", rows)
        if len(rows) > 1:
            self.report.ratio(f"report over {count:,}", 1, rows[0], rows[1])

    def devices(self):
        """A remote of many devices: a pull of nothing, and a first pull, at half of them and at all."""
        total = self.sizes.devices
        first, _, remote = self.runic.pair("devices", self.lines(10))
        # All begin from the tree of two: each would else have to read all those before it.
        seed = self.arena.folder / "devices-seed"
        shutil.copytree(remote, seed)
        facts = []
        for number in range(2, total):
            self._join(seed, remote, number)
            if number + 1 in (total // 2, total):
                self.runic.run(first, "pull")
                idle = contest([("", lambda _: self.runic.time(first, "pull"))], self.runs)[0]
                fresh = contest([("", lambda _: self._first_pull(remote))], self.runs)[0]
                facts.append((
                    number + 1, f"{idle.wall() * 1000:.1f} ms", f"{fresh.wall() * 1000:.1f} ms",
                    f"{fresh.processor() * 1000:.1f} ms"))
        self.report.facts(
            "Many devices in a remote", ["devices", "pull of nothing", "first pull", "its processor time"], facts)

    def _join(self, seed, remote, number):
        repository = self._clone(seed)
        self.runic.run(repository, "remote", "set-url", "origin", remote)
        one = self.lines(1, skip=number)
        self.runic.run(repository, "record", "usage", "-", stdin=one)
        self.runic.run(repository, "push")

    def _clone(self, remote):
        repository = self.arena.fresh("joiner") / "repository"
        self.runic.run(repository, "clone", remote, "--key-file", self.arena.folder / "key", "--name", "j")
        return repository

    def _first_pull(self, remote):
        # Each in a folder of its own, none removed before: ext4 searches long for the place of a new file among those
        # of files that were removed in the last seconds.
        self.pullers += 1
        repository = self.arena.fresh(f"joiner-{self.pullers}") / "repository"
        return self.runic.time(
            repository, "clone", remote, "--key-file", self.arena.folder / "key", "--name", "j")
