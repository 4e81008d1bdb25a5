// What every page does: ask the service, ask again every 15 s or when a busy service says so, and say what went wrong.
import { html, useLayoutEffect, useRef, useState } from "./view.js";
import { call, Problem } from "./api.js";
import { duration, sentence } from "./format.js";
import { tellAnswer, tellAway } from "./freshness.js";

export const REFRESH_MILLISECONDS = 15000;

/** @typedef {{path: string | null, answer: any, problem: Error | null}} Found */

/**
 * The answer of an address, asked again every 15 s while the page is seen; with a body it is posted there.
 * @param {string | null} address @param {unknown} [body]
 * @param {number | null} [every] milliseconds until it is asked again; null: it is asked once
 */
export function useAnswer(address, body, every = REFRESH_MILLISECONDS) {
  const path = address && body !== undefined ? `${address} ${JSON.stringify(body)}` : address;
  const [state, setState] = useState(/** @type {Found} */ ({ path: null, answer: null, problem: null }));
  // Not useEffect, which waits until the page is painted: the answer would come some frames later.
  useLayoutEffect(() => {
    if (!address) return undefined;
    const aborting = new AbortController();
    let timer = 0;
    const ask = async () => {
      let again = every;
      try {
        const answer = await call(address, {
          method: body === undefined ? "GET" : "POST",
          body,
          signal: aborting.signal,
        });
        tellAnswer();
        setState({ path, answer, problem: null });
      } catch (error) {
        if (aborting.signal.aborted) return;
        const problem = error instanceof Error ? error : new Error(String(error));
        if (problem instanceof Problem) tellAnswer();
        else tellAway();
        if (problem instanceof Problem && problem.retrySeconds !== null) again = 1000 * problem.retrySeconds;
        setState((before) => ({ path, answer: before.path === path ? before.answer : null, problem }));
      }
      if (again !== null) timer = setTimeout(() => (document.hidden ? wait() : ask()), again);
    };
    const wait = () => document.addEventListener("visibilitychange", ask, { once: true, signal: aborting.signal });
    ask();
    return () => {
      aborting.abort();
      clearTimeout(timer);
    };
  }, [path, every]);
  return state.path === path ? state : { path, answer: null, problem: null };
}

/**
 * The newest answer that there was: while the next one is on its way the last one stays, so that nothing blinks or moves.
 * @param {any} answer
 */
export function useLast(answer) {
  const last = useRef(/** @type {any} */ (null));
  if (answer) last.current = answer;
  return last.current;
}

/**
 * The terms of a page, which its address holds, and what sets them. A changed term is written into the address; an
 * address that is typed, pasted or gone back to is read again.
 * @template Terms
 * @param {URLSearchParams} query of the address: another object whenever the address has changed
 * @param {(query: URLSearchParams) => Terms} read @param {(terms: Terms) => string} write
 * @returns {[Terms, (terms: Terms | ((before: Terms) => Terms)) => void]}
 */
export function useTerms(query, read, write) {
  const [terms, setTerms] = useState(read(query));
  const address = write(terms);
  useLayoutEffect(() => setTerms(read(query)), [query]);
  // At once, since an effect after the paint could write into the address that the reader has gone on to.
  useLayoutEffect(() => history.replaceState(null, "", address), [address]);
  return [terms, setTerms];
}

const narrow = matchMedia("(max-width: 699px)");

/** Whether the window is narrow now; a page is drawn again when this changes. */
export function useNarrow() {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useLayoutEffect(() => {
    const change = () => setNarrow(narrow.matches);
    change();
    narrow.addEventListener("change", change);
    return () => narrow.removeEventListener("change", change);
  }, []);
  return isNarrow;
}

const WIDTH_AT_FIRST = 900;

/**
 * The width of an element in whole pixels, and a new drawing when it changes.
 * @returns {[{current: HTMLElement | null}, number]}
 */
export function useWidth() {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(WIDTH_AT_FIRST);
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    const measure = () => setWidth(Math.max(200, Math.round(element.current?.clientWidth ?? WIDTH_AT_FIRST)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element.current]);
  return [element, width];
}

/** What went wrong, in the words of the service, and when it is asked again. @param {{problem: Error | null}} props */
export function Trouble({ problem }) {
  if (!problem) return null;
  const seconds = problem instanceof Problem ? problem.retrySeconds : null;
  return html`
    <p class="trouble" role="alert">
      ${sentence(problem.message)}${seconds === null ? "" : ` It is asked again in ${duration(seconds)}.`}
    </p>
  `;
}

/** @param {{of: {answer: unknown, problem: Error | null}}} props */
export function Waiting({ of }) {
  return of.answer || of.problem ? null : html`<p class="quiet" aria-live="polite">Loads.</p>`;
}
