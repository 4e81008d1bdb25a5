// What is missing before anything can be decided.
import { html, useState } from "./view.js";
import { at, call } from "./api.js";
import { Trouble } from "./hooks.js";

export function Undecided({ name, session }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const decide = () => call(at(name, "/decisions"), { method: "POST" }).then(() => location.reload(), setProblem);
  return html`
    <section class="card">
      <h2>Nothing is decided yet</h2>
      <p>A decision needs a policy, which says what is wanted, and a snapshot of the measured load.</p>
      <${Trouble} problem=${problem} />
      ${session.may_store && html`<button onClick=${decide}>Decide now</button>`}
    </section>
  `;
}
