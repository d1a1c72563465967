import { refusal, unsupported } from "./errors.ts";
import { isEqual } from "./operators.ts";
import { Callable, Thing, Tuple, Undefined, type Arguments, type Value } from "./values.ts";

/** Jinja's `loop` variable, and the iteration itself. */
export class Loop extends Thing {
  readonly type = "LoopContext";
  override readonly callable = true;
  readonly #iterator: Iterator<Value>;
  /** Items that are read ahead. */
  readonly #ahead: Value[] = [];
  readonly #depth: number;
  readonly #recurse: ((source: Value, depth: number) => string) | null;
  #index = -1;
  #before: Value | null = null;
  #current: Value | null = null;
  #changed: Tuple | null = null;

  /**
   * @param depth - of recursion, from 0
   * @param recurse - renders the loop over other items; null for a loop that is not recursive
   */
  constructor(iterator: Iterator<Value>, depth: number, recurse: ((source: Value, depth: number) => string) | null) {
    super();
    this.#iterator = iterator;
    this.#depth = depth;
    this.#recurse = recurse;
  }

  /** The next item, or undefined at the end. */
  next(): Value | undefined {
    const item = this.#peek();
    if (item === undefined) return undefined;
    this.#ahead.shift();
    this.#index++;
    this.#before = this.#current;
    this.#current = item;
    return item;
  }

  #peek(): Value | undefined {
    if (this.#ahead.length === 0) this.#read();
    return this.#ahead[0];
  }

  #next(): Value {
    const item = this.#peek();
    return item === undefined ? new Undefined("there is no next item") : item;
  }

  #read(): boolean {
    const next = this.#iterator.next();
    if (!next.done) this.#ahead.push(next.value);
    return !next.done;
  }

  override size(): number {
    while (this.#read());
    return this.#index + 1 + this.#ahead.length;
  }

  override repr(): string {
    return `<LoopContext ${this.#index + 1}/${this.size()}>`;
  }

  override iterate(): never {
    throw unsupported("an iteration over the variable loop");
  }

  override call({ list, named }: Arguments): Value {
    if (!this.#recurse) throw refusal("The loop must have the 'recursive' marker to be called recursively.");
    const source = list[0] ?? named.get("iterable");
    if (source === undefined || list.length + named.size > 1) throw refusal("loop() takes one argument");
    return this.#recurse(source, this.#depth + 1);
  }

  override attribute(name: string): Value | undefined {
    const integer = (value: number): bigint => BigInt(value);
    switch (name) {
      case "index":
        return integer(this.#index + 1);
      case "index0":
        return integer(this.#index);
      case "revindex":
        return integer(this.size() - this.#index);
      case "revindex0":
        return integer(this.size() - this.#index - 1);
      case "first":
        return this.#index === 0;
      case "last":
        return this.#peek() === undefined;
      case "length":
        return integer(this.size());
      case "depth":
        return integer(this.#depth + 1);
      case "depth0":
        return integer(this.#depth);
      case "previtem":
        return this.#index === 0 ? new Undefined("there is no previous item") : this.#before;
      case "nextitem":
        return this.#next();
      case "cycle":
        return new Callable(({ list, named }) => {
          if (list.length === 0 || named.size > 0) throw refusal("no items for cycling given");
          return list[this.#index % list.length] as Value;
        });
      case "changed":
        return new Callable(({ list, named }) => {
          if (named.size > 0) throw refusal("changed() got an unexpected keyword argument");
          const value = new Tuple(list);
          const isChanged = this.#changed === null || !isEqual(this.#changed, value);
          this.#changed = value;
          return isChanged;
        });
      default:
        return undefined;
    }
  }
}
