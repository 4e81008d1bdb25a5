// Which topology needs me?
import { html, useState } from "./view.js";
import { LoadDemo } from "./demo.js";
import { EmptyDrawing } from "./empty.js";
import { count, duration, short } from "./format.js";
import { useMeasuredUntil } from "./freshness.js";
import { Trouble, useAnswer, useLast, Waiting } from "./hooks.js";
import { OverviewTable, SIGNS, writeKept } from "./overview_table.js";
import { Term } from "./terms.js";
import { Big } from "./verdict.js";

/** The hours of 30 days. */
const HOURS = 720;

/** The first page of what is asked for. @param {{status: string, contains: string}} wanted */
function writePath({ status, contains }) {
  const query = new URLSearchParams({ limit: "100" });
  if (status) query.set("status", status);
  if (contains.trim()) query.set("contains", contains.trim());
  return `/v1/overview?${query}`;
}

/** @param {{session: {may_store: boolean}}} props */
export function OverviewPage({ session }) {
  const [wanted, setWanted] = useState({ status: "", contains: "" });
  const [following, setFollowing] = useState("");
  const found = useAnswer(following || writePath(wanted));
  const page = useLast(found.answer);
  useMeasuredUntil(findNewest(page?.items ?? []));
  const want = (part) => {
    setFollowing("");
    setWanted({ ...wanted, ...part });
  };
  const isAll = !wanted.status && !wanted.contains.trim();
  return html`
    <div class="page">
      <h1>Which topology needs me?</h1>
      <${Trouble} problem=${found.problem} />
      ${!page && html`<${Waiting} of=${found} />`}
      ${page && isAll && !page.items.length && html`<${Empty} session=${session} />`}
      ${page && !(isAll && !page.items.length) && html`
        ${page.items.length > 0 && html`<${Totals} rows=${page.items} isAll=${isAll && !page.next && !following} />`}
        <section class="card">
          <${Filter} counts=${page.counts} wanted=${wanted} onWant=${want} />
          <${OverviewTable} rows=${page.items} />
        </section>
      `}
      <p>
        ${following && html`<button onClick=${() => setFollowing("")}>First page</button>`}${" "}
        ${page?.next && html`<button onClick=${() => setFollowing(page.next)}>More</button>`}${" "}
        ${page?.items.length > 0 && html`<a href="#/fleet">One budget for all</a>`}
      </p>
    </div>
  `;
}

/** The end of the newest snapshot of all rows. @param {{measured_until: string | null}[]} rows @returns {string | null} */
const findNewest = (rows) => rows.map((one) => one.measured_until ?? "").sort().at(-1) || null;

/**
 * @param {{counts: Record<string, number>, wanted: {status: string, contains: string},
 *   onWant: (part: object) => void}} props
 */
function Filter({ counts, wanted, onWant }) {
  const shown = wanted.status && !(wanted.status in counts) ? { ...counts, [wanted.status]: 0 } : counts;
  return html`
    <div class="filter">
      <label>
        name contains${" "}
        <input type="search" value=${wanted.contains} maxlength="200"
          onInput=${(event) => onWant({ contains: event.target.value })} />
      </label>
      <span class="counts">
        ${Object.entries(shown).map(([status, many]) =>
          html`
            <button class="status ${status}" aria-pressed=${wanted.status === status}
              onClick=${() => onWant({ status: wanted.status === status ? "" : status })}>
              ${SIGNS[status]}: ${many}
            </button>${" "}
          `
        )}
      </span>
    </div>
  `;
}

/** Sums over the listed topologies, of the numbers that are known. @param {{rows: any[], isAll: boolean}} props */
function Totals({ rows, isAll }) {
  const known = rows.filter((one) => one.processors_running !== null && one.processors_recommended !== null);
  const [runs, wanted] = [add(known, (one) => one.processors_running), add(known, (one) => one.processors_recommended)];
  const unknown = rows.length - known.length;
  const of = isAll ? "" : " of these topologies";
  return html`
    <section class="card glance" aria-label="Totals">
      <${Big} name="processors running${of}" from=${count(runs)}
        note=${unknown
          ? `of ${count(known.length)} of ${count(rows.length)} topologies; not known of the rest`
          : "of all topologies that are listed"} />
      <${Big} name="processors recommended" from=${count(wanted)}
        note=${runs !== wanted
          ? `${count(Math.abs(runs - wanted))} ${runs > wanted ? "fewer" : "more"}`
          : rows.some((one) => one.status === "change-wanted")
          ? "as many in all"
          : "nothing changes"} />
      <${Cost} known=${known} change=${wanted - runs} />
      <${Kept} rows=${rows} />
    </section>
  `;
}

/** @param {any[]} rows @param {(row: any) => number} of */
const add = (rows, of) => rows.reduce((sum, one) => sum + of(one), 0);

/** What 30 days cost where the policy has prices; without any price, the processor-hours. */
function Cost({ known, change }) {
  const priced = known.filter((one) => one.processor_hour_price !== null);
  const sign = change < 0 ? "−" : change > 0 ? "+" : "";
  if (!priced.length) {
    return html`
      <${Big} name=${html`<${Term} of="saving">processor-hours of 30 days<//>`}
        from=${`${sign}${count(HOURS * Math.abs(change))}`} note="if the recommended ones run instead" />
    `;
  }
  const cost = (of) => HOURS * add(priced, (one) => one.processor_hour_price * one[of]);
  const [now, then] = [cost("processors_running"), cost("processors_recommended")];
  const saved = now === then ? "nothing changes" : `${short(Math.abs(now - then))} ${now > then ? "saved" : "more"}`;
  const of = priced.length < known.length ? `of ${count(priced.length)} of ${count(known.length)} topologies: ` : "";
  return html`
    <${Big} name=${html`<${Term} of="cost">cost of 30 days<//>`} from=${short(now)}
      to=${now === then ? null : short(then)} direction=${then - now}
      note=${`${of}${saved}`} />
  `;
}

/** The share of the measured time within the target. @param {{rows: any[]}} props */
function Kept({ rows }) {
  const judged = add(rows, (one) => one.judged_minutes);
  return html`
    <${Big} name="within the target, last 7 days" from=${writeKept(judged, add(rows, (one) => one.kept_minutes))}
      note=${judged ? `of ${duration(60 * judged)} with a measured E[T]` : "no E[T] was measured against a target"} />
  `;
}

/** @param {{session: {may_store: boolean}}} props */
function Empty({ session }) {
  return html`
    <section class="card empty">
      <${EmptyDrawing} />
      <h2>Nothing is stored yet</h2>
      <p>Store a topology and a snapshot of its measured load, or let a bridge do both:</p>
      <pre>headgate bridge flink --url http://localhost:8081 --job NAME</pre>
      <p>To look around first, load a small topology with a made-up day of measurements, here or by a command:</p>
      ${session.may_store && html`<${LoadDemo} />`}
      <pre>headgate demo</pre>
      <p><a href="/docs">All calls of the API</a></p>
    </section>
  `;
}
