/** Resources to close, the last opened first. Replaces `AsyncDisposableStack`, which Node 20 and 22 lack. */
export class DisposalStack {
  readonly #open: (() => unknown)[] = [];

  defer(close: () => unknown): void {
    this.#open.push(close);
  }

  /** Closes all, even if one fails. @throws the first failure */
  async disposeAsync(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#open.pop(); close; close = this.#open.pop())
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  }
}

/** Closes what `work` opened, also after a failure. @throws the error of `work`, else the first error of closing */
export async function disposing<T>(work: (closing: DisposalStack) => Promise<T>): Promise<T> {
  const closing = new DisposalStack();
  let result: T;
  try {
    result = await work(closing);
  } catch (error) {
    await closing.disposeAsync().catch(() => undefined);
    throw error;
  }
  await closing.disposeAsync();
  return result;
}
