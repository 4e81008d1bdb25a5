"""Diagnostics of readers as tables: a code, the condition under which it is raised, and its sentence.

    RULES: Rules[Measured] = {
        "nothing-executed": Rule(
            lambda one: [bolt.name for bolt in one.bolts if bolt.executed == 0.0],
            "{names} executed nothing in the window: the service rate is unknown, not 0 ms.",
        ),
    }
    diagnostics = find_diagnostics(RULES, measured)

The condition returns what it found; nothing (None, False or empty) raises no diagnostic:

| found | operators of the diagnostic | fields of the sentence |
|---|---|---|
| True | none | none |
| a list of operators | the list | {names} |
| a mapping from operators to texts | its keys | {names}, {texts} |
| Facts(operators, field=...) | `operators` | {names} and the given fields |
| a list of Facts | one diagnostic for each | as above |
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from planner.values import Diagnostic
from planner.wording import join_names

MOST_TEXTS = 5

Subject = TypeVar("Subject")


class Facts:
    """Operators that a condition concerns, and the fields of its sentence."""

    def __init__(self, operators: Iterable[str] = (), **fields: object) -> None:
        """Stores the operators, and each keyword as a field that the sentence uses by the same name."""
        self.operators, self.fields = tuple(dict.fromkeys(operators)), fields


Finding = Facts | Mapping[str, str] | Sequence[str] | Sequence[Facts] | bool | None


class Rule(NamedTuple, Generic[Subject]):
    """The condition of a diagnostic, and the sentence that is given if the condition finds something."""

    condition: Callable[[Subject], Finding]
    sentence: str


Rules = Mapping[str, Rule[Subject]]
"""A table of diagnostics by their codes."""


def find_diagnostics(rules: Rules[Subject], subject: Subject, **words: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of the rules whose condition finds something, in the order of the table.

    `words` are fields of all sentences, such as the engine's own name for a processor.
    """
    return tuple(
        [
            Diagnostic(code, rule.sentence.format_map(_list_fields(found, words)), found.operators)
            for code, rule in rules.items()
            for found in _list_facts(rule.condition(subject))
        ]
    )


def describe_operator(rules: Rules[Subject], subject: Subject, operator: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of an engine whose topology is a single operator; each diagnostic names this operator."""
    return tuple([replace(one, operators=(operator,)) for one in find_diagnostics(rules, subject)])


def _list_facts(finding: Finding) -> Sequence[Facts]:
    """The finding of a condition as a list of Facts: one item for each diagnostic."""
    if isinstance(finding, Facts):
        return [finding]
    if not finding:
        return []
    if isinstance(finding, bool):
        return [Facts()]
    if isinstance(finding, Mapping):
        return [Facts(finding, texts=join_texts(list(finding.values())))]
    facts = [one for one in finding if isinstance(one, Facts)]
    return facts or [Facts(map(str, finding))]


def _list_fields(found: Facts, words: Mapping[str, str]) -> dict[str, object]:
    return {"names": join_names(found.operators), **words, **found.fields}


def join_texts(texts: Sequence[str]) -> str:
    """The first five of some texts, with commas, and how many more there are."""
    return join_names(texts, MOST_TEXTS)


def say(code: str, detail: str, operators: Sequence[str] = ()) -> Diagnostic:
    """One diagnostic with a code, a sentence and operators, for a place that has no table of rules."""
    return Diagnostic(code, detail, tuple(operators))
