// The bar above every page: where the reader is, search, the age of what is shown, and the look.
import { html, useState } from "./view.js";
import { call } from "./api.js";
import { ago, clock } from "./format.js";
import { useFreshness } from "./freshness.js";
import { Search } from "./search.js";
import { TABS } from "./tabs.js";
import { chooseTheme, nextTheme, readTheme } from "./theme.js";

/** @param {{parts: string[], session: {may_read: boolean, keys_required: boolean} | null}} props */
export function Shell({ parts, session }) {
  const mayRead = session?.may_read ?? false;
  return html`
    <header class="bar">
      <a class="brand" href="#/"
        aria-label="Headgate"><img src="icon.svg" alt="" /><span>Headgate</span></a>
      <${Crumbs} parts=${parts} />
      <div class="bar-end">
        ${mayRead && html`<${Age} />`}
        ${mayRead && html`<${Search} parts=${parts} />`}
        <${Look} />
        <a href="/docs">API</a>
        ${mayRead && session?.keys_required && html`<button onClick=${signOut}>Sign out</button>`}
      </div>
    </header>
  `;
}

const signOut = () => call("/v1/session", { method: "DELETE" }).finally(() => location.reload());

/** Where the reader is: overview, topology, page. @param {{parts: string[]}} props */
function Crumbs({ parts: [room, name, page] }) {
  const root = `#/topologies/${encodeURIComponent(name ?? "")}`;
  const tab = TABS.find(([key]) => key === page);
  const steps = [["Overview", "#/"]];
  if (room === "fleet") steps.push(["Budget", "#/fleet"]);
  if (room === "topologies" && name) steps.push([name, root]);
  if (tab && steps.length > 1) steps.push([tab[1], root + tab[2]]);
  return html`
    <nav class="crumbs" aria-label="Where you are">
      <ol>
        ${steps.map(([text, address], place) =>
          html`
            <li><a href=${address} title=${text} aria-current=${place === steps.length - 1
              ? "page"
              : undefined}>${text}</a></li>
          `
        )}
      </ol>
    </nav>
  `;
}

/** How old what is shown is, and when the service was last asked. */
function Age() {
  const { answered, isAway, measured, isOld } = useFreshness();
  if (answered === null && !isAway) return null;
  const asked = answered === null ? "" : `asked ${ago(new Date(answered).toISOString())}`;
  const state = isAway ? "away" : isOld ? "aged" : "fresh";
  const said = isAway ? "no answer" : isOld ? "old data" : "live";
  const of = measured ? `measured ${ago(measured)}` : "";
  const title = [said, measured && `measured until ${clock(measured)} UTC`, asked].filter(Boolean).join(", ");
  return html`
    <span class="age" title=${title}>
      <span class="live-dot ${state}"></span>
      <span>${said}</span>
      <span class="words">${[of, asked].filter(Boolean).map((one) => `· ${one}`).join(" ")}</span>
    </span>
  `;
}

const SIGNS = { system: "◐", light: "☀", dark: "☾" };

/** Light, dark, or as the system has it. */
function Look() {
  const [theme, setTheme] = useState(readTheme());
  const turn = () => {
    const next = nextTheme(theme);
    chooseTheme(next);
    setTheme(next);
  };
  return html`
    <button class="look" onClick=${turn} aria-label="Colours: ${theme}. Changes to ${nextTheme(theme)}."
      title="Colours: ${theme}">${SIGNS[theme]}</button>
  `;
}
