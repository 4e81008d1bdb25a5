// Where is the bottleneck, and what should I do?
import { html, useState } from "./vendor/preact.js";
import { at, call } from "./api.js";
import { Chart } from "./chart.js";
import { ago, change, clock, count, duration, percent, rate, short } from "./format.js";
import { TopologyGraph } from "./graph.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";

const MOST_ROWS = 200;
const FORMATS = ["json", "flink", "storm", "heron", "keda", "kubernetes", "flink-operator"];

/** @param {{name: string, session: {may_store: boolean}}} props */
export function TopologyPage({ name, session }) {
  const topology = useAnswer(at(name));
  const newest = useAnswer(at(name, "/decisions?limit=1"));
  const id = newest.answer?.items[0]?.id ?? null;
  const decided = useAnswer(id && `/v1/decisions/${id}`);
  const series = useAnswer(at(name, "/series?points=288"));
  const [picked, setPicked] = useState(/** @type {string | null} */ (null));
  const decision = decided.answer;
  const none = newest.answer !== null && id === null;
  return html`<div class="page"><h1>${name}</h1><${Tabs} name=${name} on="topology" />
    <${Trouble} problem=${topology.problem} /><${Waiting} of=${topology} />
    ${none ? html`<${Undecided} name=${name} session=${session} />` : html`<${Trouble} problem=${newest.problem ?? decided.problem} />`}
    ${decision && html`<${Verdict} decision=${decision} />`}
    ${topology.answer && html`<${Operators} topology=${topology.answer} decision=${decision} picked=${picked} onPick=${setPicked} />`}
    ${decision && html`<${Why} decision=${decision} /><${Patch} decision=${decision} />`}
    <${OverTime} series=${series} /></div>`;
}

export function Tabs({ name, on }) {
  const root = `#/topologies/${encodeURIComponent(name)}`;
  const tabs = [["topology", "Topology", ""], ["what-if", "What if", "/what-if"], ["decisions", "Decisions", "/decisions"], ["forecast", "Forecast", "/forecast"]];
  return html`<nav class="tabs" aria-label="Pages of this topology">${tabs.map(
    ([key, text, path]) => html`<a href=${root + path} aria-current=${key === on ? "page" : undefined}>${text}</a>`,
  )}</nav>`;
}

function Undecided({ name, session }) {
  const [problem, setProblem] = useState(null);
  const decide = () => call(at(name, "/decisions"), { method: "POST" }).then(() => location.reload(), setProblem);
  return html`<section class="card"><h2>Nothing is decided yet</h2>
    <p>A decision needs a policy, which says what is wanted, and a snapshot of the measured load.</p>
    <${Trouble} problem=${problem} />
    ${session.may_store && html`<button onClick=${decide}>Decide now</button>`}</section>`;
}

const SENTENCES = {
  hold: "Keep what runs.",
  scale_up: "Run more processors.",
  scale_down: "Run fewer processors.",
  rebalance: "Move processors between operators.",
};

function Verdict({ decision }) {
  const { processors, current } = decision;
  const target = decision.policy?.goal?.t_max_seconds ?? decision.policy?.goal?.target?.seconds ?? null;
  const seconds = decision.measured_sojourn_seconds ?? current.expected_sojourn_seconds;
  return html`<section class=${`card verdict ${current.stable ? decision.action : "overloaded"}`}>
    <p class="sentence"><strong>${SENTENCES[decision.action]}</strong> ${decision.reasons.map((one) => one.detail).join(" ")}</p>
    <dl class="figures">
      <div><dt>E[T] ${decision.measured_sojourn_seconds === null ? "estimated" : "measured"}</dt><dd>${current.stable ? duration(seconds) : "grows without end"}</dd></div>
      <div><dt>E[T] as recommended</dt><dd>${duration(decision.expected_sojourn_seconds)}</dd></div>
      <div><dt>target</dt><dd>${duration(target)}</dd></div>
      <div><dt>processors</dt><dd>${change(processors.current_total, processors.recommended_total)}</dd></div>
      <div><dt>rate</dt><dd>${rate(decision.external_rate)}</dd></div>
      <div><dt>holds up to</dt><dd>${rate(decision.counterfactuals.holds_up_to_rate)}</dd></div>
      <div><dt>decided on data until</dt><dd>${clock(decision.decided_for)} UTC (${ago(decision.decided_for)})</dd></div>
    </dl></section>`;
}

function Operators({ topology, decision, picked, onPick }) {
  const [isAll, setAll] = useState(false);
  const estimates = new Map((decision?.current.operators ?? []).map((one) => [one.name, one]));
  const rows = topology.operators.map((one) => ({
    name: one.name,
    queueing: one.queueing ?? topology.queueing ?? "not said",
    utilisation: estimates.get(one.name)?.hottest_utilisation ?? estimates.get(one.name)?.utilisation ?? null,
    arrival_rate: estimates.get(one.name)?.arrival_rate ?? null,
    service_rate: estimates.get(one.name)?.service_rate ?? null,
    wait: estimates.get(one.name)?.wait_seconds ?? null,
    sojourn: estimates.get(one.name)?.sojourn_seconds ?? null,
    running: decision?.processors.current[one.name] ?? null,
    recommended: decision?.processors.recommended[one.name] ?? null,
  }));
  const busiest = rows.reduce((most, one) => ((one.utilisation ?? -1) > (most?.utilisation ?? -1) ? one : most), null);
  const edges = topology.edges.map((one) => {
    const source = estimates.get(one.source);
    return { source: one.source, target: one.target, flow: source ? source.arrival_rate * one.selectivity : null };
  });
  const middle = picked ?? busiest?.name ?? rows[0]?.name ?? null;
  const listed = isAll ? rows : rows.slice(0, MOST_ROWS);
  return html`<section class="card"><h2>Operators</h2>
    ${busiest?.utilisation !== undefined && busiest?.utilisation !== null && html`<p>The busiest is <strong>${busiest.name}</strong>: ${percent(busiest.utilisation)} busy.</p>`}
    <${TopologyGraph} nodes=${rows} edges=${edges} middle=${middle} onPick=${onPick} />
    <div class="scroll tall" tabindex="0" role="group" aria-label="A part that can be scrolled"><table class="wide"><thead><tr><th scope="col">operator</th><th scope="col">busy</th><th scope="col">arrivals</th>
      <th scope="col">one processor serves</th><th scope="col">wait</th><th scope="col">wait + service</th><th scope="col">queueing</th><th scope="col">processors</th></tr></thead>
      <tbody>${listed.map((one) => html`<tr class=${one.name === picked ? "picked" : ""} key=${one.name}><th scope="row">${one.name}</th><td>${percent(one.utilisation)}</td>
        <td>${rate(one.arrival_rate)}</td><td>${rate(one.service_rate)}</td><td>${duration(one.wait)}</td><td>${duration(one.sojourn)}</td>
        <td>${one.queueing}</td><td>${change(one.running, one.recommended)}</td></tr>`)}</tbody></table></div>
    ${rows.length > listed.length && html`<button onClick=${() => setAll(true)}>Show all ${count(rows.length)}</button>`}</section>`;
}

function Why({ decision }) {
  const { counterfactuals: other, basis } = decision;
  return html`<section class="card"><h2>Why</h2>
    <ul>${decision.reasons.map((one) => html`<li>${one.detail} <span class="code">${one.code}</span></li>`)}
      ${decision.constraints.map((one) => html`<li>Bound: ${one.detail} <span class="code">${one.code}</span></li>`)}</ul>
    <p>With one processor fewer E[T] would be ${duration(other.one_fewer_sojourn_seconds)}${other.one_fewer_up_to_rate === null ? "" : `, and it would hold up to ${rate(other.one_fewer_up_to_rate)}`}. As recommended it holds up to ${rate(other.holds_up_to_rate)}.</p>
    ${decision.catching_up && html`<p>${decision.catching_up.detail}</p>`}
    ${decision.outcome && html`<p>Outcome: ${decision.outcome.state}${decision.outcome.measured_seconds === null ? "" : `, E[T] measured ${duration(decision.outcome.measured_seconds)} for ${duration(decision.outcome.expected_seconds)} promised`}.</p>`}
    <p class="quiet">From ${count(basis.snapshots)} snapshots of revision ${basis.revision}, ${clock(basis.first_observed_at)} to ${clock(basis.last_observed_at)} UTC.
      ${decision.current.evidence?.known_error ? `For this kind of input the estimate errs by ${percent(decision.current.evidence.known_error)} on average.` : ""}</p>
    ${decision.diagnostics.length > 0 && html`<details open><summary>What to know of the data (${decision.diagnostics.length})</summary><ul>${decision.diagnostics.map((one) => html`<li>${one.detail} <span class="code">${one.code}</span></li>`)}</ul></details>`}
  </section>`;
}

function Patch({ decision }) {
  const [format, setFormat] = useState("json");
  const [copied, setCopied] = useState("");
  const found = useAnswer(`/v1/decisions/${decision.id}/patch?format=${format}`);
  const patch = found.answer;
  const text = patch ? (patch.command ?? JSON.stringify(patch.body, null, 2)) : "";
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied("Copied."), () => setCopied("The browser does not allow it: select the text."));
  return html`<section class="card"><h2>What to send where</h2>
    <label>for <select aria-label="Format" value=${format} onChange=${(event) => { setFormat(event.target.value); setCopied(""); }}>${FORMATS.map((one) => html`<option value=${one}>${one}</option>`)}</select></label>
    <${Trouble} problem=${found.problem} />
    ${patch && html`${patch.path && html`<p><code>${patch.method} ${patch.path}</code></p>`}<pre class="patch">${text}</pre>
      <p><button onClick=${copy}>Copy</button> <span aria-live="polite">${copied}</span></p>
      <ul>${(patch.notes ?? []).map((one) => html`<li>${one}</li>`)}</ul>`}</section>`;
}

function OverTime({ series }) {
  const found = series.answer;
  if (!found) return html`<${Trouble} problem=${series.problem} />`;
  const xs = found.points.map((one) => Date.parse(one.at));
  const values = (field) => found.points.map((one) => one[field]);
  const target = found.target_seconds === null ? [] : [{ name: "target", values: xs.map(() => found.target_seconds), className: "target" }];
  const times = [
    { name: "E[T] measured", values: values("measured_sojourn_seconds"), className: "measured" },
    { name: "E[T] estimated", values: values("expected_sojourn_seconds"), className: "expected" },
    ...target,
  ];
  return html`<section class="card"><h2>Over time (UTC)</h2>
    <${Chart} label="External rate" xs=${xs} writeX=${clock} lines=${[{ name: "mean", values: values("external_rate"), className: "measured" }, { name: "highest", values: values("highest_rate"), className: "expected" }]} write=${rate} />
    <${Chart} label="E[T]" xs=${xs} writeX=${clock} lines=${times} write=${duration} cap=${found.target_seconds && 3 * found.target_seconds} />
    <${Chart} label="Processors" xs=${xs} writeX=${clock} lines=${[{ name: "running", values: values("processors_running"), className: "measured" }, { name: "recommended", values: values("processors_recommended"), className: "expected" }]} write=${short} />
  </section>`;
}
