// Fields for a number that may be left empty, and how their texts are read.
import { html, useState } from "./view.js";

/** The units of a time, each with its length in seconds. A number without a unit is in milliseconds. */
const UNITS = { "": 1e-3, "µs": 1e-6, us: 1e-6, ms: 1e-3, s: 1, min: 60 };
const TIME = /^\s*(\d*\.?\d+(?:e[+-]?\d+)?|\d+\.)\s*(µs|us|ms|s|min|)\s*$/i;

/** The label of a field for E[T]; one is read by readTime. */
export const LIMIT_OF_TIME = "E[T] at most, in ms";
export const TIME_WANTED = "Write a time above 0, such as 350 ms or 0.35 s.";

/**
 * A field for a number, or for none. It keeps what is typed (`0.0` on the way to `0.05 s`) until its value changes
 * otherwise. A text that is not such a number is marked, and the value stays.
 * @param {number | null} value
 * @param {{read: (text: string) => number | null, write: (value: number) => string,
 *   onValue: (value: number | null) => void}} options
 */
export function useField(value, { read, write, onValue }) {
  const [typed, setTyped] = useState({ text: "", value, isWrong: false });
  const isTyped = typed.text !== "" && typed.value === value;
  const onInput = (event) => {
    const text = event.target.value;
    const found = read(text);
    const isWrong = found === null && text.trim() !== "";
    setTyped({ text, value: isWrong ? value : found, isWrong });
    if (!isWrong) onValue(found);
  };
  const onChange = () => setTyped((before) => before.isWrong ? before : { ...before, text: "" });
  const text = isTyped ? typed.text : value === null ? "" : write(value);
  return { text, isWrong: isTyped && typed.isWrong, onInput, onChange };
}

/** @param {{label: string, placeholder: string, wanted: string, field: ReturnType<typeof useField>}} props */
export function NumberField({ label, placeholder, wanted, field }) {
  return html`
    <label>
      ${label}${" "}
      <input type="text" inputmode="decimal" autocomplete="off" value=${field.text} placeholder=${placeholder}
        aria-invalid=${field.isWrong} onInput=${field.onInput} onChange=${field.onChange} />
      ${field.isWrong && html`<span class="wrong" role="alert">${wanted}</span>`}
    </label>
  `;
}

/** A number above 0; null: the text is none. @param {string} text */
export function readPositive(text) {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) && value > 0 ? value : null;
}

/** A whole number from 1 on. @param {string} text */
export function readWhole(text) {
  const value = readPositive(text);
  return value === null ? null : Math.max(1, Math.round(value));
}

/** The seconds of `350 ms`, `0.35 s` or `350`, which is in milliseconds. @param {string} text */
export function readTime(text) {
  const parts = TIME.exec(text);
  return parts && readPositive(String(tidy(Number(parts[1]) * UNITS[parts[2].toLowerCase()])));
}

/** A time as readTime reads it, without a rounded digit. @param {number} seconds */
export const writeTime = (seconds) => seconds < 1 ? `${tidy(1e3 * seconds)} ms` : `${seconds} s`;

/** Without the digits that multiplying has added: 0.35 for 0.35000000000000003. @param {number} value */
const tidy = (value) => Number(value.toPrecision(15));
