// Where is the bottleneck, and what should I do?
import { html, useState } from "./view.js";
import { at } from "./api.js";
import { Trouble, useAnswer, Waiting } from "./hooks.js";
import { Operators } from "./operators.js";
import { OverTime } from "./over_time.js";
import { Patch } from "./patch.js";
import { Tabs } from "./tabs.js";
import { Undecided } from "./undecided.js";
import { Verdict, Why } from "./verdict.js";

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
  return html`
    <div class="page">
      <h1>${name}</h1>
      <${Tabs} name=${name} on="topology" />
      <${Trouble} problem=${topology.problem} />
      <${Waiting} of=${topology} />
      ${none && html`<${Undecided} name=${name} session=${session} />`}
      ${!none && html`<${Trouble} problem=${newest.problem ?? decided.problem} />`}
      ${decision && html`<${Verdict} decision=${decision} />`}
      ${topology.answer && html`
        <${Operators} topology=${topology.answer} decision=${decision} picked=${picked} onPick=${setPicked} />
      `}
      ${decision && html`<${Why} decision=${decision} />`}
      ${decision && html`<${Patch} decision=${decision} />`}
      <${OverTime} series=${series} />
    </div>
  `;
}
