// The words of the model, explained where they stand: a word that is pressed says what it means.
import { html, useState } from "./view.js";

/** @type {Record<string, string>} */
const MEANINGS = {
  "E[T]":
    "E[T] is the mean total time that operators spend on one external tuple and on all tuples that derive from it, " +
    "waits included. It is measured by your snapshots, or estimated by the model; an expected E[T] is an estimate " +
    "corrected by how long tuples were measured to wait; where no waits were measured, it is the estimate itself.",
  tuple:
    "A tuple is one record of a stream. An external tuple comes from outside; others are made from it by operators.",
  processors: "A processor serves one tuple at a time: a thread, an executor, a subtask.",
  busy:
    "The share of its time in which a processor serves tuples, as estimated for the present rate. Of an operator whose " +
    "instances have unequal loads it is that of its busiest instance.",
  wait:
    "The mean time that a tuple waits at an operator before a processor takes it, as estimated for the present rate.",
  headroom: "The highest external rate at which these processors still meet the target. Above it the target is missed.",
  target: "The limit of E[T] that the policy of this topology sets.",
  cost: "What the processors cost in 30 days, day and night, where the policy of a topology states the price of a " +
    "processor-hour (prices); in the money of that price.",
  saving: "Processor-hours of 30 days that the recommended processors would use fewer than those that run.",
};

let used = 0;

/** @param {{of: string, children?: unknown}} props */
export function Term({ of, children = of }) {
  const [id] = useState(() => `meaning-${used++}`);
  return html`
    <button type="button" class="term" popovertarget=${id}>${children}</button>
    <span id=${id} popover="auto" class="meaning" role="note">${MEANINGS[of]}</span>
  `;
}
