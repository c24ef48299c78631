"""The value formation walk of seed 000 over HTTP: 200 experiences of known groups, clusters, values, and a warning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from ulid import ULID

from tests.retro_experiences import GROUPS, Group, experiences
from tests.value_sentences import WRITTEN

pytestmark = [pytest.mark.integration, pytest.mark.timeout(1200)]

COUNT = 200
SCOPE = f"user:retro-{str(ULID()).lower()}"


@pytest.fixture(scope="module")
def patient(service: str) -> Iterator[httpx.Client]:
    """A client that waits for a first clustering, which starts a process and compiles."""
    with httpx.Client(base_url=service, timeout=600, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def groups(patient: httpx.Client) -> dict[str, Group]:
    """The experiences told, each in a session of its own: group by id."""

    def tell(numbered: tuple[int, tuple[Group, dict[str, Any], dict[str, Any]]]) -> tuple[str, Group]:
        number, (group, start, resolve) = numbered
        key = {"Idempotency-Key": f"{SCOPE}/{number}"}
        started = patient.post(
            "/api/experiences", json={**start, "scope": SCOPE, "session_id": f"s{number}"}, headers=key
        )
        assert started.status_code == 201, started.text
        entry = started.json()["experience"]
        resolved = patient.post(
            f"/api/experiences/{entry['id']}/resolve", json=resolve, headers={"If-Match": started.headers["ETag"]}
        )
        assert resolved.status_code == 200, resolved.text
        return entry["id"], group

    with ThreadPoolExecutor(4) as pool:
        return dict(pool.map(tell, enumerate(experiences(COUNT, seed=7))))


@pytest.fixture(scope="module")
def clusters(patient: httpx.Client, groups: dict[str, Group]) -> list[dict[str, Any]]:
    """The clusters of a run on the whole experience, largest first."""
    run = patient.post("/api/value_clusters/runs", json={"axis": "full", "scope": SCOPE})
    assert run.status_code == 201, run.text
    assert run.json()["experiences"] == COUNT == len(groups)
    listed = patient.get("/api/value_clusters", params={"axis": "full", "scope": SCOPE})
    return list(listed.json()["items"])


def test_a_run_is_found_by_its_id_alone(patient: httpx.Client, clusters: list[dict[str, Any]]) -> None:
    listed = patient.get("/api/value_clusters", params={"axis": "full", "run_id": clusters[0]["run_id"]})
    assert listed.json() == {"items": clusters}
    unknown = patient.get("/api/value_clusters", params={"axis": "full", "run_id": "01JD7W9ZB6V3Q7T5N9S4E2M8XK"})
    assert (unknown.status_code, unknown.json()["field"]) == (404, "run_id")


def judged(patient: httpx.Client, clusters: dict[str, str], values: dict[str, tuple[str, ...]]) -> tuple[float, float]:
    """The share of values that pass in the cluster of their own group, and that fail in each other one."""
    fitting, strange = [], []
    for group, cluster_id in clusters.items():
        for other, texts in values.items():
            for text in texts:
                body = {"text": text, "cluster_id": cluster_id}
                valid = patient.post("/api/values/validate", json=body).json()["valid"]
                (fitting if other == group else strange).append(valid == (other == group))
    return sum(fitting) / len(fitting), sum(strange) / len(strange)


def members_of(patient: httpx.Client, cluster_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = None
    while True:
        params = {"limit": "100"} | ({"cursor": cursor} if cursor else {})
        page = patient.get(f"/api/value_clusters/{cluster_id}/members", params=params).json()
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def test_clusters_are_found_and_hold_one_group_each(clusters: list[dict[str, Any]], groups: dict[str, Group]) -> None:
    assert [cluster["size"] for cluster in clusters] == sorted((c["size"] for c in clusters), reverse=True)
    found = [Counter(groups[member].name for member in cluster["member_ids"]) for cluster in clusters]
    pure = sum(names.most_common(1)[0][1] for names in found)
    clustered = sum(cluster["size"] for cluster in clusters)
    assert clustered >= 0.8 * COUNT
    assert pure >= 0.95 * clustered
    assert {name for names in found for name in names} == {group.name for group in GROUPS}
    assert not any({"centroid", "embedding"} & cluster.keys() for cluster in clusters)


def test_a_good_and_a_bad_value_are_judged_stored_listed_and_warn(
    patient: httpx.Client, clusters: list[dict[str, Any]], groups: dict[str, Group]
) -> None:
    chosen = clusters[0]
    members = members_of(patient, chosen["cluster_id"])
    assert [member["id"] for member in members] == chosen["member_ids"]
    group = groups[members[0]["id"]]
    good = WRITTEN[group.name][0]
    bad = "Water the plants in the office on Fridays."
    short = chosen["cluster_id"].partition("@")[0]

    judged = patient.post("/api/values/validate", json={"text": good, "cluster_id": short, "scope": SCOPE}).json()
    assert judged["valid"], judged
    assert judged["candidate_distance"] <= judged["threshold"] + 1e-9
    assert judged["threshold"] == pytest.approx(judged["mean_distance"] + 0.5 * judged["std_distance"])
    refused = patient.post("/api/values/validate", json={"text": bad, "cluster_id": chosen["cluster_id"]}).json()
    assert not refused["valid"]
    assert "too far from centroid" in refused["reason"]

    body = {"text": good, "cluster_id": short, "axis": "full", "scope": SCOPE}
    problem = patient.post("/api/values", json={**body, "text": bad})
    assert (problem.status_code, problem.json()["code"]) == (422, "value_rejected")
    assert problem.json()["validation"]["threshold"] == pytest.approx(judged["threshold"])
    assert patient.post("/api/values", json={**body, "axis": "strategy"}).status_code == 422
    key = {"Idempotency-Key": f"{SCOPE}/value"}
    stored = patient.post("/api/values", json=body, headers=key)
    assert stored.status_code == 201, stored.text
    value = stored.json()
    assert value["id"].startswith(f"value_{short}_")
    assert value["cluster_id"] == chosen["cluster_id"]
    assert patient.post("/api/values", json=body, headers=key).json() == value
    assert patient.get(stored.headers["Location"]).json() == value

    listed = patient.get("/api/values", params={"axis": "full", "scope": SCOPE}).json()["items"]
    assert [item["id"] for item in listed] == [value["id"]]
    assert patient.get("/api/values", params={"axis": "strategy", "scope": SCOPE}).json()["items"] == []

    again = {name: f"{getattr(group, name)} again".format(what="stock", when="today")
             for name in ("goal", "hypothesis", "action", "prediction")}  # fmt: skip
    start = {**again, "domain": group.domain, "strategy": group.strategy, "scope": SCOPE, "session_id": "next"}
    begun = patient.post("/api/experiences", json=start).json()
    assert [warning["value_id"] for warning in begun["premortem"]["warnings"]] == [value["id"]]
    assert begun["premortem"]["tokens"] <= 1500
    open_now = patient.get("/api/experiences/active", params={"session_id": "next", "scope": SCOPE})
    assert open_now.json()["id"] == begun["experience"]["id"]
    second = patient.post("/api/experiences", json=start)
    assert (second.status_code, second.json()["experience_id"]) == (409, begun["experience"]["id"])
    elsewhere = {**start, "domain": "documentation", "session_id": "other"}
    assert patient.post("/api/experiences", json=elsewhere).json()["premortem"]["warnings"] == []


def test_sentences_pass_where_they_fit_and_nowhere_else(
    patient: httpx.Client, clusters: list[dict[str, Any]], groups: dict[str, Group]
) -> None:
    named = {groups[cluster["member_ids"][0]].name: cluster["cluster_id"] for cluster in clusters}
    fitting, strange = judged(patient, named, WRITTEN)
    assert fitting >= 0.8
    assert strange >= 0.9


def test_a_new_run_breaks_no_values_link(patient: httpx.Client, clusters: list[dict[str, Any]]) -> None:
    kept = patient.get(f"/api/value_clusters/{clusters[0]['cluster_id']}").json()
    job = patient.post("/api/jobs", json={"kind": "cluster_values", "parameters": {"axis": "full"}, "scope": SCOPE})
    assert job.status_code == 202, job.text
    with patient.stream("GET", f"/api/jobs/{job.json()['id']}/events") as events:
        states = [line for line in events.iter_lines() if line.startswith("data:")]
    assert '"succeeded"' in states[-1]
    runs = patient.get("/api/value_clusters/runs", params={"scope": SCOPE}).json()["items"]
    assert len(runs) == 2
    assert runs[0]["id"] != kept["run_id"] == runs[1]["id"]
    assert patient.get(f"/api/value_clusters/{clusters[0]['cluster_id']}").json() == kept


def test_experiences_are_searched_and_listed(patient: httpx.Client, groups: dict[str, Group]) -> None:
    asked = {"query": "a flaky test that reads the wall clock", "axis": "root_cause", "scopes": [SCOPE], "limit": 5}
    found = patient.post("/api/experiences/search", json=asked).json()["items"]
    assert {groups[item["experience"]["id"]].name for item in found} == {"clocks"}
    listed = patient.get("/api/experiences", params={"scope": SCOPE, "domain": "testing", "limit": 50}).json()
    told = [item["id"] for item in listed["items"] if item["id"] in groups]  # an earlier test began one more
    assert len(told) == COUNT // len(GROUPS)


def test_bad_requests_are_told_so(patient: httpx.Client, clusters: list[dict[str, Any]]) -> None:
    assert patient.get("/api/value_clusters", params={"axis": "domain"}).json()["code"] == "invalid_axis"
    few = patient.post("/api/value_clusters/runs", json={"axis": "full", "scope": f"{SCOPE}-empty"})
    assert (few.status_code, few.json()["code"], few.json()["needed"]) == (422, "insufficient_data", 20)
    unknown = patient.post("/api/values/validate", json={"text": "x", "cluster_id": "full_99", "scope": SCOPE})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_cluster")
    stale = patient.patch(
        f"/api/experiences/{clusters[0]['member_ids'][0]}", json={"note": "late"}, headers={"If-Match": '"1"'}
    )
    assert stale.status_code == 412
