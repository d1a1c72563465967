import { LaconicError } from "@laconic/core";

/** A signal for all attempts of a completion; cheaper than the platform's combined ones, of which each call would make two. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** What an error means that came after the signal: `aborted`, or `api_unavailable` where time ran out. */
  endOf(error: unknown): LaconicError;
  /** Lets go of timer and listener. */
  done(): void;
}

/**
 * @param own - the caller's signal
 * @param name - of who is asked, for errors
 */
export function untilDeadline(deadlineMs: number, own: AbortSignal | undefined, name: string): Deadline {
  const controller = new AbortController();
  let over = false;
  const timer = setTimeout(
    () => {
      over = true;
      controller.abort();
    },
    Math.min(deadlineMs, 2 ** 31 - 1),
  );
  const abort = (): void => controller.abort(own?.reason);
  own?.addEventListener("abort", abort, { once: true });
  if (own?.aborted) abort();
  return {
    signal: controller.signal,
    endOf: (error) => {
      if (own?.aborted) return new LaconicError("aborted", "the request was aborted", {}, own.reason);
      if (over)
        return new LaconicError("api_unavailable", `${name}: no answer within ${deadlineMs} ms`, { deadlineMs });
      return LaconicError.is(error)
        ? error
        : new LaconicError("api_unavailable", `${name}: the request ended`, {}, error);
    },
    done: () => {
      clearTimeout(timer);
      own?.removeEventListener("abort", abort);
    },
  };
}
