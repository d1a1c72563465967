import { bind, filter, needed, type Applied, type Filter } from "./arguments.ts";
import { refusal } from "./errors.ts";
import { memberByKey } from "./members.ts";
import { arithmetic, integerOf, isEqual, order } from "./operators.ts";
import { textOf } from "./print.ts";
import { characterTests } from "./characters.ts";
import {
  Dict,
  DictView,
  Lazy,
  Range,
  Tuple,
  Undefined,
  bounded,
  characters,
  hashOf,
  isTrue,
  iterate,
  lengthOf,
  listOf,
  typeOf,
  type Arguments,
  type Value,
} from "./values.ts";

type Getter = (item: Value) => Value;

const lowered: Getter = (value) => (typeof value === "string" ? value.toLowerCase() : value);
const unchanged: Getter = (value) => value;
const caseOf = (isSensitive: Value): Getter => (isTrue(isSensitive) ? unchanged : lowered);

/** Reads an attribute with dots, such as `address.city` or `0.name`. */
function getter(attribute: Value, otherwise: Value = null): Getter {
  const parts: readonly Value[] =
    attribute === null ? [] : typeof attribute === "string" ? attribute.split(".").map(partOf) : [attribute];
  return (item) =>
    parts.reduce((value, part) => {
      const inner = memberByKey(value, part);
      return otherwise !== null && inner instanceof Undefined ? otherwise : inner;
    }, item);
}

function partOf(part: string): Value {
  const isNumber = part !== "" && characters(part).every((character) => characterTests["isdigit"]?.(character));
  return isNumber ? BigInt(part) : part;
}

/** Sorted by a key, stable in both directions. */
function sorted<T>(items: readonly T[], key: (item: T) => Value, isReversed: boolean): T[] {
  const keyed = items.map((item) => ({ item, key: key(item) }));
  keyed.sort((a, b) => {
    const [first, second] = isReversed ? [b, a] : [a, b];
    return order(first.key, second.key) < 0 ? -1 : order(second.key, first.key) < 0 ? 1 : 0;
  });
  return keyed.map(({ item }) => item);
}

function sort(input: Value, isReversed: Value, isSensitive: Value, attribute: Value): Value {
  const names = typeof attribute === "string" ? attribute.split(",") : [attribute];
  const getters = names.map((name) => getter(name));
  const fold = caseOf(isSensitive);
  return sorted(listOf(input), (item) => getters.map((get) => fold(get(item))), isTrue(isReversed));
}

function dictSort(input: Value, isSensitive: Value, by: Value, isReversed: Value): Value {
  if (by !== "key" && by !== "value") throw refusal('You can only sort by either "key" or "value"');
  if (!(input instanceof Dict))
    throw refusal(input instanceof Undefined ? input.hint : `dictsort of a ${typeOf(input)}`);
  const pairs = Array.from(input.entries.values());
  const fold = caseOf(isSensitive);
  return sorted(pairs, ([key, value]) => fold(by === "key" ? key : value), isTrue(isReversed)).map(
    (pair) => new Tuple(pair),
  );
}

function groupBy(input: Value, attribute: Value, otherwise: Value, isSensitive: Value): Value {
  const get = getter(attribute, otherwise);
  const fold = caseOf(isSensitive);
  const groups: { key: Value; items: Value[] }[] = [];
  for (const item of sorted(listOf(input), (each) => fold(get(each)), false)) {
    const key = fold(get(item));
    const group = groups.at(-1);
    if (group && isEqual(group.key, key)) group.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups.map(({ key, items }) => {
    const shown = isTrue(isSensitive) ? key : get(items[0] as Value);
    return new Tuple([shown, items], ["grouper", "list"]);
  });
}

/** `min` and `max`: the first of the smallest or largest items. */
function extreme(isLarger: boolean): Filter {
  return (call) => {
    const [input, isSensitive, attribute] = bind(
      "min",
      { value: needed, case_sensitive: false, attribute: null },
      call,
    );
    const [get, fold] = [getter(attribute as Value), caseOf(isSensitive as Value)];
    const items = listOf(input as Value).map((item) => ({ item, key: fold(get(item)) }));
    if (items.length === 0) return new Undefined("No aggregated item, sequence was empty.");
    return items.reduce((best, next) => {
      const [a, b] = isLarger ? [best, next] : [next, best];
      return order(a.key, b.key, isLarger ? ">" : "<") < 0 ? next : best;
    }).item;
  };
}

function sum(input: Value, attribute: Value, start: Value): Value {
  if (typeof start === "string") throw refusal("sum() can't sum strings [use ''.join(seq) instead]");
  const get = getter(attribute);
  return listOf(input).reduce((total, item) => arithmetic("+", total, get(item)), start);
}

function* batches(input: Value, size: Value, fill: Value): Generator<Value> {
  let batch: Value[] = [];
  const iterator = iterate(input);
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    if (isEqual(BigInt(batch.length), size)) {
      yield batch;
      batch = [];
    }
    batch.push(next.value);
  }
  if (batch.length === 0) return;
  if (fill === null) yield batch;
  else
    yield [
      ...batch,
      ...bounded(Math.max(0, integerOf(size) - batch.length), () =>
        Array.from({ length: Math.max(0, integerOf(size) - batch.length) }, () => fill),
      ),
    ];
}

function* slices(input: Value, count: Value, fill: Value): Generator<Value> {
  const items = listOf(input);
  const total = integerOf(count);
  if (total === 0) throw refusal("integer division or modulo by zero");
  const [size, larger] = [Math.floor(items.length / total), items.length % total];
  let start = 0;
  for (let i = 0; i < total; i++) {
    const end = start + size + (i < larger ? 1 : 0);
    const part = items.slice(start, end);
    yield fill !== null && i >= larger ? [...part, fill] : part;
    start = end;
  }
}

function* unique(input: Value, isSensitive: Value, attribute: Value): Generator<Value> {
  const [get, fold] = [getter(attribute), caseOf(isSensitive)];
  const seen = new Set<string>();
  const iterator = iterate(input);
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    const key = hashOf(fold(get(next.value)));
    if (seen.has(key)) continue;
    seen.add(key);
    yield next.value;
  }
}

function reverse(input: Value): Value {
  if (typeof input === "string") return characters(input).toReversed().join("");
  const items = listOf(input).toReversed();
  return input instanceof Lazy ? items : new Lazy(items.values());
}

function last(input: Value): Value {
  const isReversible =
    typeof input === "string" ||
    Array.isArray(input) ||
    [Tuple, Dict, DictView, Range, Undefined].some((type) => input instanceof type);
  if (!isReversible)
    throw refusal(input instanceof Undefined ? input.hint : `'${typeOf(input)}' object is not reversible`);
  const item = listOf(input).at(-1);
  return item === undefined ? new Undefined("No last item, sequence was empty.") : item;
}

/** `map` with an attribute or a filter. */
function map({ list, named }: Arguments, applied: Applied): Getter {
  if (list.length === 0 && named.has("attribute")) {
    const [attribute, otherwise] = bind("map", { attribute: needed, default: null }, { list, named });
    return getter(attribute as Value, otherwise);
  }
  const [name, ...rest] = list;
  if (typeof name !== "string") throw refusal("map requires a filter argument");
  return (item) => applied.filter(name, { list: [item, ...rest], named });
}

/** The condition of `select`, `reject`, `selectattr` and `rejectattr`. */
function condition({ list, named }: Arguments, applied: Applied, hasAttribute: boolean): (item: Value) => boolean {
  const [attribute, rest] = hasAttribute ? [list[0], list.slice(1)] : [null, list];
  if (attribute === undefined) throw refusal("Missing parameter for attribute name");
  const get = getter(attribute);
  const [name, ...more] = rest;
  if (name === undefined) return (item) => isTrue(get(item));
  if (typeof name !== "string") throw refusal("the name of a test is not a text");
  return (item) => applied.test(name, { list: [get(item), ...more], named });
}

/** A filter that makes its items when they are asked for, from the items of its input. */
function lazily(make: (call: Arguments, applied: Applied) => (item: Value) => readonly Value[]): Filter {
  return ({ list: [input, ...list], named }, applied) => {
    const source = input as Value;
    const run = function* (): Generator<Value> {
      if (!isTrue(source)) return;
      const itemsOf = make({ list, named }, applied);
      const iterator = iterate(source);
      for (let next = iterator.next(); !next.done; next = iterator.next()) yield* itemsOf(next.value);
    };
    return new Lazy(run());
  };
}

const selecting = (isWanted: boolean, hasAttribute: boolean): Filter =>
  lazily((call, applied) => {
    const holds = condition(call, applied, hasAttribute);
    return (item) => (holds(item) === isWanted ? [item] : []);
  });

const length = filter({ obj: needed }, (input) => BigInt(lengthOf(input)));

/** Filters that take sequences and dicts. */
export const sequenceFilters: readonly (readonly [string, Filter])[] = [
  [
    "batch",
    filter(
      { value: needed, linecount: needed, fill_with: null },
      (...all) => new Lazy(batches(...(all as [Value, Value, Value]))),
    ),
  ],
  ["count", length],
  [
    "dictsort",
    filter({ value: needed, case_sensitive: false, by: "key", reverse: false }, (...all) =>
      dictSort(...(all as [Value, Value, Value, Value])),
    ),
  ],
  [
    "first",
    filter({ seq: needed }, (input) => {
      const next = iterate(input).next();
      return next.done ? new Undefined("No first item, sequence was empty.") : next.value;
    }),
  ],
  [
    "groupby",
    filter({ value: needed, attribute: needed, default: null, case_sensitive: false }, (...all) =>
      groupBy(...(all as [Value, Value, Value, Value])),
    ),
  ],
  [
    "items",
    filter({ value: needed }, (input) => {
      // A generator in Jinja: it raises when it is read.
      if (input instanceof Undefined) return new Lazy([].values());
      const run = function* (): Generator<Value> {
        if (!(input instanceof Dict)) throw refusal("Can only get item pairs from a mapping.");
        for (const pair of input.entries.values()) yield new Tuple(pair);
      };
      return new Lazy(run());
    }),
  ],
  [
    "join",
    filter({ value: needed, d: "", attribute: null }, (input, separator, attribute) => {
      const get = getter(attribute);
      return listOf(input)
        .map((item) => textOf(get(item)))
        .join(textOf(separator));
    }),
  ],
  ["last", filter({ seq: needed }, (input) => last(input))],
  ["length", length],
  ["list", filter({ value: needed }, (input) => listOf(input))],
  [
    "map",
    lazily((call, applied) => {
      const get = map(call, applied);
      return (item) => [get(item)];
    }),
  ],
  ["max", extreme(true)],
  ["min", extreme(false)],
  ["reject", selecting(false, false)],
  ["rejectattr", selecting(false, true)],
  ["reverse", filter({ value: needed }, (input) => reverse(input))],
  ["select", selecting(true, false)],
  ["selectattr", selecting(true, true)],
  [
    "slice",
    filter(
      { value: needed, slices: needed, fill_with: null },
      (...all) => new Lazy(slices(...(all as [Value, Value, Value]))),
    ),
  ],
  [
    "sort",
    filter({ value: needed, reverse: false, case_sensitive: false, attribute: null }, (...all) =>
      sort(...(all as [Value, Value, Value, Value])),
    ),
  ],
  ["sum", filter({ iterable: needed, attribute: null, start: 0n }, (...all) => sum(...(all as [Value, Value, Value])))],
  [
    "unique",
    filter(
      { value: needed, case_sensitive: false, attribute: null },
      (...all) => new Lazy(unique(...(all as [Value, Value, Value]))),
    ),
  ],
];
