import { refusal, unsupported } from "./errors.ts";

/** Python value: str, int (bigint), float (number), bool, None (null), list (array), or another object. */
export type Value = string | bigint | number | boolean | null | readonly Value[] | Thing;

/** Python object of a type that JavaScript lacks; `type` is Python's name. */
export type Thing =
  /** Jinja's undefined value; the hint is the error on use. */
  | { readonly type: "Undefined"; readonly hint: string }
  | Dict
  | { readonly type: "tuple" | "range" | "dict_keys" | "dict_values" | "dict_items"; readonly items: readonly Value[] }
  /** Can be read once. */
  | { readonly type: "generator"; readonly iterator: Iterator<Value> }
  /** The only mutable object. */
  | { readonly type: "Namespace"; readonly values: Dict }
  | { readonly type: "function"; readonly call: (call: Arguments) => Value }
  /** Safe HTML. Only printing is supported, because other uses would escape. */
  | { readonly type: "Markup"; readonly text: string }
  | { readonly type: "LoopContext"; readonly attribute: (name: string) => Value | undefined };

/** Dict in insertion order. Keys equal in Python, such as 1 and True, are one key. */
export class Dict {
  readonly type = "dict";
  readonly #entries = new Map<string, readonly [Value, Value]>();
  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    for (const [key, value] of entries) this.set(key, value);
  }
  get size(): number {
    return this.#entries.size;
  }
  set(key: Value, value: Value): void {
    const hash = hashOf(key);
    this.#entries.set(hash, [this.#entries.get(hash)?.[0] ?? key, value]);
  }
  get(key: Value): Value | undefined {
    return this.#entries.get(hashOf(key))?.[1];
  }
  entries(): (readonly [Value, Value])[] {
    return Array.from(this.#entries.values());
  }
  keys(): Value[] {
    return this.entries().map(([key]) => key);
  }
}

export interface Arguments {
  readonly list: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export type Native<Self = Value> = (self: Self, call: Arguments) => Value;

/** Limits: elements of a sequence, elements of a range as in Jinja's sandbox, and steps of a render. */
export const limits = { elements: 20_000_000, range: 100_000, steps: 50_000_000 } as const;

/** @throws LaconicError before a sequence exceeds memory */
export function checkLength(length: number): void {
  if (length > limits.elements) throw refusal(`a sequence of ${length} elements is too long`);
}

export function missing(hint: string): Thing {
  return { type: "Undefined", hint };
}

export function tuple(items: readonly Value[]): Thing {
  return { type: "tuple", items };
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function typeOf(value: Value): string {
  if (value === null) return "NoneType";
  if (typeof value === "object") return isList(value) ? "list" : value.type;
  if (typeof value === "string") return "str";
  if (typeof value === "bigint") return "int";
  return typeof value === "number" ? "float" : "bool";
}

export function is<T extends Thing["type"]>(value: Value, type: T): value is Extract<Thing, { readonly type: T }> {
  return typeof value === "object" && value !== null && !isList(value) && value.type === type;
}

export function checkUse(value: Value): void {
  if (is(value, "Undefined")) throw refusal(value.hint);
  if (is(value, "Markup")) throw unsupported("a Markup string other than for printing");
}

export function characters(text: string): string[] {
  return Array.from(text);
}

export function itemsOf(value: Value): readonly Value[] | null {
  if (typeof value !== "object" || value === null) return null;
  if (isList(value)) return value;
  return "items" in value ? value.items : null;
}

export function iteratorOf(value: Value): Iterator<Value> | null {
  if (typeof value === "string") return characters(value).values();
  if (is(value, "dict")) return value.keys().values();
  if (is(value, "generator")) return value.iterator;
  if (is(value, "Undefined")) return [].values();
  checkUse(value);
  return itemsOf(value)?.values() ?? null;
}

/** @throws LaconicError if the value cannot be iterated */
export function* iterate(value: Value): Generator<Value, undefined> {
  const iterator = iteratorOf(value);
  if (iterator === null) throw refusal(`'${typeOf(value)}' object is not iterable`);
  for (let next = iterator.next(); !next.done; next = iterator.next()) yield next.value;
}

export function listOf(value: Value): Value[] {
  const items: Value[] = [];
  for (const item of iterate(value)) checkLength(items.push(item));
  return items;
}

export function sizeOf(value: Value): number | null {
  if (typeof value === "string") return characters(value).length;
  if (is(value, "Undefined")) return 0;
  checkUse(value);
  return is(value, "dict") ? value.size : (itemsOf(value)?.length ?? null);
}

export function isTrue(value: Value): boolean {
  if (typeof value === "object" && value !== null) return sizeOf(value) !== 0;
  return typeof value === "number" ? value !== 0 : Boolean(value);
}

function hashOf(value: Value): string {
  if (typeof value === "string") return `s${value}`;
  if (value === null) return "None";
  if (isList(value) || is(value, "dict")) throw refusal(`unhashable type: '${typeOf(value)}'`);
  if (is(value, "Undefined")) return value.type;
  if (typeof value === "object") throw unsupported(`a ${typeOf(value)} as a key`);
  return typeof value === "number" && !Number.isInteger(value) ? String(value) : String(BigInt(value));
}

/** Converts JSON-like values; whole numbers become ints. */
export function fromJson(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== "object") throw unsupported(`an argument of type ${typeof value}`);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return new Dict(entries.map(([key, inner]) => [key, fromJson(inner)]));
}
