import { withoutKey } from "@laconic/core/wire";

/** API key that is hidden in logs, JSON and inspection. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Redacts the key, parts of it, and bearer tokens from a text. */
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
