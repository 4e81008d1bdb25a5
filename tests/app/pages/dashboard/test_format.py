"""Pages write numbers and times as sentences do: `format.js` and `planner/wording.py` on the same values."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

from app.pages.dashboard.files import STATIC
from app.rendering.reports import WORDS
from planner.wording import name_reach
from tests.planner.test_wording import CASES, WRITERS

PROGRAM = """
const format = await import(Deno.env.get("FORMAT"));
const { age, count, duration, nameReach, percent, rate, rateLimit, short, signed } = format;
const writers = {
  seconds: duration, numbers: short, rates: rate, rate_limits: rateLimit, percents: percent,
  signed_percents: signed, counts: count, ages: age, reach: (one) => nameReach(...one),
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


def test_the_rate_up_to_which_processors_do_has_one_name(tmp_path: Path) -> None:
    asked = [(total, target) for total in (1, 2, 1200) for target in (True, False)]
    names = write_as_pages([("reach", list(one)) for one in asked], tmp_path)
    assert names == [name_reach(total, has_target=target) for total, target in asked]
    assert names[:2] == ["1 processor meets the target up to", "1 processor keeps up with at most"]


def test_pages_and_reports_say_alike_what_the_words_of_the_model_are() -> None:
    pages = re.sub(r'" \+\s*"', "", (STATIC / "terms.js").read_text(encoding="utf-8"))
    of_time, start, of_processor = WORDS.partition("A processor")
    assert f'"{of_time.strip()}"' in pages
    assert f'"{start}{of_processor}"' in pages
