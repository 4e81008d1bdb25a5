"""Jobs with known service times on a real Flink: compiled, started, measured by counters of their own."""

import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, cast

import httpx
import pyspark

from tests.engines.flink_cluster import FLINK, Fields, Flink, find_java, wait_for

SOURCES = Path(__file__).parent / "java"
SPARK_JARS = Path(pyspark.__file__).parent / "jars"
COMPILER = "org.codehaus.commons.compiler.samples.CompilerDemo"  # Janino's: no JDK is needed
COUNTERS = ("services", "service_nanos", "squared_micros", "sojourn_nanos", "total_nanos")


Exchange = Literal["rebalance", "hash"]


class Operator(NamedTuple):
    """One operator of a job: the mean of its services, their law, and what it emits for each tuple."""

    name: str
    service_seconds: float
    parallelism: int
    copies: int = 1
    law: Literal["exponential", "fixed", "wild"] = "exponential"

    def write(self) -> str:
        """As Network.java reads it."""
        return f"{self.name}:{self.service_seconds * 1e3!r}:{self.law}:{self.copies}:{self.parallelism}"


class JobPlan(NamedTuple):
    """What job to start: a source with this rate (tuples/s), then the operators in a row.

    Keys follow Zipf's law with exponent `skew`; copies of a tuple have its key, or keys of their own. With `has_replay`
    tuples that were due while the job stood still are sent once it runs again, as from a log.
    """

    name: str
    exchange: Exchange
    operators: tuple[Operator, ...]
    rate: float
    keys: int = 100_000
    buffer_timeout_ms: int = 0
    skew: float = 0.0
    has_own_keys: bool = False
    groups: int = 0
    has_replay: bool = False


class Tally(NamedTuple):
    """Sums over all instances of one operator, by the job's own clock."""

    services: float
    service_seconds: float
    squared_seconds: float
    sojourn_seconds: float
    total_seconds: float

    def minus(self, earlier: "Tally") -> "Tally":
        """What came between two looks."""
        return Tally(*(now - then for now, then in zip(self, earlier, strict=True)))


def compile_jar(folder: Path) -> Path:
    """The jar with the job, compiled by the Janino that PySpark brings."""
    classes, jar = folder / "classes", folder / "network.jar"
    classes.mkdir(exist_ok=True)
    janino = [next(SPARK_JARS.glob(f"{name}-[0-9]*.jar")) for name in ("janino", "commons-compiler")]
    flink = next((FLINK / "lib").glob("flink-dist-*.jar"))
    command: list[str | Path] = [
        find_java(),
        "-cp",
        ":".join(map(str, janino)),
        COMPILER,
        "-d",
        classes,
        "-classpath",
        flink,
    ]
    subprocess.run([*command, *sorted(SOURCES.glob("*.java"))], check=True, timeout=120)
    with zipfile.ZipFile(jar, "w") as packed:
        for one in sorted(classes.glob("*.class")):
            packed.write(one, one.name)
    return jar


def upload(flink: Flink, jar: Path) -> str:
    """Hands the jar to the cluster; returns what the cluster calls it."""
    with jar.open("rb") as file:
        answer = httpx.post(f"{flink.url}/jars/upload", files={"jarfile": file}, timeout=60)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["filename"]).rsplit("/", 1)[-1]


@dataclass
class Job:
    """A job that runs on the cluster."""

    flink: Flink
    plan: JobPlan
    rate_file: Path
    id: str = ""
    vertices: dict[str, str] = field(default_factory=dict)

    def set_rate(self, rate: float | Literal["die"]) -> None:
        """From now on the source emits so many tuples per second; "die" ends the job with an error."""
        new = self.rate_file.with_suffix(".new")
        new.write_text(str(rate))
        new.rename(self.rate_file)

    def describe(self) -> Fields:
        """GET /jobs/:id."""
        return self.flink.get(f"/jobs/{self.id}")

    def is_running(self) -> bool:
        """Whether all tasks of all vertices run."""
        listed = cast("list[Fields]", self.describe()["vertices"])
        return bool(listed) and all(
            cast("Fields", one["tasks"])["RUNNING"] == one["parallelism"] for one in listed
        )

    def read_parallelism(self) -> dict[str, int]:
        """Instances that run, by operator; the source is left out."""
        listed = cast("list[Fields]", self.describe()["vertices"])
        running = {str(one["name"]).removeprefix("Sink: "): cast("int", one["parallelism"]) for one in listed}
        return {operator.name: running[operator.name] for operator in self.plan.operators}

    def rescale(self, counts: dict[str, int]) -> None:
        """PUT resource-requirements, by hand; the source keeps one instance."""
        wanted = {vertex: counts.get(name, 1) for name, vertex in self.vertices.items()}
        body = {
            vertex: {"parallelism": {"lowerBound": 1, "upperBound": count}}
            for vertex, count in wanted.items()
        }
        self.flink.ask("PUT", f"/jobs/{self.id}/resource-requirements", cast("Fields", body))

    def count(self) -> dict[str, Tally]:
        """The sums of each operator, under load; asked until all are new, for Flink gives what it fetched last."""
        old = {one.name: self._count_one(one.name) for one in self.plan.operators}

        def look_again() -> dict[str, Tally] | None:
            new = {name: self._count_one(name) for name in old}
            return new if all(new[name] != old[name] for name in old) else None

        return wait_for(look_again, f"the counters of {self.plan.name} move")

    def _count_one(self, operator: str) -> Tally:
        base = f"/jobs/{self.id}/vertices/{self.vertices[operator]}/subtasks/metrics"
        listed = wait_for(
            lambda: [
                name
                for one in cast("list[Fields]", self.flink.ask("GET", base))
                if (name := str(one["id"])).split(".lab_")[-1] in COUNTERS
            ],
            f"Flink shows the counters of {operator}",
        )
        answer = self.flink.ask("GET", f"{base}?get={','.join(listed)}&agg=sum")
        sums = {
            str(one["id"]).split(".lab_")[-1]: float(cast("float", one["sum"]))
            for one in cast("list[Fields]", answer)
        }
        return Tally(
            sums["services"],
            sums["service_nanos"] * 1e-9,
            sums["squared_micros"] * 1e-12,
            sums["sojourn_nanos"] * 1e-9,
            sums["total_nanos"] * 1e-9,
        )

    def cancel(self) -> None:
        """Ends the job."""
        self.flink.ask("PATCH", f"/jobs/{self.id}?mode=cancel")


def start_job(flink: Flink, jar: str, plan: JobPlan) -> Job:
    """Starts a job and waits until all of it runs."""
    job = Job(flink, plan, flink.folder / f"{plan.name}.rate")
    job.set_rate(plan.rate)
    arguments = {
        "name": plan.name,
        "exchange": plan.exchange,
        "keys": str(plan.keys),
        "skew": str(plan.skew),
        "own_keys": str(plan.has_own_keys).lower(),
        "groups": str(plan.groups),
        "replay": str(plan.has_replay).lower(),
        "rate_file": str(job.rate_file),
        "buffer_timeout": str(plan.buffer_timeout_ms),
        "operators": ",".join(operator.write() for operator in plan.operators),
    }
    return run(job, jar, "Network", arguments)


def start_waiting(flink: Flink, jar: str, name: str, rate: float, calls: int) -> Job:
    """Starts the job whose operators wait for something else than processors, with so many instances that call."""
    job = Job(flink, JobPlan(name, "hash", (), rate), flink.folder / f"{name}.rate")
    job.set_rate(rate)
    return run(job, jar, "Waiting", {"name": name, "rate_file": str(job.rate_file), "calls": str(calls)})


def run(job: Job, jar: str, main_class: str, arguments: dict[str, str]) -> Job:
    """The job, once all of it runs."""
    body: Fields = {
        "entryClass": main_class,
        "programArgsList": [f"{key}={value}" for key, value in arguments.items()],
    }
    job.id = str(cast("Fields", job.flink.ask("POST", f"/jars/{jar}/run", body))["jobid"])
    wait_for(job.is_running, f"job {job.plan.name} runs")
    listed = cast("list[Fields]", job.describe()["vertices"])
    job.vertices = {str(one["name"]).split(": ")[-1]: str(one["id"]) for one in listed}
    return job


StartJob = Callable[[JobPlan], Job]
