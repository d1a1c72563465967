/** Text on its way out: ends before the first stop text, and holds back what could still become one. */
export class StopFilter {
  readonly #stops: readonly string[];
  #held = "";
  stopped = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  push(text: string): string {
    if (this.stopped) return "";
    const all = this.#held + text;
    const found = this.#stops.map((stop) => all.indexOf(stop)).filter((at) => at >= 0);
    if (found.length > 0) {
      this.stopped = true;
      this.#held = "";
      return all.slice(0, Math.min(...found));
    }
    let keep = 0;
    for (const stop of this.#stops)
      for (let length = Math.min(stop.length - 1, all.length); length > keep; length--)
        if (all.endsWith(stop.slice(0, length))) keep = length;
    this.#held = all.slice(all.length - keep);
    return all.slice(0, all.length - keep);
  }

  /** What is held back at the end is text after all. */
  flush(): string {
    const rest = this.stopped ? "" : this.#held;
    this.#held = "";
    return rest;
  }
}
