"""What docs/merge.md says, as a pure function: from commits to the state of every record.

Written from that page alone; "section" in comments is one of its.
"""
import datetime

from .canonical_json import canonical

WHOLE = None  # the register that holds a whole payload


class Write:
    """A change of one commit, with the stamp and the writer that it counts with."""

    def __init__(self, commit, change, names):
        origin = change.get("origin", {})
        self.commit, self.change = commit.hash, change
        self.stamp = int(change["stamp"], 16) if "stamp" in change else commit.stamp
        self.device, self.time = origin.get("device", commit.device), origin.get("time", commit.time)
        self.origin_name = origin.get("name")
        self.name = self.origin_name if self.origin_name is not None else names.get(self.device, (0, ""))[1]

    def told(self, value, deleted):
        """One of the others of a conflict."""
        return {"value": value, "deleted": deleted, "device": self.device, "deviceName": self.name,
                "time": rfc3339(self.time)}


def rfc3339(milliseconds):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=milliseconds // 1000)
    return moment.isoformat() + (".%03d" % (milliseconds % 1000) if milliseconds % 1000 else "") + "Z"


class History:
    """Section 2: the greatest rank, then the greatest payload."""

    def __init__(self):
        self.best = None

    def take(self, write):
        rank = (write.change.get("rank", []) + [0] * 4)[:4]
        self.best = max(self.best or ([],), (rank, canonical(write.change["add"]), write), key=lambda best: best[:2])

    def shown(self):
        return self.best[2].change["add"]

    def conflicts(self):
        return []


class Keyed:
    """Sections 3 and 4: registers, generations, deletes."""

    def __init__(self):
        self.writes, self.deletes = [], []

    def take(self, write):
        (self.deletes if "delete" in write.change else self.writes).append(write)

    def heads(self):
        """{(generation, key): [(write, value)]}, values as canonical bytes, None for an unset."""
        written, replaced = {}, set()
        for write in self.writes:
            change, generation = write.change, write.change.get("generation", 1)
            values = {key: canonical(value) for key, value in change.get("set", {}).items()}
            values.update((key, None) for key in change.get("unset", ()))
            if "whole" in change:
                values[WHOLE] = None if change["whole"] is None else canonical(change["whole"])
            for key, value in values.items():
                written.setdefault((generation, key), []).append((write, value))
            over = dict(change.get("replaces", {}))
            over[WHOLE] = change.get("wholeReplaces", [])
            replaced.update((generation, key, commit) for key, commits in over.items() for commit in commits)
        heads = {}
        for register, writes in written.items():
            kept = [(write, value) for write, value in writes if (*register, write.commit) not in replaced]
            if kept:
                heads[register] = in_order(kept)
        return heads

    def generation(self):
        """The newest one that lives; None where the record is deleted."""
        latest = {}
        for write in self.writes:
            generation = write.change.get("generation", 1)
            latest[generation] = max(latest.get(generation, 0), write.stamp)
        lives = (generation for generation, stamp in latest.items() if all(
            delete.change["delete"] < generation or delete.stamp <= stamp for delete in self.deletes))
        return max(lives, default=None)

    def settled(self):
        return {commit for write in self.writes + self.deletes for commit in write.change.get("settles", ())}

    def shown(self):
        shown_generation = self.generation()
        if shown_generation is None:
            return None
        values = {key: heads[0] for (generation, key), heads in self.heads().items() if generation == shown_generation}
        payload = dict(value_of(*values.pop(WHOLE)) or {}) if WHOLE in values else {}
        for key, (write, value) in values.items():
            payload.pop(key, None)
            if value is not None:
                payload[key] = value_of(write, value, key)
        return payload

    def conflicts(self):
        """(key, what is shown, the others) of each."""
        generation, heads, settled, found, hidden = self.generation(), self.heads(), self.settled(), [], {}
        for (its_generation, key), register in sorted(heads.items(), key=lambda item: sortable(*item[0])):
            if its_generation == generation:
                distinct = [head for i, head in enumerate(register) if head[1] not in [v for _, v in register[:i]]]
                if len(distinct) > 1:
                    others = [write.told(value_of(write, value, key), value is None) for write, value in distinct[1:]]
                    found.append((key, value_of(*distinct[0], key), others))
            else:
                for write, value in register:
                    if write.commit not in settled:
                        hidden.setdefault(write.commit, (write, {}))[1][key] = value_of(write, value, key)
        for _, (write, values) in sorted(hidden.items()):
            whole = values.pop(WHOLE, None)
            found.append((None, self.shown(), [write.told({**(whole or {}), **values}, False)]))
        for delete in sorted(self.deletes, key=lambda delete: delete.commit):
            if generation is not None and delete.change["delete"] >= generation and delete.commit not in settled:
                found.append((None, self.shown(), [delete.told(None, True)]))
        return found


def value_of(write, value, key=WHOLE):
    if value is None:
        return None
    return write.change["whole"] if key is WHOLE else write.change["set"][key]


def in_order(heads):
    """The one shown first: the greatest stamp, the greatest bytes with an unset lowest, the smallest hash."""
    heads = sorted(heads, key=lambda head: head[0].commit)
    return sorted(heads, key=lambda head: (head[0].stamp, head[1] is not None, head[1] or b""), reverse=True)


def sortable(generation, key):
    return generation, key is not WHOLE, (key or "").encode("utf-16-be")


def merge(commits, names):
    """The state of every record, by kind, family and id: a pure function of the set of commits."""
    records = {}
    for commit in commits:
        for change in commit.changes:
            is_history = "add" in change
            name = change["kind"], not is_history, change["id"].encode()
            record = records.setdefault(name, History() if is_history else Keyed())
            record.take(Write(commit, change, names))
    return sorted(records.items())
