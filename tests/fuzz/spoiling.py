"""Small mistakes in bytes: what disks, mail programs, editors and hands do to files."""

import re

import numpy as np

PIECES = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b'"', b"'", b",", b";", b"\t", b"{", b"}", b"(", b")",
    b"[", b"]", b"<", b"/>", b"&", b"&lt;", b"|", b"-1", b"1e999", b"nan", b"0", b"99999999999", b"=", b"\\", b"//",
    b"/*", b"\xc3\x28", b"   ", "日本".encode(), b"x" * 5000,
]  # fmt: skip
TOKENS = re.compile(rb"\w+|\s+|[^\w\s]")


def spoiled(rng: np.random.Generator, content: bytes) -> bytes:
    """Return content with one to four mistakes."""
    for _ in range(rng.integers(1, 5)):
        content = MISTAKES[rng.integers(len(MISTAKES))](rng, content)
    return content


def _cut(rng: np.random.Generator, content: bytes) -> bytes:
    return content[: rng.integers(0, len(content) + 1)]


def _leave_out(rng: np.random.Generator, content: bytes) -> bytes:
    start = int(rng.integers(0, len(content) + 1))
    return content[:start] + content[start + int(rng.integers(1, 40)) :]


def _flip(rng: np.random.Generator, content: bytes) -> bytes:
    if not content:
        return content
    at = int(rng.integers(len(content)))
    return content[:at] + bytes([rng.integers(256)]) + content[at + 1 :]


def _insert(rng: np.random.Generator, content: bytes) -> bytes:
    at = int(rng.integers(0, len(content) + 1))
    return content[:at] + PIECES[rng.integers(len(PIECES))] + content[at:]


def _repeat(rng: np.random.Generator, content: bytes) -> bytes:
    start = int(rng.integers(0, len(content) + 1))
    piece = content[start : start + int(rng.integers(1, 200))]
    return content[:start] + piece + content[start:]


def _exchange(rng: np.random.Generator, content: bytes) -> bytes:
    """Put one word or mark where another stands."""
    tokens = TOKENS.findall(content)
    if tokens:
        tokens[rng.integers(len(tokens))] = tokens[rng.integers(len(tokens))]
    return b"".join(tokens)


def _number(rng: np.random.Generator, content: bytes) -> bytes:
    """Put another number where one stands."""
    numbers = list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", content))
    if not numbers:
        return content
    found = numbers[rng.integers(len(numbers))]
    other = [b"0", b"-1", b"1", b"2", b"1e308", b"0.3", b"1e-320", b"7" * 400, b"3.0.1", b"--1"][
        rng.integers(10)
    ]
    return content[: found.start()] + other + content[found.end() :]


MISTAKES = (_cut, _leave_out, _flip, _insert, _repeat, _exchange, _exchange, _number, _number)
