import type { Interrupts, StartedRun } from "@laconic/runtime";

const signals = ["SIGINT", "SIGTERM"] as const;

/** Exit code after a signal, as in shells. */
export function exitCodeOfSignal(signal: NodeJS.Signals | null): number {
  return signal === "SIGTERM" ? 143 : 130;
}

/** Exit code of a run: 0 if finished, else as after the signal that stopped it. */
export function exitCodeOf({ interrupted: isInterrupted, signal }: Pick<StartedRun, "interrupted" | "signal">): number {
  return isInterrupted ? exitCodeOfSignal(signal) : 0;
}

/**
 * Aborts at the first signal, with its name as reason; the second ends the process.
 * @param note - called for the first signal
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

/** Resolves at the first signal; a second one ends the process. */
export function interrupted(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => void interrupts(resolve));
}
