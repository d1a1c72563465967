import { randomFromSeed, type Random } from "@laconic/core";

export interface TemplateCase {
  readonly template: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly variables: Readonly<Record<string, unknown>>;
}

type Kind = "text" | "integer" | "float" | "boolean" | "list" | "dict" | "any";

const texts = [
  "",
  "a",
  "Hi there",
  "it's",
  'say "x"',
  "a,b,,c",
  "  padded \t",
  "x\n\ny\r\nz",
  "ÉCOLE ß ǆ ﬁ",
  "Σίσυφος",
  "👍🏽 ok",
  "\u00a0\u2028\u200b",
  "12",
  "-3.5e2",
  "0x1F",
  "<b>&'</b>",
  "%s of %d",
  "{} and {0}",
  "back\\slash\\n",
  "xxabcxx",
  "HELLO world-foo (bar) [baz]",
  "²½",
] as const;
const names = ["x", "y", "ns", "items", "messages", "tools", "flag", "count", "unknown", "info"] as const;

class Grammar {
  readonly #random: Random;
  #loops = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  integer(limit: number): number {
    return this.#random.integer(limit);
  }

  pick<T>(options: readonly T[]): T {
    return options[this.integer(options.length)] as T;
  }

  pickOf(options: string): string {
    return this.pick(options.split("; "));
  }

  chance(percent: number): boolean {
    return this.integer(100) < percent;
  }

  literal(text: string): string {
    const quote = this.pick(["'", '"']);
    const body = text.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
    return quote + (this.chance(50) ? body.replaceAll("\n", "\\n") : body).replaceAll("\r", "\\r") + quote;
  }

  expression(kind: Kind, depth: number): string {
    if (depth <= 0) return this.#atom(kind);
    if (this.chance(2)) return this.expression("any", depth - 1);
    const inner = (wanted: Kind = kind): string => this.expression(wanted, depth - 1);
    const shared: (() => string)[] = [
      () => this.#atom(kind),
      () => `(${inner()})`,
      () => `(${inner()} if ${inner("boolean")} else ${inner()})`,
      () => `(${inner()} if ${inner("boolean")})`,
      () => `(${inner()} ${this.pick(["or", "and"])} ${inner()})`,
      () => `(${inner()}|default(${inner()}${this.pick(["", ", true"])}))`,
      () => `([${inner()}, ${inner()}]|${this.pick(["first", "last"])})`,
      () => `{'k': ${inner()}}${this.pick([".k", "['k']", ".get('k')", ".get('z', 1)", ".z"])}`,
      () => `[${inner()}, ${inner()}][${this.pick(["0", "1", "-1", "2", "-2"])}]`,
    ];
    const own: Readonly<Record<Kind, (() => string)[]>> = {
      text: this.#texts(inner),
      integer: this.#integers(inner),
      float: this.#floats(inner),
      boolean: this.#booleans(inner),
      list: this.#lists(inner),
      dict: this.#dicts(inner),
      any: [() => inner(this.pick(["text", "integer", "float", "boolean", "list", "dict"]))],
    };
    const options = own[kind];
    return this.chance(25) ? this.pick(shared)() : this.pick(options)();
  }

  #atom(kind: Kind): string {
    switch (kind) {
      case "text":
        return this.pick([
          () => this.literal(this.pick(texts)),
          () => this.literal(this.pick(texts)),
          () => "messages[0].content",
          () => `messages[${this.integer(2) - 1}]['content']`,
          () => "messages[-1].role",
          () => "x",
          () => "'a' 'b'",
        ])();
      case "integer":
        return this.pick(["0", "1", "2", "3", "7", "-4", "10", "1_000", "count", "messages|length"]);
      case "float":
        return this.pickOf("0.5; 1.0; -2.5; 1e16; 1e15; 0.1; 1e-5; 0.0001; 3.14159; 123456.789; 2.675; -0.0; 1.5e300");
      case "boolean":
        return this.pickOf(
          "true; false; True; flag; add_generation_prompt; not flag; tools is none; unknown is defined",
        );
      case "list":
        return this.pickOf(
          "[1, 2, 3]; []; items; messages; ['b', 'A', 'c']; [3, 1.5, true]; (1, 'x'); (1,); (range(4)|list); [none, [1, {}], 'é']; ()",
        );
      case "dict":
        return this.pickOf("info; {}; {'b': 1, 'a': [2]}; messages[0]; {1: 'x', 'k': none}; {'é': 1.0, 'q': '\"'}");
      case "any":
        return this.pickOf(`none; unknown; x; ns.total; ${this.pick(names)}; info.missing; messages[9]; info.name`);
    }
  }

  #texts(inner: (kind?: Kind) => string): (() => string)[] {
    const method = (name: string, ...args: readonly string[]): string => `${inner()}.${name}(${args.join(", ")})`;
    const separator = (): string => this.literal(this.pick([",", " ", "a", "\n", "ab", ""]));
    return [
      () => `${inner()} ~ ${inner("any")}`,
      () => `(${inner()} + ${inner()})`,
      () => `${inner()} * ${this.pick(["0", "2", "-1"])}`,
      () => method(this.pick(["upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip"])),
      () => method(this.pick(["strip", "lstrip", "rstrip"]), this.literal(this.pick(["x", "ab", " \n", "", "é"]))),
      () =>
        method(
          "replace",
          separator(),
          this.literal(this.pick(["", "-", "é"])),
          ...this.pick([[], ["1"], ["-1"], ["0"]]),
        ),
      () => method(this.pick(["removeprefix", "removesuffix"]), separator()),
      () => `${separator()}.join(${this.pick(["['p', 'q']", "'xyz'", "messages|map(attribute='role')", "[1]"])})`,
      () => `${inner()}[${this.pick(["0", "-1", ":2", "1:", "::-1", "::2", "-3:-1", "5", ":"])}]`,
      () =>
        `(${inner()}|${this.pick(["upper", "lower", "title", "capitalize", "trim", "reverse", "string", "indent", "first", "last"])})`,
      () =>
        `(${inner()}|${this.pick(["trim('x')", "indent(2)", "indent(1, true)", "indent('> ', first=true, blank=true)", "replace('a', 'b')", "replace('a', 'b', 1)"])})`,
      () =>
        `(${inner("any")}|${this.pick(["string", "tojson", "tojson(indent=2)", "tojson(ensure_ascii=true)", "tojson(separators=(',', ':'))"])})`,
      () => `(${inner("list")}|join(${this.pick(["", separator(), "', ', attribute='role'"])}))`,
      () => `'{} {}'.format(${inner("any")}, ${inner()})`,
      () => `'{a}{b}'.format(a=${inner("any")}, b=${inner()})`,
    ];
  }

  #integers(inner: (kind?: Kind) => string): (() => string)[] {
    return [
      () => `(${inner()} ${this.pick(["+", "-", "*", "//", "%"])} ${inner()})`,
      () => `-${inner()}`,
      () => `+${inner()}`,
      () => `(${inner(this.pick(["list", "text", "dict"]))}|${this.pick(["length", "count"])})`,
      () => `(${inner("any")}|int${this.pick(["", "(7)"])})`,
      () => `(${inner("float")}|int)`,
      () => `${inner("text")}.${this.pick(["count('a')", "find('a')", "rfind('a')"])}`,
      () => `${inner("list")}.${this.pick(["count(1)", "index(1)"])}`,
      () => "(info|length)",
    ];
  }

  #floats(inner: (kind?: Kind) => string): (() => string)[] {
    return [
      () => `(${inner()} ${this.pick(["+", "-", "*", "/"])} ${inner(this.pick(["float", "integer"]))})`,
      () => `(${inner("integer")} / ${inner("integer")})`,
      () => `-${inner()}`,
    ];
  }

  #booleans(inner: (kind?: Kind) => string): (() => string)[] {
    const kind = this.pick(["text", "integer", "float"] as const);
    return [
      () => `not ${inner()}`,
      () => `(${inner(kind)} ${this.pick(["==", "!=", "<", "<=", ">", ">="])} ${inner(kind)})`,
      () => `(${inner("list")} ${this.pick(["==", "!="])} ${inner("list")})`,
      () => `(${inner("integer")} < ${inner("float")} <= ${inner("integer")})`,
      () => `(${inner("any")} ${this.pick(["==", "!="])} ${inner("any")})`,
      () => `(${inner("text")} ${this.pick(["in", "not in"])} ${inner(this.pick(["text", "dict", "list"]))})`,
      () =>
        `(${inner("any")} is ${this.pick(["", "not "])}${this.pick(["defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "mapping", "sequence", "iterable", "callable", "true", "false"])})`,
      () =>
        `(${inner("integer")} is ${this.pick(["odd", "even", "divisibleby 3", "divisibleby(2)", "eq 2", "gt 1", "ge(3)", "lessthan 5", "in [1, 2]"])})`,
      () => `(${inner("text")} is ${this.pick(["equalto 'a'", "in 'abc'", "string", "ne 'a'"])})`,
      () =>
        `${inner("text")}.${this.pick(["startswith('a')", "endswith(('c', ' '))", "startswith(('x', 'H'))", "isspace()", "isascii()"])}`,
    ];
  }

  #lists(inner: (kind?: Kind) => string): (() => string)[] {
    return [
      () => `[${inner("any")}, ${inner("any")}]`,
      () => `(${inner("any")}, ${inner("any")})`,
      () => `([${inner("any")}] + [${inner("any")}])`,
      () => `${inner()}[${this.pick([":1", "1:", "::-1", "-2:", "::2", ":-1"])}]`,
      () =>
        `${inner("text")}.${this.pick(["split()", "split(',')", "split(' ', 1)", "rsplit(None, 1)", "rsplit('a', 1)", "splitlines()", "split('')"])}`,
      () => `(${inner(this.pick(["list", "text", "dict"]))}|list)`,
      () =>
        `(${inner()}|${this.pick(["sort", "sort(reverse=true)", "reverse|list", "select|list", "reject|list", "select('string')|list", "reject('none')|list", "map('string')|list", "map('upper')|list", "map('length')|list", "map('default', 1)|list", "select('gt', 1)|list"])})`,
      () =>
        `(messages|${this.pick(["map(attribute='role')|list", "selectattr('role', 'equalto', 'user')|list", "rejectattr('role', 'in', ['user'])|list", "selectattr('content')|list", "sort(attribute='role')", "map(attribute='zzz', default='d')|list", "map(attribute='content')|map('length')|list", "map('items')|map('list')|list"])})`,
      () => `(${inner("dict")}|${this.pick(["dictsort", "items|list", "list", "dictsort(reverse=true)"])})`,
      () => `${inner("dict")}.${this.pick(["items()", "keys()", "values()", "items()|list", "keys()|sort"])}`,
      () => `(range(${this.pick(["3", "1, 4", "5, 0, -2", inner("integer")])})|list)`,
      () => `${inner()} * 2`,
    ];
  }

  #dicts(inner: (kind?: Kind) => string): (() => string)[] {
    return [
      () => `{${this.literal(this.pick(["a", "items", "é"]))}: ${inner("any")}, 'n': ${inner("any")}}`,
      () => `dict(a=${inner("any")}, b=${inner("any")})`,
      () => `dict(${inner()}, z=${inner("any")})`,
      () => `dict(${inner()}.items())`,
      () => `{${inner("integer")}: ${inner("text")}, true: 1}`,
      () => `${inner()}.copy()`,
    ];
  }

  body(depth: number, count: number): string {
    return Array.from({ length: 1 + this.integer(count) }, () => this.statement(depth)).join("");
  }

  #tag(content: string): string {
    return `{%${this.pick(["", "", "", "-", "+"])} ${content} ${this.pick(["", "", "", "-", "+"])}%}`;
  }

  statement(depth: number): string {
    const kind = this.pick(["any", "text", "integer", "float", "boolean", "list", "dict"] as const);
    const simple: (() => string)[] = [
      () => this.pick(["text ", "\n", "  \n  ", " a\n", "<|im_start|>", "}", "{ ", "% }"]),
      () => this.pick(["\n", "  ", "\n   ", ""]),
      () => this.#output(kind),
      () => this.#output(kind),
      () => this.#output(kind),
      () => this.pick(["{# note #}", "{#- note -#}", "  {# note #}\n"]),
      () => this.pick(["{% raw %}{{ x }}{% endraw %}", "{%- raw -%} {% if %} {%- endraw -%}"]),
      () => this.#tag(`set ${this.pick(["x", "y", "items", "count", "messages"])} = ${this.expression(kind, 2)}`),
      () => this.#tag(`set ns = namespace(total=${this.expression("integer", 1)})`),
      () => this.#tag("set x, y = 1, 'two'"),
      ...(this.#loops > 0
        ? [
            () =>
              this.#output(
                "any",
                this.pickOf(
                  "loop.index; loop.index0; loop.revindex; loop.revindex0; loop.first; loop.last; loop.length; loop.previtem; loop.nextitem; loop.cycle('a', 'b'); item; loop.previtem is defined; loop.nextitem == item",
                ),
              ),
            () => this.#tag("break"),
            () => this.#tag("continue"),
            () =>
              `${this.#tag(`if ${this.expression("boolean", 1)}`)}${this.pick(["", "c"])}${this.#tag(this.pick(["continue", "break"]))}${this.#tag("endif")}`,
          ]
        : []),
    ];
    if (depth <= 0) return this.pick(simple)();
    return this.chance(45) ? this.pick(simple)() : this.pick(this.#blocks(depth))();
  }

  #output(kind: Kind, content = this.expression(kind, 3)): string {
    return `{{${this.pick(["", "", "-"])} ${content} ${this.pick(["", "", "-"])}}}`;
  }

  #blocks(depth: number): (() => string)[] {
    const body = (): string => this.body(depth - 1, 3);
    const outside = (write: () => string): string => {
      const loops = this.#loops;
      this.#loops = 0;
      const text = write();
      this.#loops = loops;
      return text;
    };
    const loop = (head: string, rest = ""): string => {
      this.#loops++;
      const inside = body();
      this.#loops--;
      return `${this.#tag(head)}${inside}${rest}${this.#tag("endfor")}`;
    };
    const condition = (): string => this.expression("boolean", 2);
    return [
      () => `${this.#tag(`if ${condition()}`)}${body()}${this.#tag("endif")}`,
      () =>
        `${this.#tag(`if ${condition()}`)}${body()}${this.#tag(`elif ${condition()}`)}${body()}${this.#tag("else")}${body()}${this.#tag("endif")}`,
      () => loop(`for item in ${this.expression("list", 2)}`),
      () => loop("for item in messages"),
      () => loop("for m in messages", this.#output("any", "m.role")),
      () =>
        loop(
          `for item in ${this.expression("list", 1)} if ${this.pick(["item", "item is string", "flag", "item != 1"])}`,
        ),
      () => loop(`for item in ${this.expression("list", 1)}`, `${this.#tag("else")}none`),
      () => loop(`for x, y in ${this.pick(["info.items()", "info|dictsort", "[(1, 2), (3, 4)]", "[[1, 2]]"])}`),
      () =>
        `${this.#tag("set ns = namespace(total=0)")}${loop("for item in range(3)", this.#tag("set ns.total = ns.total + item"))}{{ ns.total }}`,
      () =>
        `${this.#tag(`set ${this.pick(["x", "y"])}${this.pick(["", " | upper", " | trim | length"])}`)}${outside(body)}${this.#tag("endset")}`,
      () =>
        `${this.#tag(`filter ${this.pick(["upper", "trim", "indent(2)", "replace('a', 'b')", "title"])}`)}${outside(body)}${this.#tag("endfilter")}`,
      () => `${this.#tag("generation")}${outside(body)}${this.#tag("endgeneration")}`,
      () => {
        const parameters = this.pick(["a, b=2", "a", "", "a, b=a", "x", "a=x, b=none"]);
        const uses = this.pick(["", "{{ caller() }}", "{{ a }}", "{{ a }}{{ b }}"]);
        const call = this.pick(["m(1)", "m()", "m(1, 2)", "m(a=1)", "m(1, b='q')", "m(1, 2, 3)", "m(1, z=3)"]);
        return `${this.#tag(`macro m(${parameters})`)}${uses}${outside(body)}${this.#tag("endmacro")}${this.pick([`{{ ${call} }}`, `${this.#tag(`call ${call}`)}in${this.#tag("endcall")}`, `{{ ${call}|trim|length }}`])}`;
      },
      () =>
        `${this.#tag("macro w(v)")}<{{ caller(v) }}>${this.#tag("endmacro")}${this.#tag(`call(q) w(${this.expression("any", 1)})`)}${outside(body)}{{ q }}${this.#tag("endcall")}`,
    ];
  }
}

export function templateCase(seed: string): TemplateCase {
  const grammar = new Grammar(randomFromSeed(seed));
  const roles = ["system", "user", "assistant", "tool"];
  return {
    template: `${grammar.chance(90) ? "{% set ns = namespace(total=1) -%}" : ""}${grammar.body(3, 4)}`,
    messages: Array.from({ length: 1 + grammar.integer(4) }, () => ({
      role: grammar.pick(roles),
      content: grammar.pick(texts),
    })),
    variables: {
      x: grammar.pick<unknown>(["ex", 3, null, ["l", 1], { k: "v" }, 0.25, true, ""]),
      items: grammar.pick<unknown>([[1, "two", null], ["b", "a", "B"], [], [3, 1, 2, 1], [{ role: "user", n: 1 }]]),
      flag: grammar.chance(50),
      count: grammar.integer(5),
      info: grammar.pick<unknown>([
        { b: 1, a: "x" },
        {},
        { name: "f", parameters: { type: "object", required: ["q"] } },
      ]),
    },
  };
}
