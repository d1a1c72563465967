import { formatBytes, formatDuration } from "@laconic/core/text";

export interface StatusLine {
  readonly interactive: boolean;
  /** Writes progress and warnings to standard error. */
  readonly note: (line: string) => void;
  /** Replaces the previous line; does nothing without a terminal. */
  status(line: string): void;
}

/** Delay and update interval in milliseconds. */
const patience = 1000;

/**
 * Reports an activity longer than a second: in the moving line with the elapsed time, elsewhere as one line.
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

export function spinWhile<T>(terminal: StatusLine, text: string, work: () => Promise<T>): Promise<T> {
  return work().finally(spinner(terminal, text));
}

/** Time such as `1 m 05 s left`, by the finished fraction. @param started - from `performance.now()` */
export function leftText(started: number, share: number): string {
  const seconds = (performance.now() - started) / 1000;
  return `${formatDuration((seconds * (1 - share)) / share)} left`;
}

export function showProgress(terminal: StatusLine, line: string, isMilestone: boolean): void {
  if (terminal.interactive) terminal.status(line);
  else if (isMilestone) terminal.note(line);
}

/** Shows the time left; without a terminal, prints a line per 10 %. Cached files show nothing. */
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
