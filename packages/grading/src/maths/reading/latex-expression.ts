import type { Expression } from "../numbers/expression.ts";
import { accents, angular, big, brackets, functions, lists, over, reserved, symbols, times } from "./latex-commands.ts";
import { applied, called, implicitProduct } from "./latex-commands.ts";

const token = /\\(?:begin|end)\{[a-z]+\}|\\(?:[a-zA-Z]+|.)|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3}(?!\w))?|\S/gsu;

class Malformed extends Error {}

/**
 * Parses LaTeX in one pass: `["Add", 1, ["Power", "x", 2]]`. Here `2\frac13` is a sum, `2(\frac13)` a product. Null if
 * malformed or nested more than 100 deep.
 */
export function parseLatex(latex: string): Expression | null {
  try {
    return new Parser(latex).whole();
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

class Parser {
  readonly #tokens: string[];
  #at = 0;
  /** Open bars in the innermost brackets. */
  #bars = 0;
  #depth = 0;
  #angles = 0;

  constructor(latex: string) {
    this.#tokens = latex.match(token) ?? [];
  }

  whole(): Expression {
    const json = this.#sum();
    if (this.#at < this.#tokens.length) throw new Malformed();
    return json;
  }

  get #peek(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #next(): string {
    const text = this.#peek;
    if (text === "") throw new Malformed();
    this.#at++;
    return text;
  }

  #take(wanted: string): boolean {
    if (this.#peek !== wanted) return false;
    this.#at++;
    return true;
  }

  #expect(wanted: string): void {
    if (!this.#take(wanted)) throw new Malformed();
  }

  #sum(): Expression {
    const terms: Expression[] = [this.#signed()];
    for (;;) {
      if (this.#take("+")) terms.push(this.#signed());
      else if (this.#take("-")) terms.push(["Negate", this.#signed()]);
      else return terms.length === 1 ? terms[0]! : ["Add", ...terms];
    }
  }

  #signed(): Expression {
    let negative = false;
    while (this.#peek === "-" || this.#peek === "+") negative = this.#next() === "-" ? !negative : negative;
    let left = this.#product();
    for (let i = 0; this.#take("\\bmod"); i++) left = bounded(i, ["Mod", left, this.#product()]);
    return negative ? ["Negate", left] : left;
  }

  #product(): Expression {
    const factors: Expression[] = [this.#implicit()];
    while (times.has(this.#peek)) {
      this.#at++;
      factors.push(this.#peek === "-" || this.#peek === "+" ? this.#signed() : this.#implicit());
    }
    return factors.length === 1 ? factors[0]! : ["Multiply", ...factors];
  }

  /** @param argument - of a function without parentheses, which another function ends */
  #implicit(argument = false): Expression {
    const start = this.#at;
    const factors: Expression[] = [this.#quotient()];
    const startsWhole = this.#at === start + 1 && Number.isInteger(factors[0]);
    const second = this.#peek;
    while (this.#beginsFactor() && !(argument && this.#peek in functions)) factors.push(this.#quotient());
    return implicitProduct(factors, startsWhole && second !== "(");
  }

  #beginsFactor(): boolean {
    const text = this.#peek;
    if (text === "|") return this.#bars === 0;
    if (text.startsWith("\\begin{")) return true;
    return text !== "" && !reserved.has(text)
      ? /^(?:\\[a-zA-Z{]+|[\p{L}\d.([{]|\d.*|\.\d+)$/su.test(text)
      : ["\\frac", "\\sqrt", "\\binom"].includes(text);
  }

  #quotient(): Expression {
    let left = this.#postfix();
    for (let i = 0; over.has(this.#peek); i++) {
      this.#at++;
      left = bounded(i, ["Divide", left, this.#take("-") ? ["Negate", this.#postfix()] : this.#postfix()]);
    }
    return left;
  }

  #postfix(): Expression {
    let base = this.#atom();
    for (let i = 0; ; i++) {
      bounded(i, base);
      if (this.#take("^")) base = this.#raised(base);
      else if (this.#take("!")) base = this.#take("!") ? ["Factorial2", base] : ["Factorial", base];
      else if (this.#take("'")) base = ["Prime", base];
      // Other degree signs are units.
      else if (this.#take("\\degree")) base = this.#angles > 0 ? ["Multiply", base, ["Divide", "Pi", 180]] : base;
      else if (this.#take("%") || this.#take("\\%")) base = ["Divide", base, 100];
      else if (this.#take("_")) base = this.#subscripted(base);
      else return base;
    }
  }

  #raised(base: Expression): Expression {
    const start = this.#at;
    if (this.#take("\\prime") || (this.#take("{") && this.#take("\\prime") && this.#take("}"))) return ["Prime", base];
    this.#at = start;
    return ["Power", base, this.#take("-") ? ["Negate", this.#argument()] : this.#argument()];
  }

  #subscripted(base: Expression): Expression {
    const text = this.#rawTokens()
      .join("")
      .replaceAll(/\\text|[{}]/gu, "");
    // `v^2_0` is the square of `v_0`.
    if (Array.isArray(base) && base[0] === "Power" && typeof base[1] === "string")
      return ["Power", `${base[1]}_${text}`, base[2] as Expression];
    return typeof base === "string" ? `${base}_${text}` : ["Subscript", base, `'${text}'`];
  }

  #rawTokens(): string[] {
    if (!this.#take("{")) return [this.#digit()];
    const parts: string[] = [];
    for (let depth = 1; ;) {
      const text = this.#next();
      if (text === "{") depth++;
      else if (text === "}" && --depth === 0) return parts;
      parts.push(text);
    }
  }

  #closesBefore(wanted: string): boolean {
    let depth = 0;
    for (let index = this.#at; index < this.#tokens.length; index++) {
      const text = this.#tokens[index]!;
      if (text === "(" || text === "{") depth++;
      else if ((text === ")" || text === "}") && --depth === 0) return this.#tokens[index + 1] === wanted;
    }
    return false;
  }

  /** Only the first digit, as in TeX. */
  #digit(): string {
    const text = this.#next();
    if (!/^\d./u.test(text)) return text;
    this.#tokens[--this.#at] = text.slice(1);
    return text[0]!;
  }

  #argument(): Expression {
    if (/^\d/u.test(this.#peek)) return Number(this.#digit());
    if (["+", "-", "^", "_", "!", ")", "]", "}", "|", "/"].includes(this.#peek)) throw new Malformed();
    return this.#atom();
  }

  #atom(): Expression {
    bounded(this.#depth++, 0);
    const json = this.#primary(this.#next());
    this.#depth--;
    return json;
  }

  #primary(text: string): Expression {
    if (/^\.?\d/u.test(text)) return numberOf(text);
    if (text === "{") return this.#group();
    const bracket = brackets[text];
    if (bracket) return this.#inside(bracket[0], bracket[1]);
    if (text === "|") {
      this.#bars++;
      const json = this.#sum();
      this.#expect("|");
      this.#bars--;
      return ["Abs", json];
    }
    if (text === "\\frac") return this.#derivative() ?? ["Divide", this.#argument(), this.#argument()];
    if (text === "\\binom") return ["Binomial", this.#argument(), this.#argument()];
    if (text === "\\sqrt") return this.#root();
    if (text.startsWith("\\begin{")) return this.#matrix(text.slice(7, -1));
    if (text in functions) return this.#function(text);
    if (text in lists) return this.#list(text);
    if (text in big) return this.#big(big[text]!);
    if (accents.has(text)) return [/^\\(?:overline|bar)$/u.test(text) ? "Conjugate" : text, this.#argument()];
    if (text === "\\mathbb") return this.#rawTokens().join("") === "R" ? "RealNumbers" : "Blackboard";
    if (/^\\(?:text|operatorname)$/u.test(text)) return `'${this.#rawTokens().join("")}'`;
    const registry = symbols[text];
    if (registry !== undefined) return registry;
    if (reserved.has(text) || !/^(?:\p{L}|\\[a-zA-Z]+)$/u.test(text)) throw new Malformed();
    return text.replace("\\", "");
  }

  #group(): Expression {
    return this.#apart(() => {
      const json = this.#sum();
      const all: Expression = this.#take("\\choose") ? ["Binomial", json, this.#sum()] : json;
      this.#expect("}");
      return all;
    });
  }

  #inside(close: string, head: string): Expression {
    return this.#apart(() => {
      const items = this.#items();
      this.#expect(close);
      return head === "Sequence" && items.length === 1 ? items[0]! : called(head, ...items);
    });
  }

  #items(): Expression[] {
    const items = [this.#sum()];
    while (this.#take(",") || this.#take(";")) items.push(this.#sum());
    return items;
  }

  /** Outer bars do not close inner ones. */
  #apart(parse: () => Expression): Expression {
    const bars = this.#bars;
    this.#bars = 0;
    const json = parse();
    this.#bars = bars;
    return json;
  }

  #root(): Expression {
    if (!this.#take("[")) return ["Root", this.#argument(), 2];
    const degree = this.#sum();
    this.#expect("]");
    return ["Root", this.#argument(), degree];
  }

  #function(command: string): Expression {
    let base: Expression | null = null;
    let power: Expression | null = null;
    for (;;) {
      if (command === "\\log" && base === null && this.#take("_")) base = this.#argument();
      else if (power === null && this.#take("^"))
        power = this.#take("-") ? ["Negate", this.#argument()] : this.#argument();
      else break;
    }
    const ofAngle = angular.has(command) ? 1 : 0;
    this.#angles += ofAngle;
    const argument =
      (this.#peek === "(" || this.#peek === "{") && !this.#closesBefore("\\degree")
        ? this.#atom()
        : this.#implicit(true);
    this.#angles -= ofAngle;
    return applied(command, argument, base, power);
  }

  #matrix(name: string): Expression {
    if (!/^(?:[pbv]?matrix|smallmatrix|array)$/u.test(name)) throw new Malformed();
    if (name === "array" && this.#peek === "{") this.#rawTokens().join("");
    const rows: Expression[][] = [];
    this.#apart(() => {
      while (!this.#take(`\\end{${name}}`)) {
        const row = [this.#sum()];
        while (this.#take("&")) row.push(this.#sum());
        rows.push(row);
        if (!this.#take("\\\\") && !this.#take("\\cr") && this.#peek !== `\\end{${name}}`) throw new Malformed();
      }
      return 0;
    });
    const matrix: Expression = ["Matrix", ...rows.map((row): Expression => ["Row", ...row])];
    return name === "vmatrix" ? ["Det", matrix] : matrix;
  }

  #list(command: string): Expression {
    const [head, count] = lists[command] as readonly [string, number];
    const curly = this.#take("\\{");
    if (!curly) this.#expect("(");
    return this.#apart(() => {
      const items = this.#items();
      this.#expect(curly ? "\\}" : ")");
      return count === 0 || items.length === count ? called(head, ...items) : [command, ...items];
    });
  }

  #big(head: string): Expression {
    const limits = new Map<string, readonly string[]>();
    while (this.#peek === "_" || this.#peek === "^") limits.set(this.#next(), this.#rawTokens());
    const [below = [], above = []] = [limits.get("_"), limits.get("^")];
    const unknown = (body: Expression): Expression => [
      head,
      body,
      ...[...limits].map(([sign, tokens]) => `'${sign}${tokens.join("")}'`).toSorted(),
    ];
    if (head === "Integrate") {
      const taken = this.#integrand();
      if (!taken) return unknown(this.#implicit());
      const [from, to] = [this.#within(below), this.#within(above)];
      return from === null || to === null
        ? [...(unknown(taken[0]) as Expression[]), taken[1]]
        : [head, ...taken, from, to];
    }
    const body = head === "Product" ? this.#implicit() : this.#product();
    const [name = "", sign = ""] = below;
    const named = /^[a-zA-Z]$/u.test(name) && sign === (head === "Limit" ? "\\to" : "=");
    const from = named ? this.#within(below.slice(2)) : null;
    const to = head === "Limit" ? undefined : this.#within(above);
    if (from === null || to === null) return unknown(body);
    return [head, body, `'${name}'`, from, ...(to === undefined ? [] : [to])];
  }

  /** Integrand of `dx`; takes nothing without `dx`. */
  #integrand(): readonly [Expression, string] | null {
    let depth = 0;
    for (let index = this.#at; index + 1 < this.#tokens.length && depth >= 0; index++) {
      const text = this.#tokens[index]!;
      if ("([{".includes(text)) depth++;
      else if (")]}".includes(text)) depth--;
      const name = this.#tokens[index + 1]!;
      if (text !== "d" || depth !== 0 || !/^[a-zA-Z]$/u.test(name)) continue;
      const body = index === this.#at ? 1 : this.#within(this.#tokens.slice(this.#at, index));
      if (body === null) return null;
      this.#at = index + 2;
      return [body, `'${name}'`];
    }
    return null;
  }

  /** `\frac{d}{dx}` after its fraction command. */
  #derivative(): Expression | null {
    const [open, d, close, begin, again, name = "", end] = this.#tokens.slice(this.#at, this.#at + 7);
    if (`${open}${d}${close}${begin}${again}${end}` !== "{d}{d}" || !/^[a-zA-Z]$/u.test(name)) return null;
    this.#at += 7;
    return ["D", this.#implicit(), `'${name}'`];
  }

  /** Null if malformed. */
  #within(tokens: readonly string[]): Expression | null {
    const inner = new Parser(tokens.join(" "));
    inner.#depth = this.#depth + 1;
    bounded(inner.#depth, 0);
    inner.#angles = this.#angles;
    try {
      return tokens.length === 0 ? null : inner.whole();
    } catch (error) {
      if (error instanceof Malformed) return null;
      throw error;
    }
  }
}

/** Too many digits for floats stay text. */
function numberOf(digits: string): Expression {
  const exact = digits.length > 15 && !/e/iu.test(digits);
  return exact ? { num: digits.replace(/^\./u, "0.") } : Number(digits);
}

/** Evaluation is recursive. */
const deepest = 100;
function bounded(depth: number, json: Expression): Expression {
  if (depth > deepest) throw new Malformed();
  return json;
}
