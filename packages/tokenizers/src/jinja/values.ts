import { refusal, unsupported } from "./errors.ts";

/** A Python value: str, int (bigint), float (number), bool, None (null), list (array), or an object. */
export type Value = string | bigint | number | boolean | null | readonly Value[] | Thing;

/** Arguments of a call. */
export interface Arguments {
  readonly list: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A Python object other than the types that JavaScript has. */
export abstract class Thing {
  /** Name of the Python type. */
  abstract readonly type: string;
  readonly callable: boolean = false;
  /** Python's `repr`. */
  repr(_reprOf: (value: Value) => string): string {
    throw unsupported(`the printed form of a ${this.type}`);
  }
  /** A new iterator, or null for an object that cannot be iterated. */
  iterate(): Iterator<Value> | null {
    return null;
  }
  /** Python's `len`, or null for an object without one. */
  size(): number | null {
    return null;
  }
  /** An attribute, or undefined. */
  attribute(_name: string): Value | undefined {
    return undefined;
  }
  /** Element by position or key, or undefined. */
  item(_key: Value): Value | undefined {
    return undefined;
  }
  call(_call: Arguments): Value {
    throw refusal(`'${this.type}' object is not callable`);
  }
}

/** Jinja's undefined value: prints as nothing, has no attributes. */
export class Undefined extends Thing {
  readonly type = "Undefined";
  readonly hint: string;
  constructor(hint: string) {
    super();
    this.hint = hint;
  }
  override repr(): string {
    return "Undefined";
  }
  override iterate(): Iterator<Value> {
    return [].values();
  }
  override size(): number {
    return 0;
  }
  override call(): Value {
    throw refusal(this.hint);
  }
}

export class Tuple extends Thing {
  readonly type = "tuple";
  readonly items: readonly Value[];
  /** Names of the elements, for a named tuple. */
  readonly names: readonly string[];
  constructor(items: readonly Value[], names: readonly string[] = []) {
    super();
    this.items = items;
    this.names = names;
  }
  override repr(reprOf: (value: Value) => string): string {
    return `(${this.items.map(reprOf).join(", ")}${this.items.length === 1 ? "," : ""})`;
  }
  override iterate(): Iterator<Value> {
    return this.items.values();
  }
  override size(): number {
    return this.items.length;
  }
  override attribute(name: string): Value | undefined {
    const position = this.names.indexOf(name);
    return position < 0 ? undefined : this.items[position];
  }
}

/** A dict, in order of insertion. Keys that Python holds equal, such as 1 and True, are one key. */
export class Dict extends Thing {
  readonly type = "dict";
  readonly entries: Map<string, readonly [Value, Value]> = new Map();
  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const [key, value] of entries) this.set(key, value);
  }
  set(key: Value, value: Value): void {
    const hash = hashOf(key);
    this.entries.set(hash, [this.entries.get(hash)?.[0] ?? key, value]);
  }
  get(key: Value): Value | undefined {
    return this.entries.get(hashOf(key))?.[1];
  }
  keys(): Value[] {
    return Array.from(this.entries.values(), ([key]) => key);
  }
  override repr(reprOf: (value: Value) => string): string {
    const pairs = Array.from(this.entries.values(), ([key, value]) => `${reprOf(key)}: ${reprOf(value)}`);
    return `{${pairs.join(", ")}}`;
  }
  override iterate(): Iterator<Value> {
    return this.keys().values();
  }
  override size(): number {
    return this.entries.size;
  }
  override item(key: Value): Value | undefined {
    return this.get(key);
  }
}

/** `keys()`, `values()` or `items()` of a dict. */
export class DictView extends Thing {
  readonly type: string;
  readonly items: readonly Value[];
  constructor(kind: "keys" | "values" | "items", dict: Dict) {
    super();
    this.type = `dict_${kind}`;
    const pairs = Array.from(dict.entries.values());
    this.items = pairs.map(([key, value]) =>
      kind === "keys" ? key : kind === "values" ? value : new Tuple([key, value]),
    );
  }
  override repr(reprOf: (value: Value) => string): string {
    return `${this.type}([${this.items.map(reprOf).join(", ")}])`;
  }
  override iterate(): Iterator<Value> {
    return this.items.values();
  }
  override size(): number {
    return this.items.length;
  }
}

/** Python's `range`; elements are computed. */
export class Range extends Thing {
  readonly type = "range";
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
  }
  override repr(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? "" : `, ${this.step}`})`;
  }
  override *iterate(): Generator<Value> {
    for (let i = 0; i < this.size(); i++) yield this.at(i);
  }
  override size(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step));
  }
  override attribute(name: string): Value | undefined {
    return name === "start" || name === "stop" || name === "step" ? BigInt(this[name]) : undefined;
  }
  at(position: number): bigint {
    return BigInt(this.start + position * this.step);
  }
}

/** A generator or iterator: its elements can be taken once. */
export class Lazy extends Thing {
  readonly type = "generator";
  readonly #iterator: Iterator<Value>;
  constructor(iterator: Iterator<Value>) {
    super();
    this.#iterator = iterator;
  }
  override iterate(): Iterator<Value> {
    return this.#iterator;
  }
}

/** The only object that templates can change. */
export class Namespace extends Thing {
  readonly type = "Namespace";
  readonly values: Dict;
  constructor(values: Dict) {
    super();
    this.values = values;
  }
  override repr(reprOf: (value: Value) => string): string {
    return `<Namespace ${reprOf(this.values)}>`;
  }
  override attribute(name: string): Value | undefined {
    return this.values.get(name);
  }
}

/** A function or bound method. */
export class Callable extends Thing {
  readonly type: string = "function";
  override readonly callable = true;
  readonly run: (call: Arguments) => Value;
  constructor(run: (call: Arguments) => Value) {
    super();
    this.run = run;
  }
  override call(call: Arguments): Value {
    return this.run(call);
  }
}

/** Text marked as safe HTML. Only printing is supported: other uses would escape what they meet. */
export class Markup extends Thing {
  readonly type = "Markup";
  readonly text: string;
  constructor(text: string) {
    super();
    this.text = text;
  }
  override iterate(): never {
    throw unsupported("a text marked as safe or escaped other than for printing");
  }
  override size(): never {
    return this.iterate();
  }
}

/** Name of the Python type. */
export function typeOf(value: Value): string {
  if (value === null) return "NoneType";
  if (value instanceof Thing) return value.type;
  if (typeof value === "string") return "str";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "float";
  return typeof value === "boolean" ? "bool" : "list";
}

export function isTrue(value: Value): boolean {
  if (value instanceof Thing) return value.size() !== 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** Code points, the characters of a Python str. */
export function characters(text: string): readonly string[] {
  return Array.from(text);
}

/** @throws LaconicError when the value cannot be iterated. */
export function iterate(value: Value): Iterator<Value> {
  if (Array.isArray(value)) return (value as readonly Value[]).values();
  if (typeof value === "string") return characters(value).values();
  const iterator = value instanceof Thing ? value.iterate() : null;
  if (iterator === null) throw refusal(`'${typeOf(value)}' object is not iterable`);
  return iterator;
}

/** Elements of the longest sequence that a template can make: the memory of a longer one would end the process. */
const longest = 20_000_000;

export function bounded<T>(length: number, make: () => T): T {
  if (length > longest) throw refusal(`a sequence of ${length} elements is too long`);
  return make();
}

/** All elements of a value. */
export function listOf(value: Value): Value[] {
  const iterator = iterate(value);
  const items: Value[] = [];
  for (let next = iterator.next(); !next.done; next = iterator.next())
    bounded(items.length, () => items.push(next.value));
  return items;
}

/** Python's `len`. */
export function lengthOf(value: Value): number {
  if (typeof value === "string") return characters(value).length;
  const size = Array.isArray(value) ? value.length : value instanceof Thing ? value.size() : null;
  if (size === null) throw refusal(`object of type '${typeOf(value)}' has no len()`);
  return size;
}

const identities = new WeakMap<Thing, number>();
let nextIdentity = 0;

/** Equal for values that are equal as keys of a dict. */
export function hashOf(value: Value): string {
  if (typeof value === "string") return `s${value}`;
  if (value === null) return "None";
  if (typeof value === "boolean") return `n${value ? 1 : 0}`;
  if (typeof value === "bigint") return `n${value}`;
  if (typeof value === "number") return `n${Number.isInteger(value) ? BigInt(value) : value}`;
  if (value instanceof Tuple) {
    const parts = value.items.map(hashOf);
    return `t${parts.map((part) => `${part.length}:${part}`).join("")}`;
  }
  if (value instanceof Undefined) return "undefined";
  if (!(value instanceof Thing) || value instanceof Dict || value instanceof DictView)
    throw refusal(`unhashable type: '${typeOf(value)}'`);
  if (value instanceof Range || value instanceof Markup) throw unsupported(`a ${value.type} as a key`);
  let identity = identities.get(value);
  if (identity === undefined) identities.set(value, (identity = nextIdentity++));
  return `o${identity}`;
}

/** JSON-like values of JavaScript as Python values; whole numbers become ints, as in parsed JSON. */
export function fromJson(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value === "object")
    return new Dict(
      Object.entries(value)
        .filter(([, inner]) => inner !== undefined)
        .map(([key, inner]) => [key, fromJson(inner)]),
    );
  throw unsupported(`an argument of type ${typeof value}`);
}
