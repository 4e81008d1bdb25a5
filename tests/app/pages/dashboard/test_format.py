"""Pages write numbers and times as sentences do: `format.js` and `planner/wording.py` on the same values."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

from app.pages.dashboard.files import STATIC
from tests.planner.test_wording import CASES, WRITERS

PROGRAM = """
const { age, count, duration, percent, rate, rateLimit, short, signed } = await import(Deno.env.get("FORMAT"));
const writers = {
  seconds: duration, numbers: short, rates: rate, rate_limits: rateLimit, percents: percent,
  signed_percents: signed, counts: count, ages: age,
};
const asked = JSON.parse(await new Response(Deno.stdin.readable).text());
console.log(JSON.stringify(asked.map(([kind, value]) => writers[kind](value))));
"""


def write_as_pages(asked: list[tuple[str, Any]], folder: Path) -> list[str]:
    program = folder / "write.js"
    program.write_text(PROGRAM, encoding="utf-8")
    deno = Path(sys.executable).with_name("deno")
    where = {"FORMAT": (STATIC / "format.js").as_uri(), "DENO_NO_UPDATE_CHECK": "1", "DENO_DIR": str(folder)}
    ended = subprocess.run(
        [deno, "run", "--quiet", "--no-remote", "--allow-env", f"--allow-read={STATIC}", program],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | where,
    )
    return list(json.loads(ended.stdout))


def test_pages_write_the_agreed_table_of_values(tmp_path: Path) -> None:
    asked = [(kind, value) for kind, cases in CASES.items() for value, _ in cases]
    assert write_as_pages(asked, tmp_path) == [text for cases in CASES.values() for _, text in cases]


def test_pages_write_numbers_of_every_size_as_sentences_do(tmp_path: Path) -> None:
    random = Random(24)
    kinds = [kind for kind in WRITERS if kind != "counts"]
    values = [random.choice((1.0, -1.0)) * 10.0 ** random.uniform(-14, 14) for _ in range(3000)]
    values += [round(value, 3) for value in values] + [random.randrange(10**6) / 2**10 for _ in range(1000)]
    asked = [(random.choice(kinds), value) for value in values]
    expected = [WRITERS[kind](value) for kind, value in asked]
    assert write_as_pages(asked, tmp_path) == expected
