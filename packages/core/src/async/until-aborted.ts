import { LaconicError } from "../errors.ts";

/** Throws after an abort. @throws LaconicError `aborted` */
export function expectNotAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw abortOf(signal, what);
}

/**
 * Resolves like `work`, but rejects as soon as the signal aborts.
 * @param tooLate - receives a result after the abort, to free it
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  what: string,
  tooLate: (value: T) => void = () => undefined,
): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(abortOf(signal, what));
      work.then(tooLate, () => undefined);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    void work.finally(() => signal.removeEventListener("abort", abort)).then(resolve, reject);
  });
}

function abortOf({ reason }: AbortSignal, what: string): LaconicError {
  return new LaconicError("aborted", `${what}: aborted`, {}, reason);
}
