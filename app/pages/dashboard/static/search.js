// Search over pages, topologies and operators: opened with / or Ctrl K, gone through with the arrow keys.
import { html, useEffect, useRef, useState } from "./view.js";
import { at } from "./api.js";
import { useAnswer } from "./hooks.js";
import { TABS } from "./tabs.js";

/** @typedef {{text: string, kind: string, address: string}} Found */

const MOST_OF_A_KIND = 8;
const WRITES = "input, textarea, select, [contenteditable]";

/** @param {{parts: string[]}} props */
export function Search({ parts }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    if (dialog.current?.open === false) dialog.current.showModal();
    setOpen(true);
  };
  useEffect(() => {
    const listen = (event) => {
      const isCommand = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isCommand && !(isSlash && !event.target.closest?.(WRITES))) return;
      event.preventDefault();
      open();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  const close = () => dialog.current?.close();
  return html`
    <button class="find" onClick=${open} aria-label="Search" aria-keyshortcuts="/ Control+K Meta+K">
      <span>Search</span><kbd>/</kbd>
      <b class="lens" aria-hidden="true">⌕</b>
    </button>
    <dialog class="search" ref=${dialog} aria-label="Search" onClose=${() => setOpen(false)}
      onClick=${(event) => event.target === dialog.current && close()}>
      ${isOpen && html`<${Palette} parts=${parts} onDone=${close} />`}
    </dialog>
  `;
}

/** @param {{parts: string[], onDone: () => void}} props */
function Palette({ parts, onDone }) {
  const [text, setText] = useState("");
  const [place, setPlace] = useState(0);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => input.current?.focus(), []);
  const found = useFound(parts, text.trim());
  const chosen = Math.min(place, found.length - 1);
  const go = (one) => {
    if (!one) return;
    onDone();
    location.assign(one.address);
  };
  const key = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") go(found[chosen]);
    else if (step) setPlace((chosen + step + found.length) % Math.max(1, found.length));
    else return;
    event.preventDefault();
  };
  return html`
    <input ref=${input} type="text" role="combobox" aria-label="Search topologies, operators and pages"
      placeholder="Topology, operator or page" aria-expanded="true" aria-controls="found" autocomplete="off"
      spellcheck="false" maxlength="200" aria-activedescendant=${chosen >= 0 ? `found-${chosen}` : undefined}
      value=${text} onKeyDown=${key} onInput=${(event) => (setText(event.target.value), setPlace(0))} />
    <ul id="found" role="listbox" aria-label="Found">
      ${found.map((one, at) =>
        html`
          <li id="found-${at}" role="option" aria-selected=${at === chosen} onClick=${() => go(one)}
            onPointerMove=${() => setPlace(at)}>
            <span>${one.text}</span><span class="kind">${one.kind}</span>
          </li>
        `
      )}
    </ul>
    <p class="hint" aria-live="polite">
      ${found.length ? "↑ ↓ to choose, Enter to open, Esc to close" : "Nothing is called that."}
    </p>
  `;
}

/**
 * What fits the text: pages first, then topologies, then the operators of the topology that is open.
 * @param {string[]} parts @param {string} text @returns {Found[]}
 */
function useFound([room, name], text) {
  const isInside = room === "topologies" && Boolean(name);
  const query = new URLSearchParams({ limit: String(MOST_OF_A_KIND), ...(text ? { contains: text } : {}) });
  const topologies = useAnswer(`/v1/overview?${query}`, undefined, null).answer?.items ?? [];
  const elsewhere = useAnswer(
    text ? `/v1/overview?${new URLSearchParams({ limit: String(MOST_OF_A_KIND), operator: text })}` : null,
    undefined,
    null,
  ).answer?.items ?? [];
  const inside = useAnswer(isInside ? at(name) : null, undefined, null).answer?.operators ?? [];
  const fits = (/** @type {Found} */ one) => one.text.toLowerCase().includes(text.toLowerCase());
  const ofTopology = isInside
    ? TABS.map(([, title, path]) => ({ text: title, kind: `page of ${name}`, address: writeAddress(name, path) }))
    : [];
  const pages = [
    ...ofTopology,
    { text: "Overview", kind: "page", address: "#/" },
    { text: "API", kind: "page", address: "/docs" },
  ];
  const operators = text
    ? inside.map((one) => ({
      text: one.name,
      kind: `operator of ${name}`,
      address: writeAddress(name, `?operator=${encodeURIComponent(one.name)}`),
    }))
    : [];
  return [
    ...topologies.map((one) => ({ text: one.name, kind: "topology", address: writeAddress(one.name, "") })),
    ...operators.filter(fits).slice(0, MOST_OF_A_KIND),
    ...elsewhere.filter((one) => one.name !== name).map((one) => ({
      text: one.name,
      kind: `has an operator like “${text}”`,
      address: writeAddress(one.name, `?operator=${encodeURIComponent(text)}`),
    })),
    ...pages.filter(fits),
  ];
}

/** @param {string} name @param {string} path */
const writeAddress = (name, path) => `#/topologies/${encodeURIComponent(name)}${path}`;
