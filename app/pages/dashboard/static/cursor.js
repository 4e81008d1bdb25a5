// A place on the time axis that all charts of a page share, and the part of it that is being drawn over.
import { useEffect, useState } from "./view.js";

/** @typedef {{x: number | null, from: number | null}} Place x: where the cursor is; from: where a drag has begun */

/** @typedef {ReturnType<typeof makeCursor>} Cursor */

/** A cursor: only what listens to it is drawn again when it moves. */
export function makeCursor() {
  /** @type {Place} */
  let place = { x: null, from: null };
  const listeners = new Set();
  return {
    read: () => place,
    /** @param {Partial<Place>} part */
    set(part) {
      place = { ...place, ...part };
      for (const listener of listeners) listener(place);
    },
    /** @param {(place: Place) => void} listener */
    listen(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** The place of a cursor, and a new drawing whenever it moves. @param {Cursor} cursor @returns {Place} */
export function useCursor(cursor) {
  const [place, setPlace] = useState(cursor.read());
  useEffect(() => cursor.listen(setPlace), [cursor]);
  return place;
}
