"""Records as a person's machines would make them: seeded, so that every run and every program gets the same.

The first lines of a longer workload are those of a shorter one.
"""

import random
from datetime import datetime, timedelta, timezone

BEGIN = datetime(2026, 1, 5, 8, tzinfo=timezone.utc)

# Provider, weight, limits of its two windows (the second one may lack).
PROVIDERS = [
    ("claude", 34, 1_000_000, 1_000_000), ("codex", 24, 1_000_000, 1_000_000), ("cursor", 13, 5_000_000, None),
    ("copilot", 9, 3_000_000, 15_000_000), ("gemini", 7, 10_000_000, 15_000_000),
    ("openrouter", 5, 500_000, None), ("windsurf", 3, 5_000_000, 15_000_000), ("amp", 2, 200_000, None),
    ("zai-coding-plan", 2, 1_200_000, 6_000_000), ("jetbrains-ai", 1, 10_000_000_000, None),
]
ACCOUNTS = [("ana.kowalska@example.com", 60), ("build+ci@example.org", 25), ("ana.private@example.net", 15)]
MACHINES = [
    ("Anas-MacBook-Pro.local", "macOS 15.3.1 (24D70) arm64", 55),
    ("builder-02.internal", "Linux 6.8.0-51-generic x86_64", 25),
    ("ana-desktop.home.arpa", "Linux 6.12.9-arch1 x86_64", 15),
    ("Anas-Mac-mini.local", "macOS 14.7.2 (23H311) arm64", 5),
]
MODELS = [
    ("claude", "claude-sonnet-4-5", 40), ("claude", "claude-opus-4-1", 15), ("codex", "gpt-5-codex", 30),
    ("gemini", "gemini-2.5-pro", 15),
]


def pick(rng, rows, weight):
    return rng.choices(rows, [row[weight] for row in rows])[0]


def time_text(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def usage(count, seed=11):
    """Quota readings as JSON lines, about 300 bytes each, keys in the order in which people would name them."""
    rng = random.Random(seed)
    states = {}
    time = BEGIN
    for _ in range(count):
        provider, _, first, second = pick(rng, PROVIDERS, 1)
        account = pick(rng, ACCOUNTS, 1)[0]
        machine, platform, _ = pick(rng, MACHINES, 2)
        state = states.setdefault((provider, account), [0.0, 0.0])
        step = 0.012 * rng.random()
        state[0] = (state[0] + step) % 0.97
        state[1] += step * 3.1 * rng.random()
        time += timedelta(microseconds=1_000 + int(40_000_000 * rng.random() ** 1.5))
        line = f'{{"providerID":"{provider}","primaryUsed":{int(state[0] * first)},"primaryLimit":{first}'
        if second and rng.random() < 0.9:
            line += f',"secondaryUsed":{int(state[0] * second / 5)},"secondaryLimit":{second}'
        yield (
            f'{line},"costUSD":{state[1]!r},"accountEmail":"{account}","updatedAt":"{time_text(time)}",'
            f'"deviceName":"{machine}","platform":"{platform}"}}'
        )


def requests(count, seed=12):
    """Billed requests as (provider, model, time, tokens in, tokens out, request id)."""
    rng = random.Random(seed)
    time = BEGIN
    for number in range(count):
        provider, model, _ = pick(rng, MODELS, 2)
        time += timedelta(milliseconds=rng.randrange(1, 30_000))
        yield provider, model, time_text(time), rng.randrange(10, 200_000), rng.randrange(1, 8_000), f"req_{number:010x}"


def request_line(row):
    provider, model, time, tokens_in, tokens_out, request = row
    return (
        f'{{"inputTokens":{tokens_in},"model":"{model}","occurredAt":"{time}","outputTokens":{tokens_out},'
        f'"providerID":"{provider}","requestID":"{request}"}}'
    )
