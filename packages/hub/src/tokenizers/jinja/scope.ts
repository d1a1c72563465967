import { LaconicError } from "@laconic/core";
import { refusal } from "./errors.ts";
import { is, limits, listOf, missing, type Value } from "./values.ts";

export type Expression = (scope: Scope) => Value;

export type Target =
  | { readonly names: readonly string[]; readonly isTuple: boolean }
  | { readonly namespace: string; readonly attribute: string };

/**
 * Names of a body with its own scope. A name that a body sets before reading it, outside an `if`, is undefined there
 * until set, unless an outer body mentions it, as in Jinja's compiler.
 */
export class Frame {
  conditions = 0;
  readsCaller = false;
  /** Target of `break`; "block" is a loop around a `set` or `filter` block. */
  readonly end: "loop" | "block" | null;
  readonly #parent: Frame | null;
  /** True for a name that is set first. */
  readonly names: Map<string, boolean>;
  #hidden: readonly string[] | null = null;

  constructor(parent: Frame | null, end: Frame["end"], declared: readonly string[] = []) {
    this.#parent = parent;
    this.end = end;
    this.names = new Map(declared.map((name) => [name, false]));
  }

  /** Names that are undefined at the start. Valid after the whole template is parsed. */
  get hidden(): readonly string[] {
    const isHidden = ([name, isSetFirst]: [string, boolean]): boolean => isSetFirst && !this.#parent?.mentions(name);
    return (this.#hidden ??= Array.from(this.names)
      .filter(isHidden)
      .map(([name]) => name));
  }

  mentions(name: string): boolean {
    return this.names.has(name) || (this.#parent?.mentions(name) ?? false);
  }

  read(name: string): void {
    if (!this.names.has(name)) this.names.set(name, false);
    if (name === "caller") this.#readCaller();
  }

  #readCaller(): void {
    this.readsCaller = true;
    if (this.#parent) this.#parent.#readCaller();
  }

  write(name: string): void {
    if (!this.names.has(name)) this.names.set(name, this.conditions === 0);
  }
}

export class Scope {
  readonly #variables = new Map<string, Value>();
  readonly #parent: Scope | null;
  readonly #steps: { count: number };

  /** @param hidden - names that are undefined regardless of outer scopes */
  constructor(parent: Scope | null, hidden: readonly string[] = []) {
    this.#parent = parent;
    this.#steps = parent ? parent.#steps : { count: 0 };
    this.reset(hidden);
  }

  reset(hidden: readonly string[]): void {
    this.#variables.clear();
    for (const name of hidden) this.#variables.set(name, missing(`'${name}' is undefined`));
  }

  /** Makes all variables undefined, for macros that outlive the body. */
  end(): void {
    this.reset(Array.from(this.#variables.keys()));
  }

  /** @throws LaconicError above the step limit of a render */
  step(): void {
    if (++this.#steps.count > limits.steps)
      throw new LaconicError("model_unsupported", `the chat template takes more than ${limits.steps} steps`);
  }

  get(name: string): Value {
    const value = this.#variables.get(name);
    if (value !== undefined) return value;
    return this.#parent ? this.#parent.get(name) : missing(`'${name}' is undefined`);
  }

  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }

  assign(target: Target, value: Value): void {
    if ("attribute" in target) {
      const namespace = this.get(target.namespace);
      if (!is(namespace, "Namespace")) throw refusal("cannot assign attribute on non-namespace object");
      return namespace.values.set(target.attribute, value);
    }
    const { names, isTuple } = target;
    const items = isTuple ? listOf(value) : [value];
    if (items.length !== names.length) throw refusal(`${items.length} values to unpack, expected ${names.length}`);
    names.forEach((name, i) => this.set(name, items[i] as Value));
  }
}
