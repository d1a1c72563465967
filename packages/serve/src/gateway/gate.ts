/** Admits replies while the weights are fixed, and waits for them before the weights change. */
export class Gate {
  #open = false;
  #inside = 0;
  readonly #waiting = new Set<{ readonly enter: () => void; readonly refuse: (reason: unknown) => void }>();
  #idle: (() => void)[] = [];

  /** @throws the signal's reason, or the reason of `refuseWaiting` */
  async enter(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw signal.reason;
    if (!this.#open)
      await new Promise<void>((enter, refuse) => {
        const waiting = { enter, refuse };
        this.#waiting.add(waiting);
        const gone = (): void => {
          this.#waiting.delete(waiting);
          refuse(signal.reason);
        };
        signal.addEventListener("abort", gone, { once: true });
      });
    else this.#inside += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#inside -= 1;
      if (this.#inside === 0) this.#idle.splice(0).forEach((tell) => tell());
    };
  }

  get inside(): number {
    return this.#inside;
  }

  open(): void {
    this.#open = true;
    for (const { enter } of this.#waiting) {
      this.#inside += 1; // counted before anyone can close the gate again
      enter();
    }
    this.#waiting.clear();
  }

  /** Resolves when running replies have ended. */
  async close(): Promise<void> {
    this.#open = false;
    if (this.#inside > 0) await new Promise<void>((tell) => this.#idle.push(tell));
  }

  refuseWaiting(reason: unknown): void {
    for (const { refuse } of this.#waiting) refuse(reason);
    this.#waiting.clear();
  }
}
