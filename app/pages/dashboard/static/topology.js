// Where is the bottleneck, and what should I do?
import { html } from "./view.js";
import { at } from "./api.js";
import { DemoNote, LiveNote } from "./demo.js";
import { useMeasuredUntil } from "./freshness.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";
import { Operators } from "./operators.js";
import { OverTime } from "./over_time.js";
import { Patch } from "./patch.js";
import { Tabs } from "./tabs.js";
import { Undecided } from "./undecided.js";
import { Verdict, Why } from "./verdict.js";

/** @param {{name: string, query: URLSearchParams, session: {may_store: boolean}}} props */
export function TopologyPage({ name, query, session }) {
  // Both are asked at once: neither waits for the other.
  const topology = useAnswer(at(name));
  const newest = useAnswer(at(name, "/decisions?limit=5"));
  return html`
    <div class="page">
      <h1>${name}</h1>
      ${topology.answer && html`<${Tabs} name=${name} on="topology" />`}
      <${Trouble} problem=${topology.problem} />
      <${Waiting} of=${topology} />
      ${topology.answer?.source === "demo" && html`<${DemoNote} name=${name} may_store=${session.may_store} />`}
      ${topology.answer?.source === "demo" && html`<${LiveNote} name=${name} may_store=${session.may_store} />`}
      ${topology.answer && html`
        <${Parts} name=${name} topology=${topology.answer} newest=${newest} session=${session}
          asked=${query.get("operator")} />
      `}
      ${topology.problem && !topology.answer && html`<p><a href="#/">All topologies</a></p>`}
    </div>
  `;
}

/**
 * @typedef {import("./hooks.js").Found} Found
 * @param {{name: string, topology: any, newest: Found, asked: string | null, session: {may_store: boolean}}} props
 */
function Parts({ name, topology, newest, asked, session }) {
  const id = newest.answer?.standing ?? null;
  const none = newest.answer !== null && id === null;
  const { answer: decision, problem } = useAnswer(id && `/v1/decisions/${id}`);
  const listed = useAnswer(none ? `/v1/overview?limit=500&contains=${encodeURIComponent(name)}` : null);
  const row = listed.answer?.items.find((one) => one.name === name) ?? null;
  // Without a decision the newest snapshot says how busy the operators are.
  const busy = useAnswer(row?.measured_until ? at(name, "/what-if") : null, {});
  useMeasuredUntil(decision?.decided_for ?? row?.measured_until, Boolean(decision?.withheld));
  // What was takes the service longest, so it waits for what to do.
  const series = useAnswer(decision || row || problem ? at(name, "/series?points=288") : null);
  return html`
    <${Trouble} problem=${newest.problem ?? problem ?? listed.problem} />
    ${row && html`<${Undecided} row=${row} topology=${topology} session=${session} />`}
    ${decision && html`<${Verdict} decision=${decision} />`}
    <div class=${decision?.withheld ? "old" : ""}>
      <${Operators} topology=${topology} asked=${asked} estimate=${decision?.current ?? busy.answer?.current ?? null}
        processors=${decision && !decision.withheld ? decision.processors : null} />
      ${decision &&
        html`<${Why} decision=${decision} before=${
          newest.answer?.items.find((one) => !one.trial && one.decided_for < decision.decided_for)
        } />`}
    </div>
    ${decision && !decision.withheld && html`<${Patch} decision=${decision} />`}
    ${decision && html`<p><a href=${at(name, "/report")}>Report of the newest decision</a></p>`}
    <${OverTime} series=${series} />
  `;
}
