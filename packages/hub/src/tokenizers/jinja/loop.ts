import { refusal, unsupported } from "./errors.ts";
import { missing, type Arguments, type Value } from "./values.ts";

export class Iteration {
  readonly type = "LoopContext";
  index = -1;
  readonly #iterator: Iterator<Value>;
  readonly #items: Value[] = [];

  constructor(iterator: Iterator<Value>) {
    this.#iterator = iterator;
  }

  get length(): number {
    while (this.item(this.#items.length) !== undefined);
    return this.#items.length;
  }

  next(): Value | undefined {
    return this.item(++this.index);
  }

  item(position: number): Value | undefined {
    while (this.#items.length <= position) {
      const next = this.#iterator.next();
      if (next.done) return undefined;
      this.#items.push(next.value);
    }
    return this.#items[position];
  }

  readonly attribute = (name: string): Value | undefined => attributes.get(name)?.(this);
}

function cycle(loop: Iteration): Value {
  const call = ({ list }: Arguments): Value => {
    if (list.length === 0) throw refusal("no items for cycling given");
    return list[loop.index % list.length] as Value;
  };
  return { type: "function", call };
}

function neighbor(loop: Iteration, distance: number): Value {
  const item = loop.item(loop.index + distance);
  return item === undefined ? missing("the loop has no such item") : item;
}

function changed(): never {
  throw unsupported("loop.changed");
}

const attributes = new Map<string, (loop: Iteration) => Value>([
  ["index", (loop) => BigInt(loop.index + 1)],
  ["index0", (loop) => BigInt(loop.index)],
  ["revindex", (loop) => BigInt(loop.length - loop.index)],
  ["revindex0", (loop) => BigInt(loop.length - loop.index - 1)],
  ["first", (loop) => loop.index === 0],
  ["last", (loop) => loop.item(loop.index + 1) === undefined],
  ["length", (loop) => BigInt(loop.length)],
  ["previtem", (loop) => neighbor(loop, -1)],
  ["nextitem", (loop) => neighbor(loop, 1)],
  ["cycle", cycle],
  ["changed", changed],
  ["depth", () => 1n],
  ["depth0", () => 0n],
]);
