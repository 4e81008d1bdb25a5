// What the pages take of static/vendor/preact.js; the package has no types in that file.

/** What a template makes: only preact looks inside. */
export interface View {
  readonly type: unknown;
  readonly props: unknown;
}

export function html(texts: TemplateStringsArray, ...values: unknown[]): View;
export function render(view: View, parent: Element): void;
export function useEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useLayoutEffect(effect: () => void | (() => void), inputs?: readonly unknown[]): void;
export function useMemo<T>(compute: () => T, inputs: readonly unknown[]): T;
export function useRef<T>(initial: T): { current: T };
export function useState<T>(initial: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
