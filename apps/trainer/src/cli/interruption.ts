import type { Interrupts } from "@laconic/runtime";

const signals = ["SIGINT", "SIGTERM"] as const;

/** Exit code of a process that a signal ended, as shells count it. */
export function exitCodeOfSignal(signal: NodeJS.Signals): number {
  return signal === "SIGTERM" ? 143 : 130;
}

/**
 * Turns the first signal into a request to stop, whose reason is the signal; the second ends the process at once.
 * @param note - says what the first signal leads to
 */
export function interrupts(note: (signal: NodeJS.Signals) => void): Interrupts {
  const stop = new AbortController();
  const hear = (signal: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(exitCodeOfSignal(signal));
    note(signal);
    stop.abort(signal);
  };
  for (const signal of signals) process.on(signal, hear);
  return {
    signal: stop.signal,
    dispose() {
      for (const signal of signals) process.off(signal, hear);
    },
  };
}

/** Resolves when the user or the system ends the process; a second signal ends it at once. */
export function interrupted(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => void interrupts(resolve));
}
