// The policy where it is seen: edited as a draft, tried on the last day before it is stored, and times without changes.
import { html, useState } from "./view.js";
import { at, call, findTag, Problem } from "./api.js";
import { Excluded } from "./excluded.js";
import { LIMIT_OF_TIME, NumberField, readPositive, readTime, TIME_WANTED, useField, writeTime } from "./fields.js";
import { count, duration, percent, short, UNKNOWN } from "./format.js";
import { Trouble, useAnswer } from "./hooks.js";

/** @type {[string, string][]} */
const RULES = [["drs", "steps and limits"], ["economic", "least cost for a promised share of the time"]];

/** @param {{name: string, session: {may_store: boolean}}} props */
export function Policy({ name, session }) {
  const [asked, setAsked] = useState(0);
  const path = `${at(name, "/policy")}#${asked}`;
  const found = useAnswer(path);
  // What the draft was made from: it is stored only in place of that.
  const [tag, setTag] = useState(/** @type {string | null} */ (null));
  const [draft, setDraft] = useState(/** @type {any} */ (null));
  const [said, setSaid] = useState("");
  const stored = found.answer;
  if (!stored) return html`<${Trouble} problem=${found.problem} />`;
  const leave = (words) => {
    setDraft(null);
    setSaid(words);
    setAsked(asked + 1);
  };
  const edit = () => {
    setSaid("");
    setTag(findTag(path));
    setDraft(toDraft(stored));
  };
  return html`
    <section class="card policy">
      <h2>Policy</h2>
      <p>${describePolicy(stored)} <span aria-live="polite">${said}</span></p>
      ${draft === null && html`<${Excluded} of=${stored.excluded} />`}
      ${session.may_store && draft === null && html`
        <p><button onClick=${edit}>Edit and preview</button></p>
      `}
      ${draft !== null && html`
        <${Draft} name=${name} tag=${tag} draft=${draft} set=${(part) => setDraft({ ...draft, ...part })}
          onLeave=${leave} />
      `}
    </section>
  `;
}

/** Whether another policy was stored since the draft was begun. @param {Error | null} problem */
const isOutrun = (problem) => problem instanceof Problem && problem.status === 412;

/** A policy as it is sent: without what only answers have. @param {any} stored */
const toDraft = ({ updated_at: _, ...policy }) => policy;

/** @param {any} policy */
function describePolicy({ goal, cooldown_seconds, rule, promise, look_ahead, qos_target }) {
  const limit = goal.t_max_seconds ?? goal.target?.seconds ?? null;
  const wanted = limit !== null
    ? `E[T] at most ${duration(limit)}`
    : goal.k_max !== null
    ? `The best split of ${count(goal.k_max)} processors`
    : "Another goal than a time";
  const kept = rule === "economic" ? `, in ${percent(promise)} of the time, at the least cost` : "";
  const ahead = look_ahead
    ? ` It plans for a rate that is exceeded with a probability of ${percent(1 - qos_target)}.`
    : "";
  return `${wanted}${kept}. Changes are at least ${duration(cooldown_seconds)} apart.${ahead}`;
}

/**
 * @param {{name: string, tag: string | null, draft: any, set: (part: object) => void,
 *   onLeave: (words: string) => void}} props
 */
function Draft({ name, tag, draft, set, onLeave }) {
  const [tried, setTried] = useState(/** @type {{text: string, answers: any[]} | null} */ (null));
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const text = JSON.stringify(draft);
  const isTried = tried?.text === text;
  const run = async (work) => {
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    await work().catch(setProblem);
    setBusy(false);
  };
  const preview = () =>
    run(async () => {
      const replay = (body) => call(at(name, "/policy/replay"), { method: "POST", body });
      const answers = [await replay({}), await replay({ policy: draft })];
      setTried({ text, answers });
    });
  const store = () =>
    run(async () => {
      await call(at(name, "/policy"), { method: "PUT", body: draft, ifMatch: tag });
      onLeave("Stored. The next decision follows it.");
    });
  return html`
    <div>
      <${Terms} draft=${draft} set=${set} />
      <${Excluded} of=${draft.excluded} onChange=${(excluded) => set({ excluded })} />
      <p class="row">
        <button onClick=${preview} aria-disabled=${isBusy}>Preview over the last day</button>
        <button class="main" onClick=${store} disabled=${!isTried || isBusy}>Store this policy</button>
        <button onClick=${() => onLeave("")}>Leave as it is</button>
        <span class="quiet" aria-live="polite">
          ${isBusy
            ? "Replays the last day: some seconds."
            : isTried
            ? ""
            : "Nothing is stored before a preview of what is entered."}
        </span>
      </p>
      ${isOutrun(problem)
        ? html`
          <p class="trouble" role="alert">
            Another policy was stored while you edited, and yours was not.${" "}
            <button onClick=${() => onLeave("This is the policy that was stored meanwhile.")}>Show that policy</button>
          </p>
        `
        : html`<${Trouble} problem=${problem} />`}
      ${tried && html`<${Compared} of=${tried.answers} isOld=${!isTried} />`}
    </div>
  `;
}

/** @param {{draft: any, set: (part: object) => void}} props */
function Terms({ draft, set }) {
  const limit = useField(draft.goal.t_max_seconds, {
    read: readTime,
    write: writeTime,
    onValue: (seconds) => seconds !== null && set({ goal: { ...draft.goal, t_max_seconds: seconds } }),
  });
  const pause = useField(draft.cooldown_seconds / 60, {
    read: readPositive,
    write: (minutes) => short(minutes, 6),
    onValue: (minutes) => minutes !== null && set({ cooldown_seconds: 60 * minutes }),
  });
  const promise = useField(100 * draft.promise, {
    read: readPositive,
    write: (share) => short(share, 4),
    onValue: (share) => share !== null && set({ promise: share / 100 }),
  });
  return html`
    ${draft.goal.t_max_seconds !== null && html`
      <${NumberField} label=${LIMIT_OF_TIME} placeholder="" field=${limit} wanted=${TIME_WANTED} />
    `}
    <${NumberField} label="minutes between changes" placeholder="" field=${pause} wanted="Write a number above 0." />
    <label>
      rule${" "}
      <select value=${draft.rule} onChange=${(event) => set({ rule: event.target.value })}>
        ${RULES.map(([rule, words]) => html`<option value=${rule} selected=${rule === draft.rule}>${words}</option>`)}
      </select>
    </label>
    ${draft.rule === "economic" && draft.prices === null && html`
      <${NumberField} label="% of the time within the target" placeholder="" field=${promise}
        wanted="Write a number from 50 to 99.9." />
    `}
    <label>
      <input type="checkbox" checked=${draft.look_ahead}
        onChange=${(event) => set({ look_ahead: event.target.checked })} /> plan for the forecast rate
    </label>
  `;
}

/** What ran, and what two policies would have done. @param {{of: any[], isOld: boolean}} props */
function Compared({ of: [stored, draft], isOld }) {
  /** @type {[string, any][]} */
  const rows = [["what ran", stored.ran], ["the stored policy", stored], ["this draft", draft]];
  const late = (one) =>
    one.late_share === null ? UNKNOWN : `${percent(one.late_share)} (${duration(60 * one.minutes * one.late_share)})`;
  return html`
    <div class=${isOld ? "old" : ""}>
      ${isOld && html`<p class="quiet">The numbers below are for what was entered before.</p>`}
      <table>
        <caption>The last ${duration(60 * draft.minutes)}, by the model, with the pauses of changes</caption>
        <thead>
          <tr>
            <th scope="col">what</th><th scope="col">over the target</th><th scope="col">processor-hours</th>
            <th scope="col">changes</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(([what, one]) =>
            html`
              <tr>
                <th scope="row">${what}</th>
                <td>${late(one)}</td>
                <td>${short(one.processor_hours)}</td>
                <td>${count(one.changes)}</td>
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
  `;
}
