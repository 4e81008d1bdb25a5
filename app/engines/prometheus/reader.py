"""Prometheus -> a load for each step of a range; the topology is the stored one, since edges are not in Prometheus."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from app.engines.answers import EngineAnswer, EngineReading, UnreadableAnswer, read_parameters
from app.engines.prometheus.documents import LabelledSeries, read_document
from app.engines.prometheus.loads import make_loads
from app.engines.prometheus.notes import explain_nothing, list_notes
from app.engines.prometheus.roles import ROLES, Query, Role, find_window, name_role, read_rule
from app.engines.prometheus.signals import Signal, is_counter, make_signal, read_counters
from app.engines.prometheus.tables import make_moments

Key = tuple[tuple[str, str, str], frozenset[tuple[str, str]]]
"""The query, its role and operator, and the labels of a series."""


@dataclass(slots=True)
class _Found:
    """Series by what they answer: the same series in two answers is one."""

    counters: dict[Key, LabelledSeries] = field(default_factory=dict)
    queried: dict[Key, tuple[LabelledSeries, Query, Mapping[str, str]]] = field(default_factory=dict)
    roles: set[Role] = field(default_factory=set)
    problems: list[UnreadableAnswer] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)


def read(answers: Sequence[EngineAnswer]) -> EngineReading:
    """What the answers measure."""
    pointer = answers[0].pointer if len(answers) == 1 else "#"
    found = _Found()
    for answer in answers:
        _sort_answer(answer, found)
    signals = [*_make_signals(found, pointer), *read_counters(found.counters.values())]
    _refuse_several_jobs(signals, pointer)
    moments = make_moments(signals)
    is_asked = "unchanged_processors" in found.roles | {signal.role for signal in signals}
    loads = make_loads(moments, is_asked=is_asked)
    if not loads.loads and not loads.left.will_pass:
        raise (
            found.problems[0]
            if found.problems
            else UnreadableAnswer(pointer, explain_nothing(loads, moments))
        )
    return EngineReading(
        topology=None,
        loads=tuple(loads.loads),
        diagnostics=list_notes(loads, moments, found.empty, found.problems),
        marks=_list_marks(signals),
    )


def _sort_answer(answer: EngineAnswer, found: _Found) -> None:
    parameters = read_parameters(answer.path)
    if "role" in parameters and parameters["role"] not in ROLES:
        detail = (
            f"role={parameters['role'][:50]!r} in the path is not known: the roles are {', '.join(ROLES)}."
        )
        raise UnreadableAnswer(answer.pointer, detail)
    document, promql = read_document(answer.body), parameters.get("query", "")
    if document.error is not None:
        found.problems.append(UnreadableAnswer(answer.pointer, _explain_error(document.error)))
        return
    if not document.series:
        found.empty.append(promql or answer.pointer)
    if (query := name_role(parameters)) is not None:
        found.roles.add(query.role)
    known = [_sort_series(series, parameters, found) for series in document.series]
    if not all(known):
        detail = (
            "what this query measures is unknown. Give its path with the query and a role, such as "
            "/api/v1/query_range?query=...&role=arrival_rate."
        )
        found.problems.append(UnreadableAnswer(answer.pointer, detail))


def _sort_series(series: LabelledSeries, parameters: Mapping[str, str], found: _Found) -> bool:
    """Whether it is known what the series measures: as the path says, or its name, or the query."""
    asked = parameters
    if "role" not in parameters:
        if is_counter(series):
            key = ("", "", ""), frozenset(series.labels.items())
            found.counters[key] = _join(found.counters.get(key), series)
            return True
        asked = read_rule(series.labels) or parameters
    query = name_role(asked)
    if query is None:
        return False
    role = asked.get("query", ""), query.role, asked.get("operator", "")
    key = role, frozenset(series.labels.items())
    known = found.queried.get(key)
    found.queried[key] = _join(known[0] if known else None, series), query, asked
    return True


def _join(known: LabelledSeries | None, series: LabelledSeries) -> LabelledSeries:
    return series if known is None else series._replace(points={**known.points, **series.points})


def _explain_error(error: str) -> str:
    text = error[:300]
    if "maximum resolution" in text:
        return f"Prometheus refused the query: {text}. Ask for a shorter range or a longer step."
    return f"Prometheus refused the query, or this is no answer of it: {text}."


def _make_signals(found: _Found, pointer: str) -> Iterable[Signal]:
    unnamed = set[str]()
    for series, query, parameters in found.queried.values():
        signal = make_signal(series, query, find_window(parameters), parameters)
        if signal is not None:
            yield signal
        elif query.role not in unnamed:
            unnamed.add(query.role)
            detail = (
                f"of which operator the series of {query.role} are is unknown: aggregate by one label, or give "
                "operator=NAME or operator_label=LABEL in the path."
            )
            found.problems.append(UnreadableAnswer(pointer, detail))


def _refuse_several_jobs(signals: Iterable[Signal], pointer: str) -> None:
    names = sorted({signal.job_name for signal in signals if signal.job_name is not None})
    if len(names) > 1:
        detail = (
            f"series of {len(names)} jobs ({', '.join(names[:10])}): a topology is one of them. Filter the queries, "
            'such as {job_name="NAME"}.'
        )
        raise UnreadableAnswer(pointer, detail)


def _list_marks(signals: Iterable[Signal]) -> Mapping[str, JsonValue]:
    """The id and the name of the newest job."""
    newest = max(signals, key=lambda one: (max(one.points), one.job_id or ""), default=None)
    marks = {} if newest is None else {"job": newest.job_id or newest.job_name, "job_name": newest.job_name}
    return {name: value for name, value in marks.items() if value is not None}
