"""The changes of a commit: docs/format.md, section 11."""
import hashlib, re

from .canonical_json import canonical, is_hex, is_integer, parse_canonical, require

MIB, LATEST_TIME = 1 << 20, 253402300799999


def fingerprint(family, kind, value):
    return hashlib.sha256(b"\0".join([family.encode(), kind.encode(), value]))


def is_kind(value):
    return type(value) is str and re.fullmatch("[a-z][a-z0-9-]{0,63}", value) is not None


def is_id(value):
    return type(value) is str and 1 <= len(value.encode()) <= 256


def is_stamp(value):
    return is_hex(value, 8)


def is_commit_list(value):
    return type(value) is list and value and all(is_hex(item, 32) for item in value) and value == sorted(set(value))


def is_key_list(value):
    if type(value) is not list or not value or not all(type(key) is str for key in value):
        return False
    return value == sorted(set(value), key=lambda key: key.encode("utf-16-be"))


def is_origin(value):
    members = dict(commit=lambda v: is_hex(v, 32), device=lambda v: is_hex(v, 16), name=lambda v: type(v) is str,
                   time=lambda v: is_integer(v, 0, LATEST_TIME))
    return type(value) is dict and {"device", "time"} <= set(value) <= set(members) and all(
        members[name](item) for name, item in value.items())


def is_rank(value):
    return (type(value) is list and 1 <= len(value) <= 4 and value[-1] != 0
            and all(is_integer(item, -2**63) for item in value))


def is_object(value):
    return type(value) is dict


ANY = dict(id=is_id, kind=is_kind, origin=is_origin, stamp=is_stamp)
ADD = dict(ANY, add=is_object, rank=is_rank)
DELETE = dict(ANY, delete=lambda value: is_integer(value, 1), settles=is_commit_list)
WRITE = dict(
    ANY, generation=lambda value: is_integer(value, 2), settles=is_commit_list, unset=is_key_list,
    replaces=lambda value: is_object(value) and value and all(map(is_commit_list, value.values())),
    resolves=lambda value: value is True, set=lambda value: is_object(value) and value,
    whole=lambda value: value is None or is_object(value), wholeReplaces=is_commit_list)


def read_changes(text):
    """Changes as dictionaries, with the family added and the id filled in."""
    changes = parse_canonical(b"[" + text + b"]", depth=130)
    names = [read_change(change) for change in changes]
    keyed = [name for name in names if name[0] == "keys"]
    require(len(set(keyed)) == len(keyed), "a record changed twice")
    return changes


def read_change(change):
    require(type(change) is dict, "change")
    family, members = ("history", ADD) if "add" in change else ("keys", DELETE if "delete" in change else WRITE)
    require(all(name in members and members[name](value) for name, value in change.items()), "change")
    require("kind" in change and len(canonical(change, 129)) <= MIB, "change")
    if family == "history":
        derived = fingerprint(family, change["kind"], canonical(change["add"])).hexdigest()
        require(change.get("id") != derived, "needless id")
        change.setdefault("id", derived)
    elif "delete" not in change:
        written = set(change.get("set", ())) | set(change.get("unset", ()))
        require(len(written) == len(change.get("set", ())) + len(change.get("unset", ())), "set and unset")
        require(set(change.get("replaces", ())) <= written, "replaces")
        require("wholeReplaces" not in change or "whole" in change, "replaces")
        require(written or "whole" in change or "settles" in change, "empty change")
    require("id" in change, "id")
    return family, change["kind"], change["id"]
