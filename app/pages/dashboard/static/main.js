// The frame of all pages: which page the address asks for, and who is signed in.
import { html, render, useEffect, useState } from "./view.js";
import { call } from "./api.js";
import { DecisionsPage } from "./decisions.js";
import { FleetPage } from "./fleet.js";
import { Trouble } from "./hooks.js";
import { OverviewPage } from "./overview.js";
import { Shell } from "./shell.js";
import { TopologyPage } from "./topology.js";
import { WhatIfPage } from "./what_if.js";

function readAddress() {
  const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decodePart);
  return { parts, query: new URLSearchParams(query) };
}

/** @typedef {{may_read: boolean, may_store: boolean, keys_required: boolean}} Session what GET /v1/session says */

/** @param {string} part */
function decodePart(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function App() {
  const [address, setAddress] = useState(readAddress());
  const [session, setSession] = useState(/** @type {Session | null} */ (null));
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  useEffect(() => {
    const change = () => setAddress(readAddress());
    addEventListener("hashchange", change);
    call("/v1/session").then(setSession, setProblem);
    return () => removeEventListener("hashchange", change);
  }, []);
  useEffect(() => {
    document.title = [address.parts[1], "Headgate"].filter(Boolean).join(" · ");
  }, [address]);
  return html`
    <div>
      <${Shell} parts=${address.parts} session=${session} />
      <main>
        <${Trouble} problem=${problem} />
        ${session && !session.may_read && html`<${SignIn} onDone=${setSession} />`}
        ${session?.may_read && !session.may_store && html`<p class="quiet">This key may look, and may not store.</p>`}
        ${session?.may_read && html`<${Page} address=${address} session=${session} />`}
      </main>
    </div>
  `;
}

function Page({ address, session }) {
  const [room, name, page] = address.parts;
  if (!room) return html`<${OverviewPage} session=${session} />`;
  if (room === "fleet") return html`<${FleetPage} />`;
  if (room === "topologies" && name && !page) {
    return html`<${TopologyPage} key=${name} name=${name} query=${address.query} session=${session} />`;
  }
  if (room === "topologies" && page === "what-if") {
    return html`<${WhatIfPage} key=${name} name=${name} query=${address.query} />`;
  }
  if (room === "topologies" && page === "decisions") {
    return html`<${DecisionsPage} key=${name} name=${name} query=${address.query} />`;
  }
  if (room === "topologies" && page === "forecast") {
    return html`<${Later} key=${name} name=${name} query=${address.query} session=${session} />`;
  }
  return html`
    <div>
      <h1>There is no such page</h1>
      <p><a href="#/">All topologies</a></p>
    </div>
  `;
}

/** The page of forecasts, with many modules that no other page needs. @param {Record<string, unknown>} props */
function Later(props) {
  const [module, setModule] = useState(/** @type {typeof import("./forecast.js") | null} */ (null));
  useEffect(() => {
    import("./forecast.js").then((loaded) => setModule(loaded));
  }, []);
  return module ? html`<${module.ForecastPage} ...${props} />` : html`<p class="quiet">Loads.</p>`;
}

function SignIn({ onDone }) {
  const [problem, setProblem] = useState(/** @type {Error | null} */ (null));
  const submit = (event) => {
    event.preventDefault();
    const key = new FormData(event.target).get("key");
    call("/v1/session", { method: "POST", body: { key } }).then(onDone, setProblem);
  };
  return html`
    <section class="card">
      <h1>Sign in</h1>
      <${Trouble} problem=${problem} />
      <form onSubmit=${submit}>
        <label>API key <input type="password" name="key" required autocomplete="current-password" /></label>
        ${" "}<button>Sign in</button>
      </form>
    </section>
  `;
}

const root = document.getElementById("app");
root?.replaceChildren();
if (root) render(html`<${App} />`, root);
