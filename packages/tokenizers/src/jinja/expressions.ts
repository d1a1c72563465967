import { syntaxError } from "./errors.ts";
import type { BinaryOperator, Comparison } from "./operators.ts";
import type { CallArguments, Expression } from "./syntax.ts";
import { tokenize, type Token } from "./lexer.ts";

const noArguments: CallArguments = { list: [], named: [], rest: null, namedRest: null };
const constants = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);
const comparisons = new Set(["==", "!=", "<", "<=", ">", ">="]);

/** Reads the expressions of a template, with the precedence of Jinja. */
export class ExpressionParser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(template: string) {
    this.#tokens = tokenize(template);
  }

  get token(): Token {
    return this.#tokens[this.#position] as Token;
  }

  take(): Token {
    const { token } = this;
    if (token.kind !== "eof") this.#position++;
    return token;
  }

  fail(reason: string): Error {
    return syntaxError(reason, this.token.line);
  }

  is(text: string, kind: Token["kind"] = "operator"): boolean {
    return this.token.kind === kind && this.token.text === text;
  }

  isName(name: string): boolean {
    return this.is(name, "name");
  }

  skip(text: string, kind: Token["kind"] = "operator"): boolean {
    const isNext = this.is(text, kind);
    if (isNext) this.take();
    return isNext;
  }

  expect(text: string, kind: Token["kind"] = "operator"): void {
    if (!this.skip(text, kind)) throw this.fail(`expected ${text}, got ${this.#shown()}`);
  }

  expectKind(kind: Token["kind"]): Token {
    if (this.token.kind !== kind) throw this.fail(`expected ${kind}, got ${this.#shown()}`);
    return this.take();
  }

  #shown(): string {
    return this.token.text === "" ? `the ${this.token.kind} of the tag or template` : this.token.text;
  }

  #next(): Token | undefined {
    return this.#tokens[this.#position + 1];
  }

  /** An expression, or a tuple without parentheses. */
  tuple(read: () => Expression, isEnd: () => boolean = () => false, mayBeEmpty = false): Expression {
    const items: Expression[] = [];
    let isTuple = false;
    while (true) {
      if (items.length > 0) this.expect(",");
      if (this.token.kind === "end" || this.token.kind === "endOutput" || this.is(")") || isEnd()) break;
      items.push(read());
      if (!this.is(",")) break;
      isTuple = true;
    }
    if (!isTuple && items[0]) return items[0];
    if (!isTuple && !mayBeEmpty) throw this.fail(`expected an expression, got ${this.#shown()}`);
    return { kind: "tuple", items };
  }

  expression(): Expression {
    let result = this.or();
    while (this.skip("if", "name")) {
      const test = this.or();
      const otherwise = this.skip("else", "name") ? this.expression() : null;
      result = { kind: "condition", test, whenTrue: result, otherwise };
    }
    return result;
  }

  or(): Expression {
    let left = this.#and();
    while (this.skip("or", "name")) left = { kind: "logical", operator: "or", left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.skip("and", "name")) left = { kind: "logical", operator: "and", left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    if (this.skip("not", "name")) return { kind: "unary", operator: "not", operand: this.#not() };
    const first = this.#sum();
    const rest: { operator: Comparison; operand: Expression }[] = [];
    for (let operator = this.#comparison(); operator; operator = this.#comparison())
      rest.push({ operator, operand: this.#sum() });
    return rest.length === 0 ? first : { kind: "comparison", first, rest };
  }

  #comparison(): Comparison | null {
    if (this.token.kind === "operator" && comparisons.has(this.token.text)) return this.take().text as Comparison;
    if (this.skip("in", "name")) return "in";
    const next = this.#next();
    if (!this.isName("not") || next?.kind !== "name" || next.text !== "in") return null;
    this.take();
    this.take();
    return "not in";
  }

  /** Operators of one level, which group to the left. */
  #binary(operators: readonly BinaryOperator[], read: () => Expression): Expression {
    let left = read();
    while (this.token.kind === "operator" && (operators as readonly string[]).includes(this.token.text))
      left = { kind: "binary", operator: this.take().text as BinaryOperator, left, right: read() };
    return left;
  }

  #sum(): Expression {
    return this.#binary(["+", "-"], () => {
      const parts = [this.#product()];
      while (this.skip("~")) parts.push(this.#product());
      return parts.length === 1 ? (parts[0] as Expression) : { kind: "concatenation", parts };
    });
  }

  #product(): Expression {
    return this.#binary(["*", "/", "//", "%"], () => this.#binary(["**"], () => this.#unary(true)));
  }

  #unary(hasFilters: boolean): Expression {
    const operator = this.is("-") ? "-" : this.is("+") ? "+" : null;
    if (operator) this.take();
    const operand: Expression = operator ? { kind: "unary", operator, operand: this.#unary(false) } : this.primary();
    const value = this.#postfix(operand);
    return hasFilters ? this.#filtered(value) : value;
  }

  primary(): Expression {
    const { token } = this;
    if (token.kind === "name") {
      this.take();
      const constant = constants.get(token.text);
      return constant === undefined ? { kind: "name", name: token.text } : { kind: "constant", value: constant };
    }
    if (token.kind === "number") return { kind: "constant", value: this.take().value };
    if (token.kind === "string") {
      let text = "";
      while (this.token.kind === "string") text += this.take().text;
      return { kind: "constant", value: text };
    }
    if (this.skip("(")) {
      const inner = this.tuple(() => this.expression(), undefined, true);
      this.expect(")");
      return inner;
    }
    if (this.skip("[")) return { kind: "list", items: this.#items("]", () => this.expression()) };
    if (this.skip("{"))
      return {
        kind: "dict",
        entries: this.#items("}", () => {
          const key = this.expression();
          this.expect(":");
          return [key, this.expression()] as const;
        }),
      };
    throw this.fail(`unexpected ${this.#shown()}`);
  }

  #items<T>(end: string, read: () => T): T[] {
    const items: T[] = [];
    while (!this.is(end)) {
      if (items.length > 0) this.expect(",");
      if (this.is(end)) break;
      items.push(read());
    }
    this.expect(end);
    return items;
  }

  #postfix(start: Expression): Expression {
    let value = start;
    while (true) {
      if (this.skip(".")) {
        const { kind, text, value: number } = this.token;
        const isName = kind === "name";
        if (!isName && typeof number !== "bigint") throw this.fail("expected a name or number after a dot");
        this.take();
        value = isName
          ? { kind: "attribute", object: value, name: text }
          : { kind: "item", object: value, key: { kind: "constant", value: number } };
      } else if (this.skip("[")) value = { kind: "item", object: value, key: this.#subscript() };
      else if (this.is("(")) value = { kind: "call", callee: value, args: this.#arguments() };
      else return value;
    }
  }

  #subscript(): Expression {
    const items: Expression[] = [];
    while (!this.is("]")) {
      if (items.length > 0) this.expect(",");
      items.push(this.#subscripted());
    }
    this.expect("]");
    return items.length === 1 ? (items[0] as Expression) : { kind: "tuple", items };
  }

  #subscripted(): Expression {
    const isBoundEnd = (): boolean => this.is(":") || this.is("]") || this.is(",");
    const bounds: (Expression | null)[] = [];
    if (this.is(":")) bounds.push(null);
    else {
      const value = this.expression();
      if (!this.is(":")) return value;
      bounds.push(value);
    }
    while (bounds.length < 3 && this.skip(":")) bounds.push(isBoundEnd() ? null : this.expression());
    return { kind: "slice", bounds };
  }

  #filtered(start: Expression): Expression {
    let value = start;
    while (true) {
      if (this.skip("|")) value = this.filter(value);
      else if (this.skip("is", "name")) value = this.#test(value);
      else if (this.is("(")) value = { kind: "call", callee: value, args: this.#arguments() };
      else return value;
    }
  }

  /** A filter behind its `|`, and its arguments. */
  filter(input: Expression | null): Expression {
    return { kind: "filter", input, name: this.#dottedName(), args: this.is("(") ? this.#arguments() : noArguments };
  }

  #dottedName(): string {
    let name = this.expectKind("name").text;
    while (this.skip(".")) name += `.${this.expectKind("name").text}`;
    return name;
  }

  #test(input: Expression): Expression {
    const isNegated = this.skip("not", "name");
    const name = this.#dottedName();
    const test: Expression = { kind: "test", input, name, args: this.#testArguments() };
    return isNegated ? { kind: "unary", operator: "not", operand: test } : test;
  }

  #testArguments(): CallArguments {
    if (this.is("(")) return this.#arguments();
    const { kind, text } = this.token;
    const begins = ["name", "string", "number"].includes(kind) || this.is("[") || this.is("{");
    if (!begins || (kind === "name" && ["else", "or", "and"].includes(text))) return noArguments;
    if (this.isName("is")) throw this.fail("tests with is cannot be chained");
    return { ...noArguments, list: [this.#postfix(this.primary())] };
  }

  #arguments(): CallArguments {
    const list: Expression[] = [];
    const named: { name: string; value: Expression }[] = [];
    let rest: Expression | null = null;
    let namedRest: Expression | null = null;
    const check = (isAllowed: boolean): void => {
      if (!isAllowed) throw this.fail("invalid order of arguments");
    };
    this.expect("(");
    while (!this.is(")")) {
      if (list.length + named.length > 0 || rest || namedRest) this.expect(",");
      if (this.is(")")) break;
      if (this.skip("*")) {
        check(!rest && !namedRest);
        rest = this.expression();
      } else if (this.skip("**")) {
        check(!namedRest);
        namedRest = this.expression();
      } else if (this.token.kind === "name" && this.#next()?.kind === "operator" && this.#next()?.text === "=") {
        check(!namedRest);
        const name = this.take().text;
        this.take();
        if (named.some((other) => other.name === name)) throw this.fail(`the argument ${name} is repeated`);
        named.push({ name, value: this.expression() });
      } else {
        check(!rest && !namedRest && named.length === 0);
        list.push(this.expression());
      }
    }
    this.expect(")");
    return { list, named, rest, namedRest };
  }
}
