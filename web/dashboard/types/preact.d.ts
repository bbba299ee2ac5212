// What the page uses of htm/preact/standalone, which is served as preact.js and has no declarations of its own.

export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): unknown;
export function render(content: unknown, place: Element | null): void;
export function useState<T>(initial: T | (() => T)): [T, (next: T | ((before: T) => T)) => void];
export function useEffect(effect: () => unknown, on?: readonly unknown[]): void;
export function useRef<T>(initial: T): { current: T };
export function useMemo<T>(make: () => T, on: readonly unknown[]): T;
export function useErrorBoundary(caught: (error: unknown) => void): unknown;
