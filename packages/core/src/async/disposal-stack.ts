/** Closes resources in reverse order, like `AsyncDisposableStack`, which Node 20 and 22 lack. */
export class DisposalStack {
  readonly #open: (() => unknown)[] = [];

  defer(close: () => unknown): void {
    this.#open.push(close);
  }

  /** Closes all resources, even if one fails. */
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

/** Closes the resources of `work`, even after a failure; throws the error of `work` first. */
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
