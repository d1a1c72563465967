/** Does something that a signal asks to end: what is done is kept; a second signal ends the process at once. */
export async function untilStopped<T>(
  note: (text: string) => void,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const interrupt = (): void => {
    note("stopping; what is done is kept (once more to stop at once)");
    stop.abort();
  };
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  try {
    return await work(stop.signal);
  } finally {
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
  }
}
