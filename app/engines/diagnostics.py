"""Diagnostics of readers as tables: a code, the condition under which it is raised, and its sentence.

    RULES = (
        DiagnosticRule(
            "nothing-executed",
            lambda one: [bolt.name for bolt in one.bolts if bolt.executed == 0.0],
            "{names} executed nothing in the window: the service rate is unknown, not 0 ms.",
        ),
    )
    diagnostics = find_diagnostics(RULES, measured)

The condition returns what it found; nothing (None, False or empty) raises no diagnostic:

| found | operators of the diagnostic | fields of the sentence |
|---|---|---|
| True | none | none |
| a list of operators | the list | {names} |
| a mapping from operators to texts | its keys | {names}, {texts} |
| Facts(operators, field=...) | `operators` | {names} and the given fields |
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from planner.values import Diagnostic
from planner.wording import join_names

MOST_TEXTS = 5

Subject = TypeVar("Subject")


class Facts:
    """Operators that a condition concerns, and the fields of its sentence."""

    def __init__(self, operators: Iterable[str] = (), **fields: object) -> None:
        """A field is named as in the sentence."""
        self.operators, self.fields = tuple(dict.fromkeys(operators)), fields


Finding = Facts | Mapping[str, str] | Sequence[str] | bool | None


class DiagnosticRule(NamedTuple, Generic[Subject]):
    """A row of a table of diagnostics: raised with this code and sentence where the condition finds something."""

    code: str
    condition: Callable[[Subject], Finding]
    sentence: str


def find_diagnostics(
    rules: Iterable[DiagnosticRule[Subject]], subject: Subject, **words: str
) -> tuple[Diagnostic, ...]:
    """A diagnostic for each rule whose condition finds something, in the order of the table.

    `words` are fields of all sentences, such as an engine's own name of a processor.
    """
    found = [(rule, rule.condition(subject)) for rule in rules]
    return tuple([_raise(rule.code, rule.sentence, one, words) for rule, one in found if one])


def _raise(code: str, sentence: str, finding: Finding, words: Mapping[str, str]) -> Diagnostic:
    if isinstance(finding, Facts):
        found = finding
    elif isinstance(finding, Mapping):
        found = Facts(finding, texts=join_texts(list(finding.values())))
    else:
        found = Facts(finding if isinstance(finding, Sequence) else ())
    fields = {"names": join_names(found.operators), **words, **found.fields}
    return Diagnostic(code, sentence.format_map(fields), found.operators)


def join_texts(texts: Sequence[str]) -> str:
    """The first five texts, and the number of the others."""
    more = len(texts) - MOST_TEXTS
    return ", ".join(texts[:MOST_TEXTS]) + (f", and {more} more" if more > 0 else "")


def say(code: str, detail: str, operators: Sequence[str] = ()) -> Diagnostic:
    """A single diagnostic, for a place that has no table."""
    return Diagnostic(code, detail, tuple(operators))
