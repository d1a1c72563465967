import { withoutKey } from "@laconic/core/wire";

/** A key that no log, JSON or inspection shows. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The key itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  /** A text without the key and parts of it, and without anything that looks like a bearer token. */
  redact(text: string): string {
    return withoutKey(text, this.#value)
      .replaceAll(/(bearer\s+)[\w.~+/-]{8,}/giu, "$1[redacted]")
      .replaceAll(/\bsk-[\w-]{8,}/gu, "[redacted]");
  }

  toString(): string {
    return "[redacted]";
  }
  toJSON(): string {
    return "[redacted]";
  }
}
