import { positional, bind } from "./arguments.ts";
import { refusal, unsupported } from "./errors.ts";
import { contains, integerOf, isEqual, numeric } from "./operators.ts";
import { reprOf } from "./print.ts";
import { textMethods } from "./text-methods.ts";
import {
  Callable,
  Dict,
  DictView,
  Lazy,
  Markup,
  Namespace,
  Range,
  Thing,
  Tuple,
  Undefined,
  characters,
  lengthOf,
  listOf,
  typeOf,
  type Arguments,
  type Value,
} from "./values.ts";

type Method<T> = (self: T, call: Arguments) => Value;

const sequenceMethods: ReadonlyMap<string, Method<readonly Value[]>> = new Map<string, Method<readonly Value[]>>([
  [
    "count",
    (items, call) => {
      const [item] = positional("count", call, 1, 1);
      return BigInt(items.filter((each) => each === item || isEqual(each, item as Value)).length);
    },
  ],
  [
    "index",
    (items, call) => {
      const [item, start = 0n, stop = BigInt(items.length)] = positional("index", call, 1, 3);
      const bound = (value: Value): number => {
        const position = integerOf(value);
        return Math.max(0, position < 0 ? position + items.length : position);
      };
      const [first, last] = [bound(start), bound(stop)];
      const position = items.findIndex(
        (each, i) => i >= first && i < last && (each === item || isEqual(each, item as Value)),
      );
      if (position < 0) throw refusal("the value is not in the list");
      return BigInt(position);
    },
  ],
]);

const view =
  (kind: "keys" | "values" | "items"): Method<Dict> =>
  (dict, call) => {
    positional(kind, call, 0, 0);
    return new DictView(kind, dict);
  };

const dictMethods: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  [
    "copy",
    (dict, call) => {
      positional("copy", call, 0, 0);
      return new Dict(dict.entries.values());
    },
  ],
  [
    "get",
    (dict, call) => {
      const [key, otherwise = null] = positional("get", call, 1, 2);
      return dict.get(key as Value) ?? (contains(dict, key as Value) ? null : otherwise);
    },
  ],
  ["items", view("items")],
  ["keys", view("keys")],
  ["values", view("values")],
]);

/** Methods that the immutable sandbox hides: a template reads an undefined value in their place. */
const hidden: Readonly<Record<string, readonly string[]>> = {
  list: ["append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"],
  dict: ["clear", "pop", "popitem", "setdefault", "update"],
};

/** Attributes of Python's objects that are rejected by name. */
const known: Readonly<Record<string, readonly string[]>> = {
  dict: ["fromkeys"],
  int: [
    "as_integer_ratio",
    "bit_count",
    "bit_length",
    "conjugate",
    "denominator",
    "from_bytes",
    "imag",
    "is_integer",
    "numerator",
    "real",
    "to_bytes",
  ],
  float: ["as_integer_ratio", "conjugate", "fromhex", "hex", "imag", "is_integer", "real"],
  dict_keys: ["isdisjoint", "mapping"],
  dict_values: ["mapping"],
  dict_items: ["isdisjoint", "mapping"],
  generator: ["close", "gi_code", "gi_frame", "gi_running", "gi_suspended", "gi_yieldfrom", "send", "throw"],
};

/** An attribute that Python finds on the object, or undefined. */
function attributeOf(value: Value, name: string): Value | undefined {
  const type = typeOf(value);
  if (typeof value === "string") {
    const run = textMethods.get(name);
    return run && new Callable((call) => run(value, call));
  }
  if (hidden[type]?.includes(name))
    return new Undefined(`access to attribute '${name}' of '${type}' object is unsafe.`);
  if (known[type === "bool" ? "int" : type]?.includes(name)) throw unsupported(`the attribute ${name} of a ${type}`);
  if (value instanceof Dict) {
    const run = dictMethods.get(name);
    return run && new Callable((call) => run(value, call));
  }
  if (Array.isArray(value) || value instanceof Tuple || value instanceof Range) {
    const items = value instanceof Tuple ? value.items : listOf(value);
    if (name === "copy" && Array.isArray(value))
      return new Callable((call) => {
        positional("copy", call, 0, 0);
        return Array.from(items);
      });
    const named = value instanceof Thing ? value.attribute(name) : undefined;
    const run = sequenceMethods.get(name);
    return named === undefined && run ? new Callable((call) => run(items, call)) : named;
  }
  return value instanceof Thing ? value.attribute(name) : undefined;
}

/** An element that Python finds by `value[key]`; undefined where it raises a lookup or type error. */
function itemOf(value: Value, key: Value): Value | undefined {
  if (value instanceof Dict) {
    if (Array.isArray(key) || key instanceof Dict) return undefined;
    return value.get(key);
  }
  const position = numeric(key);
  const isSequence =
    typeof value === "string" || Array.isArray(value) || value instanceof Tuple || value instanceof Range;
  if (!isSequence || typeof position !== "bigint") return value instanceof Thing ? value.item(key) : undefined;
  const length = lengthOf(value);
  const wanted = Number(position);
  const index = wanted < 0 ? wanted + length : wanted;
  if (index < 0 || index >= length) return undefined;
  if (value instanceof Range) return value.at(index);
  if (typeof value === "string") return characters(value)[index];
  return (value instanceof Tuple ? value.items : (value as readonly Value[]))[index];
}

function checkUses(value: Value): void {
  if (value instanceof Undefined) throw refusal(value.hint);
  if (value instanceof Markup) value.size();
}

/** The first of the members that exists; None exists. */
function firstOf(value: Value, name: string, ...members: readonly (() => Value | undefined)[]): Value {
  for (const read of members) {
    const member = read();
    if (member !== undefined) return member;
  }
  return new Undefined(`'${typeOf(value)} object' has no attribute '${name}'`);
}

/** Jinja's `value.name`: an attribute first, then an element. */
export function memberByName(value: Value, name: string): Value {
  if (value instanceof Undefined && name.startsWith("__")) throw unsupported(`the attribute ${name}`);
  checkUses(value);
  if (name.startsWith("__")) {
    if (value instanceof Dict && value.get(name) !== undefined) throw unsupported(`the key ${name}`);
    return firstOf(value, name);
  }
  return firstOf(
    value,
    name,
    () => attributeOf(value, name),
    () => itemOf(value, name),
  );
}

/** Jinja's `value[key]`: an element first, then an attribute. */
export function memberByKey(value: Value, key: Value): Value {
  checkUses(value);
  return firstOf(
    value,
    typeof key === "string" ? key : typeOf(key),
    () => itemOf(value, key),
    () => (typeof key === "string" && !key.startsWith("__") ? attributeOf(value, key) : undefined),
  );
}

/** The `attr` filter: an attribute only. */
export function attributeOnly(value: Value, name: string): Value {
  if (value instanceof Undefined) throw refusal(value.hint);
  return firstOf(value, name, () => (name.startsWith("__") ? undefined : attributeOf(value, name)));
}

/** Functions that every template can call. */
export const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  [
    "range",
    new Callable((call) => {
      const list = positional("range", call, 1, 3).map(integerOf);
      const [start, stop, step] =
        list.length === 1 ? [0, list[0] as number, 1] : [list[0] as number, list[1] as number, list[2] ?? 1];
      if (step === 0) throw refusal("range() arg 3 must not be zero");
      const range = new Range(start, stop, step);
      if (range.size() > 100_000) throw refusal(`a range of ${range.size()} elements is too long: at most 100000`);
      return range;
    }),
  ],
  ["dict", new Callable((call) => dictOf(call))],
  ["namespace", new Callable((call) => new Namespace(dictOf(call)))],
  [
    "cycler",
    new Callable(({ list, named }) => {
      if (named.size > 0 || list.length === 0) throw refusal("at least one item has to be provided");
      return new Cycler(list);
    }),
  ],
  [
    "joiner",
    new Callable((call) => {
      const [separator] = bind("joiner", { sep: ", " }, call);
      let isUsed = false;
      return new Callable(() => {
        if (isUsed) return separator as Value;
        isUsed = true;
        return "";
      });
    }),
  ],
  [
    "lipsum",
    new Callable(() => {
      throw unsupported("the function lipsum");
    }),
  ],
  [
    "raise_exception",
    new Callable((call) => {
      const [message] = bind("raise_exception", { message: null }, call);
      throw refusal(typeof message === "string" ? message : reprOf(message ?? null));
    }),
  ],
]);

/** Python's `dict(mapping_or_pairs, **named)`. */
function dictOf({ list, named }: Arguments): Dict {
  if (list.length > 1) throw refusal(`dict expected at most 1 argument, got ${list.length}`);
  const [source] = list;
  if (source === undefined) return new Dict(named);
  if (source instanceof Dict) return new Dict([...source.entries.values(), ...named]);
  if (source instanceof Undefined) throw refusal(source.hint);
  if (
    !Array.isArray(source) &&
    !(source instanceof Tuple) &&
    !(source instanceof DictView) &&
    !(source instanceof Lazy)
  )
    throw refusal(`cannot convert '${typeOf(source)}' object to a dict`);
  const pairs = (Array.isArray(source) ? (source as readonly Value[]) : [...iterable(source as Thing)]).map((pair) => {
    const items = Array.isArray(pair) ? (pair as readonly Value[]) : pair instanceof Tuple ? pair.items : null;
    if (items === null) throw unsupported("dict() of something other than pairs");
    if (items.length !== 2) throw refusal("dictionary update sequence element has a length other than 2");
    return items as readonly [Value, Value];
  });
  return new Dict([...pairs, ...named]);
}

function* iterable(source: Thing): Generator<Value> {
  const iterator = source.iterate();
  if (iterator === null) return;
  for (let next = iterator.next(); !next.done; next = iterator.next()) yield next.value;
}

/** Jinja's `cycler`. */
class Cycler extends Thing {
  readonly type = "Cycler";
  readonly #items: readonly Value[];
  #position = 0;
  constructor(items: readonly Value[]) {
    super();
    this.#items = items;
  }
  override attribute(name: string): Value | undefined {
    if (name === "current") return this.#items[this.#position];
    if (name === "next")
      return new Callable(() => {
        const item = this.#items[this.#position] as Value;
        this.#position = (this.#position + 1) % this.#items.length;
        return item;
      });
    if (name === "reset")
      return new Callable(() => {
        this.#position = 0;
        return null;
      });
    if (name === "items" || name === "pos") throw unsupported(`the attribute ${name} of a cycler`);
    return undefined;
  }
}
