import { unsupported } from "./errors.ts";
import { ExpressionParser } from "./expressions.ts";
import type { Body, Branch, Expression, Signature, Statement, Target } from "./syntax.ts";

/** Tags of Jinja for templates in several files or with HTML, and what they need. */
const rejectedTags = ["autoescape", "block", "extends", "from", "import", "include"];
const reserved = new Set(["true", "false", "none", "True", "False", "None"]);

/** @throws LaconicError `model_unsupported` with the line of a syntax error, or naming an unsupported construct. */
export function parse(template: string): Body {
  const parser = new Parser(template);
  const body = parser.body([]);
  return body;
}

class Parser extends ExpressionParser {
  /** For loops around the statement that `break` and `continue` can end; a macro starts a new count. */
  #loops = 0;

  /** Statements until a tag of one of the names, whose name is not yet read, or until the end. */
  body(ends: readonly string[]): Statement[] {
    const statements: Statement[] = [];
    while (true) {
      const { kind, text } = this.take();
      if (kind === "eof") {
        if (ends.length > 0) throw this.fail(`unexpected end of the template, expected ${ends.join(" or ")}`);
        return statements;
      }
      if (kind === "text") statements.push({ kind: "text", text });
      else if (kind === "beginOutput") {
        statements.push({ kind: "output", value: this.tuple(() => this.expression()) });
        this.expectKind("endOutput");
      } else {
        if (this.token.kind === "name" && ends.includes(this.token.text)) return statements;
        statements.push(...this.#statement());
        this.expectKind("end");
      }
    }
  }

  /** The inside of a tag, from the end of its opening tag. */
  #block(...ends: readonly string[]): Statement[] {
    this.skip(":");
    this.expectKind("end");
    return this.body(ends);
  }

  #blockUntil(end: string): Statement[] {
    const body = this.#block(end);
    this.take();
    return body;
  }

  /** A body that Jinja compiles to a function: loops outside cannot be ended from it. */
  #function(end: string): Statement[] {
    const loops = this.#loops;
    this.#loops = 0;
    const body = this.#blockUntil(end);
    this.#loops = loops;
    return body;
  }

  #statement(): readonly Statement[] {
    if (this.token.kind !== "name") throw this.fail("expected the name of a tag");
    const name = this.take().text;
    switch (name) {
      case "for":
        return [this.#for()];
      case "if":
        return [this.#if()];
      case "set":
        return [this.#set()];
      case "with":
        return [this.#with()];
      case "macro":
        return [this.#macro()];
      case "call":
        return [this.#callBlock()];
      case "filter": {
        const filter = this.#filters(this.filter(null));
        return [{ kind: "filterBlock", filter, body: this.#blockUntil("endfilter") }];
      }
      case "print":
        return this.#print();
      case "generation":
        return [{ kind: "generation", body: this.#function("endgeneration") }];
      case "break":
      case "continue":
        if (this.#loops === 0) throw this.fail(`${name} outside of a loop`);
        return [{ kind: name }];
      default:
        if (rejectedTags.includes(name)) throw unsupported(`the tag ${name}`);
        throw this.fail(`unknown tag ${name}`);
    }
  }

  #filters(first: Expression): Expression {
    let filter = first;
    while (this.skip("|")) filter = this.filter(filter);
    return filter;
  }

  #print(): Statement[] {
    const outputs: Statement[] = [];
    while (this.token.kind !== "end") {
      if (outputs.length > 0) this.expect(",");
      outputs.push({ kind: "output", value: this.expression() });
    }
    return outputs;
  }

  #for(): Statement {
    const target = this.#target(() => this.isName("in"));
    if (namesIn(target).includes("loop")) throw this.fail("loop cannot be the variable of a loop");
    this.expect("in", "name");
    const source = this.tuple(
      () => this.or(),
      () => this.isName("recursive"),
    );
    const test = this.skip("if", "name") ? this.expression() : null;
    const isRecursive = this.skip("recursive", "name");
    this.#loops++;
    const body = this.#block("endfor", "else");
    this.#loops--;
    // The else branch belongs to the loop outside.
    const otherwise = this.take().text === "else" ? this.#blockUntil("endfor") : [];
    return { kind: "for", target, source, test, isRecursive, body, otherwise };
  }

  #if(): Statement {
    const branches: Branch[] = [];
    while (true) {
      const test = this.tuple(() => this.or());
      branches.push({ test, body: this.#block("elif", "else", "endif") });
      const end = this.take().text;
      if (end === "elif") continue;
      return { kind: "if", branches, otherwise: end === "else" ? this.#blockUntil("endif") : [] };
    }
  }

  #set(): Statement {
    const target = this.#target(() => false, true);
    if (this.skip("=")) return { kind: "set", target, value: this.tuple(() => this.expression()) };
    const filter = this.skip("|") ? this.#filters(this.filter(null)) : null;
    return { kind: "capture", target, filter, body: this.#blockUntil("endset") };
  }

  #with(): Statement {
    const targets: Target[] = [];
    const values: Expression[] = [];
    while (this.token.kind !== "end") {
      if (targets.length > 0) this.expect(",");
      targets.push(this.#target());
      this.expect("=");
      values.push(this.expression());
    }
    return { kind: "with", targets, values, body: this.#blockUntil("endwith") };
  }

  #macro(): Statement {
    const name = this.#assignedName();
    const signature = this.#signature();
    return { kind: "macro", name, signature, body: this.#function("endmacro") };
  }

  #callBlock(): Statement {
    const signature = this.is("(") ? this.#signature() : { names: [], defaults: [] };
    const call = this.expression();
    if (call.kind !== "call") throw this.fail("expected a call");
    return { kind: "callBlock", call, signature, body: this.#function("endcall") };
  }

  #signature(): Signature {
    const names: string[] = [];
    const defaults: Expression[] = [];
    this.expect("(");
    while (!this.is(")")) {
      if (names.length > 0) this.expect(",");
      const name = this.#assignedName();
      if (names.includes(name)) throw this.fail(`the parameter ${name} is repeated`);
      names.push(name);
      if (this.skip("=")) defaults.push(this.expression());
      else if (defaults.length > 0) throw this.fail("a parameter without a default follows one with a default");
    }
    this.expect(")");
    return { names, defaults };
  }

  #assignedName(): string {
    const name = this.expectKind("name").text;
    if (reserved.has(name)) throw this.fail(`cannot assign to ${name}`);
    return name;
  }

  #target(isEnd: () => boolean = () => false, hasMembers = false): Target {
    const members = new Map<Expression, Target>();
    const read = (): Expression => {
      const primary = this.primary();
      if (hasMembers && primary.kind === "name" && this.skip("."))
        members.set(primary, { kind: "member", name: primary.name, attribute: this.expectKind("name").text });
      return primary;
    };
    const targetOf = (expression: Expression): Target => {
      const member = members.get(expression);
      if (member) return member;
      if (expression.kind === "name") return expression;
      if (expression.kind === "tuple") return { kind: "tuple", items: expression.items.map(targetOf) };
      throw this.fail(`cannot assign to a ${expression.kind}`);
    };
    return targetOf(this.tuple(read, isEnd));
  }
}

/** Names that a target assigns. */
export function namesIn(target: Target): readonly string[] {
  if (target.kind === "name") return [target.name];
  return target.kind === "tuple" ? target.items.flatMap(namesIn) : [];
}
