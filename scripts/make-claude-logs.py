#!/usr/bin/env python3
"""Makes logs as Claude Code writes them, for measuring: make-claude-logs.py FOLDER MEGABYTES [SEED]

Sessions of some megabytes below FOLDER/projects: prompts, answers that stream in several lines, tool results of
very different length, sub-agents. Prints the number of requests and the sum of their tokens, which a collection
must find. The text is made up and the same for the same seed.
"""
import json
import os
import random
import sys

WORDS = "the a of file line test usage value return build error index folder commit queue parser token merge".split()


def text(rng, length, pool):
    start = rng.randrange(len(pool) - length)
    return pool[start:start + length]


def usage(rng):
    written = rng.choice([0, 0, rng.randrange(20000)])
    hour = written if rng.random() < 0.2 else 0
    return {
        "input_tokens": rng.randrange(1, 3000), "cache_creation_input_tokens": written,
        "cache_read_input_tokens": rng.randrange(200000), "output_tokens": rng.randrange(1, 4000),
        "cache_creation": {"ephemeral_5m_input_tokens": written - hour, "ephemeral_1h_input_tokens": hour},
        "service_tier": "standard",
    }


def total(counts):
    names = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
    return sum(counts[name] for name in names)


class Session:
    def __init__(self, rng, pool, number):
        self.rng, self.pool = rng, pool
        self.id = f"{number:08x}-0000-4000-8000-{rng.getrandbits(48):012x}"
        self.seconds = 1_788_000_000 + number * 977
        self.requests = self.tokens = 0

    def stamp(self):
        self.seconds += self.rng.randrange(1, 9)
        days, rest = divmod(self.seconds - 1_788_000_000, 86400)
        return f"2026-08-{29 + days % 2:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}.{self.rng.randrange(1000):03}Z"

    def line(self, kind, more):
        common = {"parentUuid": f"{self.rng.getrandbits(64):016x}", "isSidechain": False, "userType": "external",
                  "cwd": "/home/user/srv/code/project", "sessionId": self.id, "version": "2.0.1", "gitBranch": "main"}
        return json.dumps({**common, "type": kind, **more, "uuid": f"{self.rng.getrandbits(64):016x}",
                           "timestamp": self.stamp()}, separators=(",", ":")) + "\n"

    def turn(self):
        rng = self.rng
        length = min(int(rng.lognormvariate(7.5, 1.3)) + 20, 200_000)
        yield self.line("user", {
            "message": {"role": "user", "content": [{"type": "tool_result", "content": text(rng, length, self.pool)}]},
            "toolUseResult": {"stdout": text(rng, length // 2 + 1, self.pool), "usage": None}})
        counts = usage(rng)
        self.requests += 1
        self.tokens += total(counts)
        request, message = f"req_{rng.getrandbits(96):024x}", f"msg_{rng.getrandbits(96):024x}"
        parts = rng.choice([1, 1, 2, 3])
        for part in range(parts):
            shown = counts if part == parts - 1 else {**counts, "output_tokens": 1}
            yield self.line("assistant", {"requestId": request, "message": {
                "model": "claude-opus-4-1-20250805", "id": message, "type": "message", "role": "assistant",
                "content": [{"type": "text", "text": text(rng, rng.randrange(50, 1500), self.pool)}],
                "stop_reason": None, "usage": shown}})


def main():
    folder, size = sys.argv[1], int(sys.argv[2]) << 20
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    pool = " ".join(rng.choice(WORDS) if rng.random() > 0.1 else '"usage"\n' for _ in range(200_000))
    written = requests = tokens = number = 0
    while written < size:
        number += 1
        session = Session(rng, pool, number)
        place = os.path.join(folder, "projects", f"-home-user-work-{number % 20}")
        if number % 5 == 0:
            place = os.path.join(place, session.id, "subagents")
        os.makedirs(place, exist_ok=True)
        length, goal = 0, rng.randrange(1 << 18, 4 << 20)
        with open(os.path.join(place, f"{session.id}.jsonl"), "w") as log:
            while length < goal and written + length < size:
                for line in session.turn():
                    log.write(line)
                    length += len(line)
        written += length
        requests += session.requests
        tokens += session.tokens
    print(json.dumps({"bytes": written, "files": number, "requests": requests, "tokens": tokens}))


main()
