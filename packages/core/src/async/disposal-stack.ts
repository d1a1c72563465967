/** What is to be closed, the last opened first. Stands in for `AsyncDisposableStack`, which Node 20 and 22 lack. */
export class DisposalStack {
  readonly #open: (() => unknown)[] = [];

  /** @param close - is called once, at the end */
  defer(close: () => unknown): void {
    this.#open.push(close);
  }

  /** Closes all, also where one of them fails. @throws what failed first */
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

/**
 * Closes what `work` opened, however it ends.
 * @throws what `work` throws, which is never hidden by what fails while closing; else what failed first there
 */
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
