"""A gate's report says the verdict, every check and every operator."""

from app.planning.gate_reports import describe_gate
from app.planning.gates.schemas import to_gate_answer
from app.rendering.reports import write_html, write_markdown
from planner.gates.verdict import judge_capacity
from planner.values import Entry, Load, Operator, OperatorLoad, TimeTarget, Topology

TOPOLOGY = Topology((Operator("parse"),), (), (Entry("parse"),))
LOAD = Load(10.0, {"parse": OperatorLoad(4.0, processors=3)})


def test_a_report_has_the_verdict_and_what_it_rests_on():
    for limit, verdict in ((10.0, "passes"), (0.26, "fails")):
        answer = to_gate_answer(judge_capacity(TOPOLOGY, LOAD, limit=TimeTarget("total", limit)))
        blocks = describe_gate(answer)
        for text in (write_html(blocks), write_markdown(blocks)):
            assert f"The gate {verdict}" in text
            assert "parse" in text
            assert all(check.name in text for check in answer.checks)


def test_a_report_has_the_graph_where_the_topology_is_known():
    answer = to_gate_answer(judge_capacity(TOPOLOGY, LOAD, limit=TimeTarget("total", 10.0)))
    assert "<svg " not in write_html(describe_gate(answer))
    page = write_html(describe_gate(answer, TOPOLOGY))
    assert "<title>parse: 83% busy · 10/s, 3 processors</title>" in page
    assert 'n0["parse<br/>83% busy · 10/s<br/>3 processors"]' in write_markdown(
        describe_gate(answer, TOPOLOGY)
    )
