import { LaconicError, shownValue, type UnknownRecord } from "@laconic/core";

export class ConfigReader {
  readonly #json: UnknownRecord;
  readonly #defaults: UnknownRecord;
  readonly read: Set<string> = new Set();

  /** @param defaults - values of absent keys; numbers also replace null */
  constructor(json: UnknownRecord, defaults: UnknownRecord = {}) {
    this.#json = json;
    this.#defaults = defaults;
  }

  value(key: string): unknown {
    this.read.add(key);
    const value = this.#json[key];
    return (value === undefined ? this.#defaults[key] : value) ?? null;
  }

  /** @throws LaconicError `model_unsupported` unless true, false or absent. */
  flag(key: string): boolean {
    const value = this.value(key) ?? false;
    if (typeof value !== "boolean") throw refuseKey(key, value, "expected true or false");
    return value;
  }

  /** @throws LaconicError `model_unsupported` without a finite number. */
  number(key: string, fallback: unknown = this.#defaults[key]): number {
    const value = this.value(key) ?? fallback;
    if (typeof value !== "number" || !Number.isFinite(value)) throw refuseKey(key, value, "expected a number");
    return value;
  }

  /** @throws LaconicError `model_unsupported` without a positive whole number up to `most`. */
  size(key: string, most: number, fallback?: number): number {
    const value = this.number(key, fallback);
    if (!Number.isInteger(value) || value <= 0) throw refuseKey(key, value, "expected a positive whole number");
    if (value > most) throw refuseKey(key, value, `expected at most ${most}`);
    return value;
  }
}

/** Error `model_unsupported`. */
export function refuseKey(key: string, value: unknown, reason: string): LaconicError {
  const shown = value === undefined ? "missing" : shownValue(value);
  return new LaconicError("model_unsupported", `config.json: ${key} is ${shown}: ${reason}`, { key });
}
