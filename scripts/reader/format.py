"""What docs/format.md says, as a reader: from the files of a repository to its verified commits.

Written from that page alone; "section" in comments is one of its.
"""
import collections, hashlib, os, re, stat, struct, sys, zlib

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .canonical_json import Refused, canonical, is_hex, is_integer, parse_canonical, parse_json, require
from .changes import read_changes

KIB, MIB = 1 << 10, 1 << 20
LATEST_TIME = 253402300799999
OBJECT, HEAD = 1, 2


class Stranger(Exception):
    """Whole, but sealed for another place."""


class Newer(Exception):
    """Of a version that this reader does not know."""


# ---- Keys and seals (sections 4 to 7)

def sha256(data):
    return hashlib.sha256(data).digest()


def xaes_open(key, nonce, sealed, associated_data, explain=None):
    """XAES-256-GCM: two CMACs of the nonce's first half are the key for AES-256-GCM under its second half."""
    message_key = b""
    for counter in (b"\1", b"\2"):
        code = CMAC(AES(key))
        code.update(b"\0" + counter + b"X\0" + nonce[:12])
        message_key += code.finalize()
    if explain:
        explain("message key", message_key)
    try:
        return AESGCM(message_key).decrypt(nonce[12:], sealed, associated_data)
    except (InvalidTag, ValueError):
        raise Refused("authentication") from None


class Keys:
    def __init__(self, repository, root):
        def derive(label, length=32):
            info = b"runic/1 " + label
            return HKDF(algorithm=hashes.SHA256(), length=length, salt=repository, info=info).derive(root)

        self.repository, self.root = repository, root
        self.id, self.check, self.nonce = derive(b"key id", 16), derive(b"key check"), derive(b"nonce")
        self.seal = {OBJECT: derive(b"object"), HEAD: derive(b"head")}
        self.file = derive(b"key file")
        # What is held beside this key: files say by its id which key they need.
        self.held = {self.id: self}

    def hold(self, others):
        self.held.update((keys.id, keys) for keys in others)


def open_key_file(tree, name, newest):
    """All keys that a key file holds beside its own."""
    number, key_id = name[:16], name[17:49]
    fields = parse_json(tree.read("keys/" + name, 64 * KIB))
    require(type(fields) is dict, "key file")
    fixed = dict(format=1, keyID=key_id, number=int(number, 16), repository=newest.repository.hex())
    require(all((type(fields.get(name)), fields.get(name)) == (type(value), value) for name, value in fixed.items())
            and is_hex(fields.get("nonce"), 24) and type(fields.get("older")) is str, "key file")
    place = newest.repository + struct.pack(">Q", int(number, 16)) + newest.id
    older = xaes_open(newest.file, bytes.fromhex(fields["nonce"]), bytes.fromhex(fields["older"]),
                      b"runic/1 key file\n" + place)
    require(len(older) % 40 == 0, "key file")
    for start in range(0, len(older), 40):
        require(0 < int.from_bytes(older[start:start + 8], "big") < int(number, 16), "key file")
        yield Keys(newest.repository, older[start + 8:start + 40])


def read_marker(data):
    """The repository's and the key's id, the key check and the bytes that it covers."""
    require(len(data) <= 64 * KIB, "marker too long")
    marker = parse_json(data)
    require(type(marker) is dict and marker.get("format") == 1, "marker of another format")
    check = marker.pop("keyCheck", None)
    require(is_hex(check, 32) and is_hex(marker.get("keyID"), 16) and is_hex(marker.get("repository"), 16), "marker")
    return bytes.fromhex(marker["repository"]), bytes.fromhex(marker["keyID"]), bytes.fromhex(check), canonical(marker)


def key_from_string(word, repository):
    match = re.fullmatch("runic-key-1-([0-9a-f]{104})", word)
    require(match, "not a key string")
    data = bytes.fromhex(match[1])
    require(sha256(b"runic/1 key string\n" + data[:48])[:4] == data[48:], "mistyped key string")
    require(data[:16] == repository, "key of another repository")
    return data[16:48]


def key_from_slot(data, slot, passphrase, repository, key_ids, explain=None):
    """The repository key; nothing is computed for a slot that asks for anything but the fixed cost."""
    require(len(data) <= 64 * KIB, "slot too long")
    fields = parse_json(data)
    require(type(fields) is dict, "slot")
    require(is_hex(fields.get("keyID"), 16) and bytes.fromhex(fields["keyID"]) in key_ids, "slot")
    key_id = bytes.fromhex(fields["keyID"])
    fixed = dict(N=131072, r=8, p=1, format=1, kdf="scrypt", slot=slot, repository=repository.hex())
    require(all((type(fields.get(name)), fields.get(name)) == (type(value), value) for name, value in fixed.items()),
            "slot")
    lengths = dict(salt=32, nonce=24, wrapped=48)
    require(all(is_hex(fields.get(name), length) for name, length in lengths.items()), "slot")
    salt, nonce, wrapped = (bytes.fromhex(fields[name]) for name in lengths)
    key = hashlib.scrypt(passphrase, salt=salt, n=131072, r=8, p=1, maxmem=192 * MIB, dklen=32)
    if explain:
        explain("\nkeys/%s.json" % slot)
        explain("slot key", key)
    return xaes_open(key, nonce, wrapped, b"runic/1 slot\n" + repository + bytes.fromhex(slot) + key_id, explain)


def open_sealed(data, purpose, device, first, last, limit, keys, explain=None):
    """Checks the header of a sealed file and answers its body, inflated."""
    require(len(data) >= 116 and data[:8] == b"runic\0\r\n", "no sealed file")
    version, found_purpose, zero = struct.unpack(">HBB", data[8:12])
    if version > 1:
        raise Newer("needs format version %d" % version)
    require(version == 1 and found_purpose in (OBJECT, HEAD) and zero == 0, "header")
    key_id = data[12:28]
    if data[10:76] != struct.pack(">BB16s16s16sQQ", purpose, 0, key_id, keys.repository, device, first, last):
        raise Stranger()
    if key_id not in keys.held:
        raise Newer("needs key %s" % key_id.hex())
    if explain:
        explain("header", data[:76])
        explain("nonce", data[76:100])
    compressed = xaes_open(keys.held[key_id].seal[purpose], data[76:100], data[100:], data[:76], explain)
    inflater = zlib.decompressobj()
    try:
        body = inflater.decompress(compressed, limit + 1)
    except zlib.error:
        raise Refused("compression") from None
    require(inflater.eof and not inflater.unused_data and len(body) <= limit, "compression")
    if explain:
        explain("compressed", compressed)
        explain("body", body)
    return body


# ---- The tree (section 2)

class Tree:
    def __init__(self, root):
        self.root, self.bad = root, False

    def tell(self, sort, path, why=""):
        self.bad |= sort == "damaged"
        print("%s: %s%s" % (sort, path, why and " (%s)" % why), file=sys.stderr)

    def list(self, folder, pattern, kind=stat.S_ISREG):
        """Names in a folder that fit the grammar, sorted; strangers are told."""
        names, whole = [], os.path.join(self.root, folder)
        for name in sorted(os.listdir(whole) if os.path.isdir(whole) else ()):
            path = os.path.join(folder, name)
            if re.fullmatch(pattern, name) and kind(os.lstat(os.path.join(self.root, path)).st_mode):
                names.append(name)
            else:
                self.tell("stranger", path)
        return names

    def read(self, path, limit, digest=None):
        with open(os.path.join(self.root, path), "rb") as file:
            data = file.read(limit + 1)
        require(len(data) <= limit, "too long")
        require(digest is None or sha256(data).hex() == digest, "does not match its name")
        return data


# ---- Commits, objects, heads (sections 8 to 10)

LINE = re.compile(rb'\{"sequence":([1-9][0-9]{0,17}),"previous":"([0-9a-f]{64})","stamp":"([0-9a-f]{16})",'
                  rb'"time":(0|[1-9][0-9]{0,17}),"changes":\[(.*)\]\}', re.DOTALL)
Commit = collections.namedtuple("Commit", "hash device sequence previous stamp time changes")
ENTRY = ("first", "hash", "inflated", "last", "length", "sha256")


def read_commit(line, device):
    match = LINE.fullmatch(line)
    require(match and len(line) <= 2 * MIB and int(match[4]) <= LATEST_TIME, "commit")
    return Commit(sha256(line).hex(), device.hex(), int(match[1]), match[2].decode(), int(match[3], 16), int(match[4]),
                  read_changes(match[5]))


def genesis(repository, device):
    return sha256(b"runic/1 log\n" + repository + device)


def split_lines(body):
    require(body.endswith(b"\n"), "last line")
    return body[:-1].split(b"\n")


def read_object(tree, path, entry, device, keys, explain):
    data = tree.read(path, 17 * MIB, entry["sha256"])
    require(len(data) == entry["length"], "length")
    body = open_sealed(data, OBJECT, device, entry["first"], entry["last"], 16 * MIB, keys, explain)
    require(len(body) == entry["inflated"], "inflated length")
    commits = [read_commit(line, device) for line in split_lines(body)]
    require([commit.sequence for commit in commits] == list(range(entry["first"], entry["last"] + 1)), "sequence")
    require(all(b.previous == a.hash for a, b in zip(commits, commits[1:])), "chain")
    require(commits[-1].hash == entry["hash"], "last commit")
    for commit in commits if explain else ():
        explain("commit %d" % commit.sequence, bytes.fromhex(commit.hash))
    return commits


def read_head(data, device, sequence, keys, explain):
    lines = split_lines(open_sealed(data, HEAD, device, sequence, sequence, 4 * MIB, keys, explain))
    require(len(lines) == 2 and is_hex(lines[1].decode("latin-1"), 64), "head")
    head = parse_canonical(lines[0])
    members = {"commit", "format", "name", "objects", "platform", "publicKey", "purpose", "repository", "time"}
    require(type(head) is dict and set(head) == members and is_hex(head["publicKey"], 32), "head")
    public_key = bytes.fromhex(head["publicKey"])
    require(sha256(public_key)[:16] == device, "public key of another device")
    try:
        signed = b"runic/1 head\n" + lines[0]
        Ed25519PublicKey.from_public_bytes(public_key).verify(bytes.fromhex(lines[1].decode()), signed)
    except (InvalidSignature, ValueError):
        raise Refused("signature") from None
    require(head["format"] == 1 and head["purpose"] == "head" and head["repository"] == keys.repository.hex(), "head")
    require(type(head["name"]) is type(head["platform"]) is str and is_integer(head["time"], 0, LATEST_TIME), "head")
    require(type(head["objects"]) is list and head["objects"], "objects")
    last = 0
    for entry in head["objects"]:
        require(type(entry) is dict and tuple(sorted(entry)) == ENTRY, "entry")
        require(is_integer(entry["first"], last + 1, last + 1), "entry")
        require(is_integer(entry["last"], last + 1, 10**18 - 1), "entry")
        require(is_integer(entry["inflated"], 1, 16 * MIB) and is_integer(entry["length"], 1, 17 * MIB), "entry")
        require(is_hex(entry["hash"], 32) and is_hex(entry["sha256"], 32), "entry")
        last = entry["last"]
    tip = {"hash": head["objects"][-1]["hash"], "sequence": last}
    require(head["commit"] == tip and last == sequence and type(head["commit"]["sequence"]) is int, "latest commit")
    return head


# ---- The whole (section 10, "Reading a log")

class Reader:
    """All commits that verify, by their hashes, and the devices' names."""

    def __init__(self, tree, keys, explain=None):
        self.tree, self.keys, self.explain = tree, keys, explain
        self.commits, self.names, self.objects, self.followed = {}, {}, {}, set()

    def explainer(self, path):
        if not self.explain:
            return None
        self.explain("\n" + path)
        return self.explain

    def read(self):
        for name in set(os.listdir(self.tree.root)) - {"runic.json", "keys", "heads", "devices"}:
            self.tree.tell("stranger", name)
        heads = []
        for name in self.tree.list("heads", "[0-9a-f]{32}-[0-7][0-9a-f]{15}-[0-9a-f]{64}"):
            device, sequence, digest = name.split("-")
            head = self.attempt("heads/" + name, self.head, bytes.fromhex(device), int(sequence, 16), digest)
            if head:
                heads.append((name, bytes.fromhex(device), head))
        for device in sorted({device for _, device, _ in heads}):
            if self.explain:
                self.explain("\ndevice %s" % device.hex())
                self.explain("genesis", genesis(self.keys.repository, device))
        for _, device, head in heads:
            self.log(device, head)
        for name, device, head in heads:
            if self.names.get(device.hex(), (-1,))[0] <= head["time"]:
                self.names[device.hex()] = (head["time"], head["name"])
            if head["commit"]["hash"] not in self.commits and head["commit"]["hash"] not in self.followed:
                self.tree.tell("pending", "heads/" + name)
        self.look_at_the_rest()

    def attempt(self, path, read, *arguments):
        try:
            return read(path, *arguments)
        except Stranger:
            self.tree.tell("stranger", path, "sealed for another place")
        except Newer as version:
            self.tree.tell("pending", path, str(version))
        except Refused as reason:
            self.tree.tell("damaged", path, str(reason))

    def head(self, path, device, sequence, digest):
        require(sequence > 0, "sequence")
        data = self.tree.read(path, 2 * MIB, digest)
        return read_head(data, device, sequence, self.keys, self.explainer(path))

    def log(self, device, head):
        """Verifies the objects of a head and takes in the part of its log that has no gap."""
        previous, has_gap = genesis(self.keys.repository, device).hex(), False
        for entry in head["objects"]:
            commits = self.object(device, entry) or []
            self.followed.update(commit.previous for commit in commits)
            if commits and commits[0].previous != previous:
                self.tree.tell("damaged", "devices/%s/%s" % (device.hex(), entry["sha256"]), "chain")
                has_gap = True
            has_gap = has_gap or not commits and entry["hash"] not in self.commits
            if not has_gap:
                self.commits.update((commit.hash, commit) for commit in commits)
            previous = entry["hash"]

    def object(self, device, entry):
        path = "devices/%s/%s" % (device.hex(), entry["sha256"])
        key = (path, canonical(entry))
        if key not in self.objects:
            place = os.path.join(self.tree.root, path)
            self.objects[key] = os.path.isfile(place) and not os.path.islink(place) and self.attempt(
                path, lambda path: read_object(self.tree, path, entry, device, self.keys, self.explainer(path)))
        return self.objects[key]

    def look_at_the_rest(self):
        """Names of what no head lists; bytes that do not match are damage all the same."""
        listed = {path for path, _ in self.objects}
        for device in self.tree.list("devices", "[0-9a-f]{32}", stat.S_ISDIR):
            for name in self.tree.list("devices/" + device, "[0-9a-f]{64}"):
                path = "devices/%s/%s" % (device, name)
                if path not in listed and self.attempt(path, self.tree.read, 17 * MIB, name):
                    self.tree.tell("unlisted", path)
