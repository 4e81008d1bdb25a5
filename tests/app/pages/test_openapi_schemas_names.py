"""Schemas lose the suffixes of their classes, where no other schema has the name already."""

from hypothesis import given
from hypothesis import strategies as st

from app.pages.openapi_schemas import rename_schemas, shorten_names

STEMS = st.sampled_from(["Plan", "Load", "Policy"])
NAMES = st.lists(st.builds(str.__add__, STEMS, st.sampled_from(["", "Answer", "Body", "Page"])), unique=True)


def test_an_answer_takes_the_plain_name_before_a_body():
    assert shorten_names(["PolicyBody", "PolicyAnswer", "LoadBody", "PlanAnswer", "PlanPage"]) == {
        "PolicyBody": "PolicyBody",
        "PolicyAnswer": "Policy",
        "LoadBody": "Load",
        "PlanAnswer": "Plan",
        "PlanPage": "PlanPage",
    }


@given(NAMES)
def test_no_two_schemas_come_to_one_name(names: list[str]):
    short = shorten_names(names)
    assert list(short) == names
    assert len(set(short.values())) == len(names)


def test_references_and_discriminators_follow_the_new_names():
    reference = "#/components/schemas/LoadBody"
    document = {
        "paths": {"/": {"schema": {"$ref": reference}}},
        "components": {
            "schemas": {"LoadBody": {"items": {"$ref": reference}, "mapping": {"load": reference}}}
        },
    }
    renamed = rename_schemas(document)
    new = "#/components/schemas/Load"
    assert renamed["paths"]["/"]["schema"] == {"$ref": new}
    assert renamed["components"]["schemas"] == {"Load": {"items": {"$ref": new}, "mapping": {"load": new}}}
