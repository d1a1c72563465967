import { formatBytes, formatDuration } from "@laconic/core/text";

/** Where a line moves while somebody looks, and plain lines go elsewhere. */
export interface StatusLine {
  readonly interactive: boolean;
  note(line: string): void;
  /** Replaces the line before; does nothing where nobody looks. */
  status(line: string): void;
}

/** From when on somebody wonders, in milliseconds; and how often a terminal is told again. */
const patience = 1000;

/**
 * Says what is being done when it takes more than a second: on a terminal in the moving line, with the seconds that have gone by,
 * elsewhere as one line. What is over sooner says nothing.
 * @returns ends it
 */
export function spinner(terminal: StatusLine, text: string): () => void {
  let seconds = 0;
  let ticks: NodeJS.Timeout | null = null;
  const first = setTimeout(() => {
    if (!terminal.interactive) return terminal.note(`${text} ...`);
    const tick = (): void => terminal.status(`${text}, ${formatDuration((seconds += patience / 1000))}`);
    tick();
    ticks = setInterval(tick, patience).unref();
  }, patience).unref();
  return () => {
    clearTimeout(first);
    if (ticks === null) return;
    clearInterval(ticks);
    ticks = null;
    terminal.status("");
  };
}

/** The same around one piece of work. */
export function spinWhile<T>(terminal: StatusLine, text: string, work: () => Promise<T>): Promise<T> {
  return work().finally(spinner(terminal, text));
}

/** `1 m 05 s left` of work that has gone on since `started`, in milliseconds of `performance.now()`, by its finished share. */
export function leftText(started: number, share: number): string {
  const seconds = (performance.now() - started) / 1000;
  return `${formatDuration((seconds * (1 - share)) / share)} left`;
}

/** Shows how far something is: in the moving line of a terminal; elsewhere a milestone is a line of its own. */
export function showProgress(terminal: StatusLine, line: string, isMilestone: boolean): void {
  if (terminal.interactive) terminal.status(line);
  else if (isMilestone) terminal.note(line);
}

/** One moving line with the time left; nothing for files that were there, a line per tenth where nobody watches. */
export function downloadProgress(
  name: string,
  terminal: StatusLine,
): (progress: { readonly bytes: number; readonly total: number }) => void {
  let first: { readonly bytes: number; readonly at: number } | null = null;
  let tenths = 0;
  return ({ bytes, total }) => {
    if (!first) {
      first = { bytes, at: performance.now() };
      return;
    }
    const seconds = (performance.now() - first.at) / 1000;
    const left = ((total - bytes) * seconds) / Math.max(1, bytes - first.bytes);
    const share = Math.floor((100 * bytes) / total);
    const line = `${name}  ${share} %  ${formatBytes(bytes)} of ${formatBytes(total)}  ${formatDuration(left)} left`;
    showProgress(terminal, line, Math.floor(share / 10) > tenths);
    tenths = Math.max(tenths, Math.floor(share / 10));
  };
}
