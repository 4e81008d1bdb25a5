// What to send to an engine, ready to copy.
import { html, useState } from "./view.js";
import { Trouble, useAnswer, useLast } from "./hooks.js";

const FORMATS = ["json", "flink", "storm", "heron", "keda", "kubernetes", "flink-operator"];

export function Patch({ decision }) {
  const [format, setFormat] = useState("json");
  const [copied, setCopied] = useState("");
  const found = useAnswer(`/v1/decisions/${decision.id}/patch?format=${format}`);
  const last = useLast(found.answer);
  const patch = found.problem ? null : last;
  const text = patch ? (patch.command ?? JSON.stringify(patch.body, null, 2)) : "";
  const copy = () =>
    found.answer && navigator.clipboard.writeText(text).then(
      () => setCopied("Copied."),
      () => setCopied("The browser does not allow it: select the text."),
    );
  const choose = (event) => {
    setFormat(event.target.value);
    setCopied("");
  };
  return html`
    <div class="to-send">
      <h2>What to send where</h2>
      <p class="row">
        <button class="main" onClick=${copy} aria-disabled=${!found.answer}>Copy</button>
        <label>
          for${" "}
          <select aria-label="Format" value=${format} onChange=${choose}>
            ${FORMATS.map((one) => html`<option value=${one}>${one}</option>`)}
          </select>
        </label>
        <span aria-live="polite">${copied}</span>
      </p>
      <${Trouble} problem=${found.problem} />
      ${patch?.path && html`<p><code>${patch.method} ${patch.path}</code></p>`}
      ${patch && html`
        <pre class="patch">${text}</pre>
        <ul>${(patch.notes ?? []).map((one) => html`<li>${markCode(one)}</li>`)}</ul>
      `}
    </div>
  `;
}

/** A note with what stands between backticks as code. @param {string} note */
const markCode = (note) => note.split("`").map((part, place) => (place % 2 ? html`<code>${part}</code>` : part));
