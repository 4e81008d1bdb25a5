// What the bar says of time: when the service last answered, and until when what the page shows was measured.
import { useEffect, useLayoutEffect, useState } from "./view.js";

/** @typedef {{answered: number | null, isAway: boolean, measured: string | null, isOld: boolean}} Freshness */

/** @type {Freshness} */
let state = { answered: null, isAway: false, measured: null, isOld: false };
const listeners = new Set();

/** @param {Partial<Freshness>} part */
function tell(part) {
  state = { ...state, ...part };
  for (const listener of listeners) listener(state);
}

/** The service has answered. */
export const tellAnswer = () => tell({ answered: Date.now(), isAway: false });

/** The service has not answered. */
export const tellAway = () => tell({ isAway: true });

/**
 * Says until when what the page shows was measured, and whether that is too old to decide on.
 * @param {string | null | undefined} measured @param {boolean} [isOld]
 */
export function useMeasuredUntil(measured, isOld = false) {
  useLayoutEffect(() => {
    tell({ measured: measured ?? null, isOld });
    return () => tell({ measured: null, isOld: false });
  }, [measured, isOld]);
}

const TICK_MILLISECONDS = 1000;

/** What is known now; drawn again every second, since ages grow. */
export function useFreshness() {
  const [seen, setSeen] = useState(state);
  const [, setNow] = useState(0);
  useEffect(() => {
    listeners.add(setSeen);
    setSeen(state);
    const timer = setInterval(() => document.hidden || setNow(Date.now()), TICK_MILLISECONDS);
    return () => {
      listeners.delete(setSeen);
      clearInterval(timer);
    };
  }, []);
  return seen;
}
