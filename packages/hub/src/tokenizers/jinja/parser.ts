import { refusal, unsupported } from "./errors.ts";
import { ExpressionParser, applied, call, constantOf, noArguments, type Filter } from "./expressions.ts";
import { Iteration } from "./loop.ts";
import { printed } from "./print.ts";
import { Frame, Scope, type Expression, type Target } from "./scope.ts";
import { isTrue, iterate, missing, type Value } from "./values.ts";

/** Appends to the output; `break` and `continue` propagate to the enclosing loop. */
type Statement = (scope: Scope, output: string[]) => "break" | "continue" | void;

interface Block {
  readonly run: Statement;
  readonly frame: Frame;
}

type Parameter = readonly [name: string, preset: Expression];

/** Tags for several files, for HTML, and rare forms. */
const rejectedTags = ["autoescape", "block", "extends", "from", "import", "include", "print", "with"];

function written({ run }: Block, scope: Scope): string {
  const output: string[] = [];
  run(scope, output);
  return output.join("");
}

function inOrder(statements: readonly Statement[]): Statement {
  return (scope, output) => {
    for (const statement of statements) {
      const end = statement(scope, output);
      if (end !== undefined) return end;
    }
    return undefined;
  };
}

function outputOf(value: Expression): Statement {
  return (scope, output) => void output.push(printed(value(scope)));
}

function assignment(target: Target, value: Expression): Statement {
  return (scope) => scope.assign(target, value(scope));
}

function selection(target: Target, source: Expression, test: Expression | null) {
  return function* (scope: Scope): Generator<Value, undefined> {
    const inner = new Scope(scope);
    for (const item of iterate(source(scope))) {
      if (test) inner.assign(target, item);
      if (!test || isTrue(test(inner))) yield item;
    }
  };
}

function loopOf(target: Target, items: ReturnType<typeof selection>, body: Block, otherwise: Block | null): Statement {
  return (scope, output) => {
    const loop = new Iteration(items(scope));
    const inner = new Scope(scope);
    // Jinja runs `else` unless some body reached its end.
    let isCompleted = false;
    for (let item = loop.next(); item !== undefined; item = loop.next()) {
      scope.step();
      inner.reset(body.frame.hidden);
      inner.set("loop", loop);
      inner.assign(target, item);
      const end = body.run(inner, output);
      if (end === "break") break;
      isCompleted ||= end === undefined;
    }
    inner.end();
    return isCompleted || !otherwise ? undefined : otherwise.run(new Scope(scope, otherwise.frame.hidden), output);
  };
}

function macroOf(parameters: readonly Parameter[], body: Block): Expression {
  const names = parameters.map(([name]) => name);
  const { readsCaller } = body.frame;
  return (scope) => ({
    type: "function",
    call: ({ list, named }) => {
      const free = [...names.slice(list.length), ...(readsCaller ? ["caller"] : [])];
      const stray = Array.from(named.keys()).find((name) => !free.includes(name));
      if (list.length > names.length || stray !== undefined)
        throw refusal(`the macro takes (${names.join(", ")}), got ${list.length} values and ${stray ?? "no names"}`);
      const inner = new Scope(scope, [...body.frame.hidden, ...names]);
      if (readsCaller) inner.set("caller", named.get("caller") ?? missing("No caller defined"));
      const values = names.map((name, i) => (i < list.length ? list[i] : named.get(name)));
      values.forEach((value, i) => value !== undefined && inner.set(names[i]!, value));
      for (const [i, [name, preset]] of parameters.entries())
        if (values[i] === undefined) inner.set(name, preset(inner));
      return written(body, inner);
    },
  });
}

export class Parser extends ExpressionParser {
  template(): (context: Scope) => string {
    const block = this.#block(this.frame, () => this.#statements([]));
    return (context) => written(block, new Scope(context, block.frame.hidden));
  }

  #block(frame: Frame, read: () => Statement): Block {
    return { run: this.#inFrame(frame, read), frame };
  }

  #inFrame<T>(frame: Frame, read: () => T): T {
    const outer = this.frame;
    this.frame = frame;
    const result = read();
    this.frame = outer;
    return result;
  }

  /** Statements up to a tag with one of the names, which is not consumed. */
  #statements(ends: readonly string[]): Statement {
    const statements: Statement[] = [];
    while (true) {
      const { kind, text } = this.take();
      if (kind === "eof" && ends.length > 0) throw this.fail(`expected ${ends.join(" or ")}`);
      if (kind === "eof" || (text === "{%" && ends.some((end) => this.is(end)))) return inOrder(statements);
      if (kind === "text") statements.push(outputOf(() => text));
      else {
        statements.push(text === "{{" ? outputOf(this.tuple()) : this.#statement());
        this.expect(text === "{{" ? "}}" : "%}");
      }
    }
  }

  #body(...ends: readonly string[]): Statement {
    this.skip(":");
    this.expect("%}");
    return this.#statements(ends);
  }

  #bodyUntil(end: string): Statement {
    const body = this.#body(end);
    this.take();
    return body;
  }

  #statement(): Statement {
    const name = this.name();
    switch (name) {
      case "for":
        return this.#for();
      case "if":
        return this.#if();
      case "set":
        return this.#set();
      case "macro":
        return this.#macro();
      case "call":
        return this.#callBlock();
      case "filter":
        return outputOf(this.#captured(this.#filters(), "endfilter"));
      case "generation":
        return outputOf(applied(call, this.#function(new Frame(this.frame, null), [], "endgeneration"), noArguments));
      case "break":
      case "continue":
        if (this.frame.end === "block") throw unsupported(`${name} inside a set or filter block`);
        if (this.frame.end === null) throw this.fail(`${name} outside of a loop`);
        return () => name;
      default:
        if (rejectedTags.includes(name)) throw unsupported(`the tag ${name}`);
        throw this.fail(`unknown tag ${name}`);
    }
  }

  /** Jinja evaluates variables of filters in the block's scope, which is not supported. */
  #filters(): readonly Filter[] {
    const frame = new Frame(this.frame, null);
    const filters = this.#inFrame(frame, () => {
      const chain = [this.filter()];
      while (this.skip("|")) chain.push(this.filter());
      return chain;
    });
    if (frame.names.size > 0) throw unsupported("a variable in the filter of a block");
    return filters;
  }

  #captured(filters: readonly Filter[], end: string): Expression {
    const body = this.#block(new Frame(this.frame, this.frame.end && "block"), () => this.#bodyUntil(end));
    const text: Expression = (scope) => written(body, new Scope(scope, body.frame.hidden));
    return filters.reduce((input, filter) => filter(input), text);
  }

  #for(): Statement {
    const target = this.#names();
    this.expect("in");
    const source = this.tuple(() => this.or());
    const tested = new Frame(this.frame, null, target.names);
    const test = this.skip("if") ? this.#inFrame(tested, () => this.expression()) : null;
    if (this.is("recursive")) throw unsupported("a recursive loop");
    const frame = new Frame(this.frame, "loop", ["loop", ...target.names]);
    const body = this.#block(frame, () => this.#body("endfor", "else"));
    const hasElse = this.take().text === "else";
    const outside = new Frame(this.frame, this.frame.end);
    const otherwise = hasElse ? this.#block(outside, () => this.#bodyUntil("endfor")) : null;
    return loopOf(target, selection(target, source, test), body, otherwise);
  }

  #if(): Statement {
    this.frame.conditions++;
    const test = this.tuple(() => this.or());
    const body = this.#body("elif", "else", "endif");
    const end = this.take().text;
    const otherwise = end === "elif" ? this.#if() : end === "else" ? this.#bodyUntil("endif") : inOrder([]);
    this.frame.conditions--;
    return (scope, output) => (isTrue(test(scope)) ? body(scope, output) : otherwise(scope, output));
  }

  #set(): Statement {
    const target = this.#names();
    const [namespace = ""] = target.names;
    const attribute = !target.isTuple && this.skip(".") ? this.name() : null;
    const value = this.skip("=") ? this.tuple() : this.#captured(this.skip("|") ? this.#filters() : [], "endset");
    if (attribute !== null) {
      this.frame.read(namespace);
      return assignment({ namespace, attribute }, value);
    }
    for (const name of target.names) this.frame.write(name);
    return assignment(target, value);
  }

  #macro(): Statement {
    const name = this.#assignedName();
    const frame = new Frame(this.frame, null);
    const parameters = this.#inFrame(frame, () => this.#signature());
    this.frame.write(name);
    return assignment({ names: [name], isTuple: false }, this.#function(frame, parameters, "endmacro"));
  }

  #callBlock(): Statement {
    const frame = new Frame(this.frame, null);
    const parameters = this.is("(") ? this.#inFrame(frame, () => this.#signature()) : [];
    const macro = this.variable(this.name());
    if (!this.is("(")) throw unsupported("a call block of something other than a macro");
    const args = this.arguments();
    const caller = this.#function(frame, parameters, "endcall");
    return outputOf(applied(call, macro, { ...args, named: new Map([...args.named, ["caller", caller]]) }));
  }

  /** Jinja compiles the body to a function, which cannot end outer loops. */
  #function(frame: Frame, parameters: readonly Parameter[], end: string): Expression {
    const body = this.#block(frame, () => this.#bodyUntil(end));
    return macroOf(parameters, body);
  }

  #signature(): readonly Parameter[] {
    const names: string[] = [];
    let hasPresets = false;
    this.expect("(");
    return this.items(")", (): Parameter => {
      const name = this.#assignedName();
      if (names.includes(name)) throw this.fail(`the parameter ${name} is repeated`);
      names.push(name);
      this.frame.read(name);
      if (this.is("=")) hasPresets = true;
      else if (hasPresets) throw this.fail("a parameter without a default follows one with a default");
      return [name, this.skip("=") ? this.expression() : () => missing(`parameter '${name}' was not provided`)];
    });
  }

  #assignedName(): string {
    const { kind, text } = this.token;
    if (text === "loop" || text === "caller") throw unsupported(`an assignment to ${text}`);
    if (kind === "name" && constantOf(text) === undefined) return this.take().text;
    throw this.fail("expected an expression that can be assigned");
  }

  #names(): Exclude<Target, { readonly attribute: string }> {
    const names = [this.#assignedName()];
    const isTuple = this.is(",");
    while (this.skip(",") && this.token.kind === "name" && !this.is("in")) names.push(this.#assignedName());
    return { names, isTuple };
  }
}
