#!/usr/bin/env python3
"""Verifies a runic repository and prints its records; written from docs/format.md and docs/merge.md alone.

Needs nothing of runic, only Python 3 and python3-cryptography. Prints one JSON object a line, {"kind","id","payload"}
of every record shown; with --conflicts {"kind","id","key","shown","others"} of every conflict; with --explain the
values that lead from the key to the commits. What is damaged, pending or a stranger is told on stderr.
Exit status: 0 verified, 1 damaged or refused, 2 usage.
"""
import argparse
import hmac
import sys

sys.dont_write_bytecode = True
from reader.canonical_json import Refused, canonical
from reader.format import Keys, Reader, Tree, key_from_slot, key_from_string, open_key_file, read_marker
from reader.merge import merge


def line(**members):
    """One JSON object, its members in the order given, their values canonical."""
    print("{" + ",".join('"%s":%s' % (name, canonical(value).decode()) for name, value in members.items()) + "}")


SLOT, KEY_FILE = r"[0-9a-f]{32}\.json", r"[0-9a-f]{16}-[0-9a-f]{32}\.json"


def find_keys(tree, arguments):
    repository, key_id, check, rest = read_marker(tree.read("runic.json", 64 << 10))
    names = tree.list("keys", SLOT + "|" + KEY_FILE)
    files = {bytes.fromhex(name[17:49]): name for name in names if name[16] == "-"}
    slots = [name for name in names if name[16] != "-"]
    if arguments.key_file:
        with open(arguments.key_file, encoding="ascii") as file:
            roots = [key_from_string(word, repository) for word in file.read().split()]
    else:
        with open(arguments.passphrase_file, "rb") as file:
            passphrase = file.read()
        roots = from_slots(tree, slots, passphrase.removesuffix(b"\n"), repository, {key_id, *files}, arguments)
    opened = {}
    for keys in (Keys(repository, root) for root in roots):
        opened[keys.id] = keys
        if keys.id in files:
            opened.update((older.id, older) for older in open_key_file(tree, files[keys.id], keys))
    first = opened.get(key_id)
    if first is None or not hmac.compare_digest(hmac.digest(first.check, rest, "sha256"), check):
        raise Refused("wrong key or passphrase")
    first.hold(opened.values())
    return first, rest


def from_slots(tree, slots, passphrase, repository, key_ids, arguments):
    for name in slots:
        try:
            yield key_from_slot(tree.read("keys/" + name, 64 << 10), name[:32], passphrase, repository, key_ids,
                                explain if arguments.explain else None)
        except Refused:
            continue


def explain(name, value=None):
    text = "" if value is None else value.decode() if name in ("body", "marker") else value.hex()
    print(name if value is None else "%-14s %s" % (name, text.replace("\n", "\n" + " " * 15).rstrip()))


def explain_keys(keys, marker):
    names = dict(repository=keys.repository, key=keys.root, check=keys.check, nonce=keys.nonce, object=keys.seal[1],
                 head=keys.seal[2])
    explain("marker", marker)
    explain("key id", keys.id)
    for name, value in names.items():
        explain(name if name in ("repository", "key") else name + " key", value)


def main():
    parser = argparse.ArgumentParser(description="Verifies a runic repository and prints its records.")
    parser.add_argument("tree", help="the shared folder, or a repository's store")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--key-file", metavar="FILE", help="holds what `runic key export` printed")
    source.add_argument("--passphrase-file", metavar="FILE")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--conflicts", action="store_true", help="print the conflicts in place of the records")
    output.add_argument("--explain", action="store_true", help="print the values that lead to the commits")
    arguments = parser.parse_args()
    tree = Tree(arguments.tree)
    keys, marker = find_keys(tree, arguments)
    if arguments.explain:
        explain_keys(keys, marker)
    reader = Reader(tree, keys, explain if arguments.explain else None)
    reader.read()
    for (kind, _, name), record in [] if arguments.explain else merge(reader.commits.values(), reader.names):
        if arguments.conflicts:
            for key, shown, others in record.conflicts():
                line(kind=kind, id=name.decode(), key=key, shown=shown, others=others)
        elif record.shown() is not None:
            line(kind=kind, id=name.decode(), payload=record.shown())
    return 1 if tree.bad else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    try:
        sys.exit(main())
    except (Refused, OSError) as error:
        sys.exit("read-repository: %s" % error)
