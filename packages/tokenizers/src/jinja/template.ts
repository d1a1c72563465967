import { refusal } from "./errors.ts";
import { Scope, evaluate, unset } from "./evaluate.ts";
import { globals } from "./members.ts";
import { Loop } from "./loop.ts";
import { parse } from "./parser.ts";
import { printed } from "./print.ts";
import { analyze, type ScopeFacts, type Scopes } from "./scopes.ts";
import type { Body, Expression, Signature, Statement, Target } from "./syntax.ts";
import {
  Dict,
  Markup,
  Namespace,
  Thing,
  Tuple,
  Undefined,
  iterate,
  isTrue,
  listOf,
  typeOf,
  type Arguments,
  type Value,
} from "./values.ts";

/** How a body ended: `break` and `continue` reach the loop around it. */
type End = "done" | "break" | "continue";

/** A parsed chat template. */
export class Template {
  readonly #body: Body;
  readonly #scopes: Scopes;

  /** @throws LaconicError `model_unsupported` for a syntax error, or naming what is not supported. */
  constructor(source: string) {
    this.#body = parse(source);
    this.#scopes = analyze(this.#body);
  }

  /**
   * @param variables - what the template can read; functions are `Callable`s
   * @throws LaconicError `input_invalid` for what Jinja raises, `model_unsupported` naming what is not supported.
   */
  render(variables: Readonly<Record<string, Value>>): string {
    const context = new Scope(null);
    for (const [name, value] of [...globals, ...Object.entries(variables)]) context.set(name, value);
    const output: string[] = [];
    const renderer = new Renderer(this.#scopes);
    renderer.run(this.#body, new Scope(context, this.#scopes.get(this.#body)?.hidden), output);
    return output.join("");
  }
}

/** Jinja's macro, or the body of a `call` block. */
class Macro extends Thing {
  readonly type = "Macro";
  override readonly callable = true;
  readonly name: string | null;
  readonly #run: (call: Arguments) => string;
  constructor(name: string | null, run: (call: Arguments) => string) {
    super();
    this.name = name;
    this.#run = run;
  }
  override repr(reprOf: (value: Value) => string): string {
    return `<Macro ${this.name === null ? "anonymous" : reprOf(this.name)}>`;
  }
  override call(call: Arguments): Value {
    return this.#run(call);
  }
}

class Renderer {
  readonly #scopes: Scopes;

  constructor(scopes: Scopes) {
    this.#scopes = scopes;
  }

  #facts(owner: object): ScopeFacts {
    return this.#scopes.get(owner) as ScopeFacts;
  }

  #inner(owner: object, scope: Scope): Scope {
    return new Scope(scope, this.#facts(owner).hidden);
  }

  run(body: Body, scope: Scope, output: string[]): End {
    for (const statement of body) {
      const end = this.#statement(statement, scope, output);
      if (end !== "done") return end;
    }
    return "done";
  }

  #statement(statement: Statement, scope: Scope, output: string[]): End {
    switch (statement.kind) {
      case "text":
        output.push(statement.text);
        return "done";
      case "output":
        output.push(printed(evaluate(statement.value, scope)));
        return "done";
      case "if": {
        const branch = statement.branches.find(({ test }) => isTrue(evaluate(test, scope)));
        return this.run(branch?.body ?? statement.otherwise, scope, output);
      }
      case "for":
        return this.#for(statement, scope, output);
      case "break":
      case "continue":
        return statement.kind;
      case "set":
        checkMembers(statement.target, scope);
        assign(statement.target, evaluate(statement.value, scope), scope);
        return "done";
      case "capture":
      case "filterBlock":
        return this.#captured(statement, scope, output);
      case "with": {
        const inner = this.#inner(statement.body, scope);
        const values = statement.values.map((value) => evaluate(value, scope));
        statement.targets.forEach((target, i) => assign(target, values[i] as Value, inner));
        return this.run(statement.body, inner, output);
      }
      case "macro":
        scope.set(statement.name, this.#macro(statement.name, statement.signature, statement.body, scope));
        return "done";
      case "callBlock": {
        const caller = this.#macro(null, statement.signature, statement.body, scope);
        output.push(written(this.#callWith(statement.call, caller, scope)));
        return "done";
      }
      case "generation":
        this.run(statement.body, this.#inner(statement.body, scope), output);
        return "done";
    }
  }

  /** A call with the body of a `call` block as the argument `caller`. */
  #callWith(call: Expression & { readonly kind: "call" }, caller: Macro, scope: Scope): Value {
    const named = [...call.args.named, { name: "caller", value: { kind: "constant", value: caller } as const }];
    if (call.args.named.some(({ name }) => name === "caller")) throw refusal("the argument caller is repeated");
    return evaluate({ ...call, args: { ...call.args, named } }, scope);
  }

  /** A `set` or `filter` block: its output goes to a variable or through a filter. */
  #captured(statement: Statement & { readonly kind: "capture" | "filterBlock" }, scope: Scope, output: string[]): End {
    const inner = this.#inner(statement.body, scope);
    const parts: string[] = [];
    const end = this.run(statement.body, inner, parts);
    if (end !== "done") return end;
    const text = parts.join("");
    const value = statement.filter === null ? text : evaluate(statement.filter, inner, text);
    if (statement.kind === "filterBlock") output.push(written(value));
    else {
      checkMembers(statement.target, scope);
      assign(statement.target, value, scope);
    }
    return "done";
  }

  #for(loop: Statement & { readonly kind: "for" }, scope: Scope, output: string[]): End {
    const source = evaluate(loop.source, scope);
    if (!loop.isRecursive) return this.#loop(loop, source, scope, output, 0, null);
    const recurse = (items: Value, depth: number): string => {
      const parts: string[] = [];
      this.#loop(loop, items, scope, parts, depth, recurse);
      return parts.join("");
    };
    output.push(recurse(source, 0));
    return "done";
  }

  #loop(
    loop: Statement & { readonly kind: "for" },
    source: Value,
    scope: Scope,
    output: string[],
    depth: number,
    recurse: ((items: Value, depth: number) => string) | null,
  ): End {
    const { hidden, special } = this.#facts(loop.body);
    const items = new Loop(
      loop.test ? this.#selected(loop, loop.test, source, scope) : iterate(source),
      depth,
      recurse,
    );
    const inner = new Scope(scope);
    // Jinja notes the end of a body, which `continue` does not reach.
    let isCompleted = false;
    for (let item = items.next(); item !== undefined; item = items.next()) {
      inner.reset(hidden);
      if (special.has("loop")) inner.set("loop", items);
      assign(loop.target, item, inner);
      const end = this.run(loop.body, inner, output);
      if (end === "break") break;
      isCompleted ||= end === "done";
    }
    // Macros of the body that outlive the loop find its variables undefined.
    for (const name of inner.variables.keys()) inner.set(name, unset);
    if (isCompleted || loop.otherwise.length === 0) return "done";
    return this.run(loop.otherwise, this.#inner(loop.otherwise, scope), output);
  }

  *#selected(
    loop: Statement & { readonly kind: "for" },
    test: Expression,
    source: Value,
    scope: Scope,
  ): Generator<Value, undefined> {
    const inner = this.#inner(test, scope);
    const iterator = iterate(source);
    for (let next = iterator.next(); !next.done; next = iterator.next()) {
      assign(loop.target, next.value, inner);
      if (isTrue(evaluate(test, inner))) yield next.value;
    }
  }

  #macro(name: string | null, signature: Signature, body: Body, scope: Scope): Macro {
    const { names, defaults } = signature;
    const { special } = this.#facts(body);
    return new Macro(name, ({ list, named }) => {
      const inner = this.#inner(body, scope);
      const rest = new Map(named);
      const isCallerNamed = names.includes("caller");
      for (const parameter of names) inner.set(parameter, unset);
      const values = names.map((parameter, i) => {
        if (i < list.length) return list[i];
        const value = rest.get(parameter);
        rest.delete(parameter);
        return value;
      });
      if (special.has("caller") && !isCallerNamed) {
        inner.set("caller", rest.get("caller") ?? new Undefined("No caller defined"));
        rest.delete("caller");
      }
      if (special.has("kwargs")) inner.set("kwargs", new Dict(rest));
      else if (rest.size > 0) throw refusal(`macro '${name}' takes no keyword argument '${[...rest.keys()][0]}'`);
      if (special.has("varargs")) inner.set("varargs", new Tuple(list.slice(names.length)));
      else if (list.length > names.length)
        throw refusal(`macro '${name}' takes not more than ${names.length} argument(s)`);
      values.forEach((value, i) => value !== undefined && inner.set(names[i] as string, value));
      values.forEach((value, i) => {
        if (value !== undefined) return;
        const preset = defaults[i - (names.length - defaults.length)];
        const missing = new Undefined(`parameter '${names[i]}' was not provided`);
        inner.set(names[i] as string, preset ? evaluate(preset, inner) : missing);
      });
      const output: string[] = [];
      this.run(body, inner, output);
      return output.join("");
    });
  }
}

/** The output of a call or filter block, which has to be a text. */
function written(value: Value): string {
  if (typeof value === "string" || value instanceof Markup) return printed(value);
  throw refusal(`sequence item: expected str instance, ${typeOf(value)} found`);
}

/** @throws LaconicError when a member of something other than a namespace is assigned. */
function checkMembers(target: Target, scope: Scope): void {
  if (target.kind === "tuple") for (const item of target.items) checkMembers(item, scope);
  if (target.kind === "member" && !(scope.get(target.name) instanceof Namespace))
    throw refusal("cannot assign attribute on non-namespace object");
}

function assign(target: Target, value: Value, scope: Scope): void {
  if (target.kind === "name") return scope.set(target.name, value);
  if (target.kind === "member") return (scope.get(target.name) as Namespace).values.set(target.attribute, value);
  const items = listOf(value);
  if (items.length !== target.items.length)
    throw refusal(`${items.length} values to unpack, expected ${target.items.length}`);
  target.items.forEach((inner, i) => assign(inner, items[i] as Value, scope));
}
