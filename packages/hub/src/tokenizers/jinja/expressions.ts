import { refusal, syntaxError, unsupported } from "./errors.ts";
import { filters } from "./filters.ts";
import { tokenize, type Token } from "./lexer.ts";
import { memberOf } from "./members.ts";
import { binary, comparisons, signed, slice, type Operator } from "./operators.ts";
import { Frame, type Expression } from "./scope.ts";
import { tests } from "./tests.ts";
import { Dict, is, isTrue, listOf, missing, tuple, typeOf, type Native, type Value } from "./values.ts";

export type Filter = (input: Expression) => Expression;

interface CallArguments {
  readonly list: readonly Expression[];
  readonly named: ReadonlyMap<string, Expression>;
  /** `*list` */
  readonly rest: Expression | null;
}

export const noArguments: CallArguments = { list: [], named: new Map(), rest: null };
/** Ordered by increasing precedence; all are left-associative. */
const levels = [["+", "-"], ["~"], ["*", "/", "//", "%"], ["**"]];
const noElse = missing("the condition is false and there is no else");

export function constantOf(name: string): Value | undefined {
  if (name === "none" || name === "None") return null;
  return /^([Tt]rue|[Ff]alse)$/.test(name) ? name.endsWith("rue") : undefined;
}

function apply(run: (...values: Value[]) => Value, ...parts: readonly Expression[]): Expression {
  return (scope) => {
    scope.step();
    return run(...parts.map((part) => part(scope)));
  };
}

function not(operand: Expression): Expression {
  return (scope) => !isTrue(operand(scope));
}

export function applied(run: Native, input: Expression, args: CallArguments): Expression {
  return (scope) => {
    scope.step();
    const self = input(scope);
    const rest = args.rest ? listOf(args.rest(scope)) : [];
    const list = [...args.list.map((value) => value(scope)), ...rest];
    return run(self, { list, named: new Map(Array.from(args.named, ([name, value]) => [name, value(scope)])) });
  };
}

export const call: Native = (value, args) => {
  if (is(value, "function")) return value.call(args);
  throw refusal(is(value, "Undefined") ? value.hint : `'${typeOf(value)}' object is not callable`);
};

export class ExpressionParser {
  protected frame: Frame = new Frame(null, null);
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(template: string) {
    this.#tokens = tokenize(template);
  }

  protected get token(): Token {
    return this.#tokens[this.#position]!;
  }

  protected take(): Token {
    const { token } = this;
    if (token.kind !== "eof") this.#position++;
    return token;
  }

  protected fail(reason: string): Error {
    const { kind, text, line } = this.token;
    return syntaxError(`${reason}, got ${kind === "eof" ? "the end of the template" : text}`, line);
  }

  protected is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#position + ahead];
    return (token?.kind === "name" || token?.kind === "operator") && token.text === text;
  }

  protected skip(text: string): boolean {
    const isNext = this.is(text);
    if (isNext) this.take();
    return isNext;
  }

  protected expect(text: string): void {
    if (!this.skip(text)) throw this.fail(`expected ${text}`);
  }

  protected name(): string {
    if (this.token.kind !== "name") throw this.fail("expected a name");
    return this.take().text;
  }

  protected items<T>(end: string, read: () => T): T[] {
    const items: T[] = [];
    while (!this.is(end)) {
      if (items.length > 0) this.expect(",");
      if (!this.is(end)) items.push(read());
    }
    this.expect(end);
    return items;
  }

  protected tuple(read: () => Expression = () => this.expression()): Expression {
    const items = [read()];
    if (!this.is(",")) return items[0]!;
    while (this.skip(",") && ![")", "%}", "}}"].some((end) => this.is(end))) items.push(read());
    return apply((...values) => tuple(values), ...items);
  }

  protected expression(): Expression {
    let result = this.or();
    while (this.skip("if")) {
      const [test, whenTrue] = [this.or(), result];
      const otherwise = this.skip("else") ? this.expression() : (): Value => noElse;
      result = (scope) => (isTrue(test(scope)) ? whenTrue(scope) : otherwise(scope));
    }
    return result;
  }

  protected or(): Expression {
    return this.#logical("or", true, () => this.#logical("and", false, () => this.#not()));
  }

  /** The first deciding operand of `and` or `or` is the value. */
  #logical(operator: string, deciding: boolean, read: () => Expression): Expression {
    const operands = [read()];
    while (this.skip(operator)) operands.push(read());
    const last = operands.pop()!;
    if (operands.length === 0) return last;
    return (scope) => {
      for (const operand of operands) {
        const value = operand(scope);
        if (isTrue(value) === deciding) return value;
      }
      return last(scope);
    };
  }

  #not(): Expression {
    return this.skip("not") ? not(this.#not()) : this.#comparison();
  }

  #comparison(): Expression {
    const first = this.#binary(0);
    const rest: { readonly compare: Operator; readonly operand: Expression }[] = [];
    while (true) {
      const isNegated = this.is("not") && this.is("in", 1);
      const compare =
        this.token.kind === "string" ? undefined : comparisons.get(isNegated ? "not in" : this.token.text);
      if (!compare) break;
      this.take();
      if (isNegated) this.take();
      rest.push({ compare, operand: this.#binary(0) });
    }
    if (rest.length === 0) return first;
    return (scope) => {
      let left = first(scope);
      return rest.every(({ compare, operand }) => {
        const right = operand(scope);
        const holds = compare(left, right);
        left = right;
        return holds;
      });
    };
  }

  #binary(lowest: number): Expression {
    let left = this.#unary(true);
    while (true) {
      const level = this.token.kind === "operator" ? levels.findIndex((names) => names.includes(this.token.text)) : -1;
      if (level < lowest) return left;
      left = apply(binary(this.take().text), left, this.#binary(level + 1));
    }
  }

  #unary(hasFilters: boolean): Expression {
    const isNegative = this.is("-");
    const hasSign = this.skip("-") || this.skip("+");
    const operand = hasSign ? apply((value) => signed(isNegative, value), this.#unary(false)) : this.#primary();
    return this.#suffixed(operand, hasFilters);
  }

  #primary(): Expression {
    const { kind, text, value } = this.token;
    if (kind === "name" || kind === "number") {
      this.take();
      const constant = kind === "name" ? constantOf(text) : value;
      return constant === undefined ? this.variable(text) : () => constant;
    }
    if (kind === "string") {
      let whole = "";
      while (this.token.kind === "string") whole += this.take().text;
      return () => whole;
    }
    if (this.skip("(")) {
      if (this.skip(")")) return () => tuple([]);
      const inner = this.tuple();
      this.expect(")");
      return inner;
    }
    if (this.skip("[")) return apply((...values) => values, ...this.items("]", () => this.expression()));
    if (!this.skip("{")) throw this.fail("expected an expression");
    const entries = this.items("}", () => {
      const key = this.expression();
      this.expect(":");
      return apply((...pair) => pair, key, this.expression());
    });
    return apply((...pairs) => new Dict(pairs as [Value, Value][]), ...entries);
  }

  protected variable(name: string): Expression {
    if (name === "kwargs" || name === "varargs") throw unsupported(`the variable ${name}`);
    this.frame.read(name);
    return (scope) => scope.get(name);
  }

  #suffixed(start: Expression, hasFilters: boolean): Expression {
    let value = start;
    let isFiltered = false;
    while (true) {
      if (this.is("(")) value = applied(call, value, this.arguments());
      else if (!isFiltered && this.skip(".")) value = this.#dotted(value);
      else if (!isFiltered && this.skip("[")) value = this.#subscripted(value);
      else if (hasFilters && (this.is("|") || this.is("is"))) {
        value = this.skip("|") ? this.filter()(value) : this.#test(value);
        isFiltered = true;
      } else return value;
    }
  }

  #dotted(object: Expression): Expression {
    const { kind, text, value } = this.take();
    const key = kind === "name" ? text : value;
    if (kind !== "name" && typeof key !== "bigint") throw this.fail("expected a name or number after a dot");
    return apply((whole) => memberOf(whole, key, kind === "name"), object);
  }

  /** `object[key]` or `object[start:stop:step]`, after the bracket. */
  #subscripted(object: Expression): Expression {
    if (this.is("]")) throw this.fail("expected a key");
    const bounds: Expression[] = [];
    do bounds.push(this.is(":") || this.is("]") ? () => null : this.expression());
    while (bounds.length < 3 && this.skip(":"));
    if (this.is(",")) throw unsupported("several keys in brackets");
    this.expect("]");
    const run = bounds.length === 1 ? (whole: Value, key: Value): Value => memberOf(whole, key) : slice;
    return apply((whole, key, ...rest) => run(whole, key, ...rest), object, ...bounds);
  }

  protected filter(): Filter {
    const run = this.#native("filter", filters);
    const args = this.is("(") ? this.arguments() : noArguments;
    return (input) => applied(run, input, args);
  }

  #test(input: Expression): Expression {
    this.expect("is");
    const isNegated = this.skip("not");
    const test = applied(this.#native("test", tests), input, this.#testArguments());
    return isNegated ? not(test) : test;
  }

  /** Jinja looks up a filter or test at compile time, inside an `if` on use. */
  #native(kind: string, table: ReadonlyMap<string, Native>): Native {
    let name = this.name();
    while (this.skip(".")) name += `.${this.name()}`;
    const run = table.get(name);
    if (run) return run;
    if (this.frame.conditions === 0) throw syntaxError(`no ${kind} named ${name}`, 0);
    return () => {
      throw refusal(`No ${kind} named '${name}'.`);
    };
  }

  #testArguments(): CallArguments {
    if (this.is("(")) return this.arguments();
    const begins = ["name", "string", "number"].includes(this.token.kind) || this.is("[") || this.is("{");
    const isNext = begins && !["else", "or", "and"].some((word) => this.is(word));
    if (this.is("is")) throw this.fail("tests with is cannot be chained");
    return isNext ? { ...noArguments, list: [this.#suffixed(this.#primary(), false)] } : noArguments;
  }

  protected arguments(): CallArguments {
    const list: Expression[] = [];
    const named = new Map<string, Expression>();
    const rest: Expression[] = [];
    this.expect("(");
    this.items(")", () => {
      if (this.is("**")) throw unsupported("** in a call");
      const isNamed = this.token.kind === "name" && this.is("=", 1);
      if (!isNamed && named.size + rest.length > 0) throw this.fail("invalid order of arguments");
      if (this.skip("*")) rest.push(this.expression());
      else if (isNamed) {
        const name = this.take().text;
        this.take();
        if (named.has(name)) throw this.fail(`the argument ${name} is repeated`);
        named.set(name, this.expression());
      } else list.push(this.expression());
    });
    return { list, named, rest: rest[0] ?? null };
  }
}
