import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { dateText } from "../date-text.ts";
import { Template } from "./template.ts";
import { fromJson } from "./values.ts";

const messages = fromJson([
  { role: "system", content: "sys" },
  { role: "user", content: "Hi 'you'" },
  { role: "assistant", content: "é👍 ß" },
]);
const render = (source: string): string => new Template(source).render({ messages });

// Texts are what transformers 5.18 renders; the random templates of the parity test cover the rest.
test.each([
  [
    "{{ true }} {{ none }} {{ [1.0, 'a\"b', (2,), {'k': none}] }} {{ \"it's\" }} {{ [\"it's\"] }}",
    "True None [1.0, 'a\"b', (2,), {'k': None}] it's [\"it's\"]",
  ],
  [
    "{{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ -0.0 }} {{ 0/-2 }} {{ 9007199254740993 }}",
    "1e+16 1000000000000000.0 1e-05 0.0001 -0.0 -0.0 9007199254740993",
  ],
  [
    "{{ -7 // 2 }} {{ -7 % 3 }} {{ 7.5 / -2 }} {{ 2 * -2 }} {{ 1 ~ 2 * 3 }} {{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }}",
    "-4 2 -3.75 -4 16 True False",
  ],
  [
    "{{ messages[0] }} {{ messages[::-1][0].content[1] }} {{ messages[2].content[::-1] }}",
    "{'role': 'system', 'content': 'sys'} 👍 ß 👍é",
  ],
  [
    "{% for m in messages %}{{ m.role }}{% continue %}{% else %} no body ended{% endfor %}",
    "systemuserassistant no body ended",
  ],
  [
    "{% for m in messages %}{{ m.role }}{% if loop.index == 2 %}{% break %}{% endif %};{% else %}no{% endfor %}",
    "system;user",
  ],
  ["{% for m in messages %}{{ x }}{% set x = loop.index %}{{ x }}{% endfor %}{{ x is defined }}", "123False"],
  ["{% for i in [1] %}{{ messages|length }}{% endfor %}{% set messages = [] %}", "0"],
  ["{% macro m() %}{{ messages|length }}{% endmacro %}{{ m() }}{% set messages = [] %}", "0"],
  [
    "{% macro f(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }} {{ f(1, b=2) }} {{ f(b=2, a=1) }} {{ f() }}",
    "11 12 12 ",
  ],
  ["{{ ('<' | safe) ~ 'x' }} {{ dict(*[[(1, 2)]]) }}", "<x {1: 2}"],
  ["{% macro f(v) %}<{{ caller(v) }}>{% endmacro %}{% call(q) f(3) %}in {{ q }}{% endcall %}", "<in 3>"],
  [
    "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + loop.index %}{% endfor %}{{ ns.n }} {{ ns }}",
    "6 <Namespace {'n': 6}>",
  ],
  [
    "{% set x %}a{{ 1 }}{% endset %}{% set y | upper %}{{ x }}b{% endset %}{{ y }}{% filter title %}q r{% endfilter %}",
    "A1BQ R",
  ],
  [
    "{{ messages|map(attribute='zz', default=0)|list }} {{ [3, 1, 2]|sort(reverse=true) }} {{ {'b': 1, 'A': 2}|dictsort }}",
    "[0, 0, 0] [3, 2, 1] [('A', 2), ('b', 1)]",
  ],
  [
    "{{ {'b': 1, 'a': '<é>'}|tojson }} {{ [1.0, none]|tojson(indent=1) }} {{ 'é'|tojson(ensure_ascii=true) }}",
    '{"b": 1, "a": "<é>"} [\n 1.0,\n null\n] "\\u00e9"',
  ],
  [
    "{{ ' 10 '|int }} {{ 'x'|int(3) }} {{ 2.9|int }} {{ 'ab c'|title }} {{ 'a\\nb'|indent(2) }} {{ 'x'|default('d') }}{{ y|default('d') }}",
    "10 3 2 Ab C a\n  b xd",
  ],
  [
    "{{ 'a,b,c'.rsplit(',', 1) }} {{ ' a  b '.split() }} {{ 'xxax'.strip('x') }} {{ 'aaa'.replace('a', 'b', 2) }} {{ \"it's dz\".title() }}",
    "['a,b', 'c'] ['a', 'b'] a bba It'S Dz",
  ],
  ["{{ 'abc'.startswith(('x', 'a')) }} {{ '{}|{k}'.format(1, k='q') }} {{ 'Σας ΟΔΟΣ'.lower() }}", "True 1|q σας οδος"],
  ["{{ [].append is defined }} {{ dict(a=1).get('b') }} {{ {1: 'a', true: 'b'} }}", "False None {1: 'b'}"],
  ["  {% if true %}\n  x\n  {%- endif %}\n\t{# c #}\n y {{ 1 }}\r\nz\n\n", "  x y 1\nz\n"],
  ["{%+ if true -%}\n a {% raw -%} {{ b }} {%- endraw +%}\n c{% endif +%}\n", "a {{ b }}\n c"],
  ["a\n  {{- ' b' -}}\n c", "a bc"],
])("renders %j", (source, text) => expect(render(source)).toBe(text));

/** Code and message of the error that an action throws. */
function thrownBy(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (LaconicError.is(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "nothing";
}

test.each([
  ["{{ messages.append(1) }}", "input_invalid: access to attribute 'append' of 'list' object is unsafe."],
  ["{{ x.y }}", "input_invalid: 'x' is undefined"],
  ["{{ range(100001) }}", "input_invalid: a range of 100001 elements is too long"],
  ["{{ 'a' * 10000000000 }}", "input_invalid: a sequence of 10000000000 elements is too long"],
  ["{{ raise_exception('no system role') }}", "input_invalid: no system role"],
  ["{% for %}", "model_unsupported: the chat template cannot be parsed: line 1: expected an expression"],
  ["\n{{ 1 +\n }}", "model_unsupported: the chat template cannot be parsed: line 3: expected an expression, got }}"],
  ["{% continue %}", "model_unsupported: the chat template cannot be parsed: line 1: continue outside of a loop"],
  ["{{ 1|nope }}", "model_unsupported: the chat template cannot be parsed: no filter named nope"],
  ["{% include 'x' %}", "model_unsupported: the chat template uses the tag include, which is not supported"],
  ["{{ ''|urlize }}", "model_unsupported: the chat template uses the filter urlize, which is not supported"],
  ["{{ ''.casefold() }}", "model_unsupported: the chat template uses the method str.casefold, which is not supported"],
  ["{{ messages.index }}", "model_unsupported: the chat template uses the printed form of a function"],
  ["{{ ('<'|safe) + 'x' }}", "model_unsupported: the chat template uses a Markup string other than for printing"],
  ["{{ '\\N{DASH}' }}", "model_unsupported: the chat template uses the escape \\N in a string"],
  ["{{ 5[1:2] }}", "model_unsupported: the chat template uses a slice of a int"],
  ["{{ 2 ** 0.5 }}", "model_unsupported: the chat template uses the operator ** with a float"],
  ["{{ 10 ** 2 }}", "model_unsupported: the chat template uses the operator **"],
  ["{% for i in [1] recursive %}{% endfor %}", "model_unsupported: the chat template uses a recursive loop"],
  ["{% with x = 1 %}{% endwith %}", "model_unsupported: the chat template uses the tag with"],
  ["{% macro f() %}{{ varargs }}{% endmacro %}", "model_unsupported: the chat template uses the variable varargs"],
  ["{{ dict(**messages[0]) }}", "model_unsupported: the chat template uses ** in a call"],
  [
    "{% set x | indent(n) %}{% endset %}",
    "model_unsupported: the chat template uses a variable in the filter of a block",
  ],
  [
    "{% for i in [1] %}{% filter upper %}{% break %}{% endfilter %}{% endfor %}",
    "model_unsupported: the chat template uses break inside a set or filter block",
  ],
  ["{% for i in [1] %}{{ loop.changed(i) }}{% endfor %}", "model_unsupported: the chat template uses loop.changed"],
  ["{{ messages|groupby('role') }}", "model_unsupported: the chat template uses the filter groupby"],
  ["{{ 2.5|round }}", "model_unsupported: the chat template uses the filter round"],
  ["{{ '1_0'|int }}", 'model_unsupported: the chat template uses the string "1_0" as an int'],
  ["{{ 'a' is upper }}", "model_unsupported: the chat template uses the test upper"],
  ["{{ 'ǆ'.title() }}", "model_unsupported: the chat template uses title case beyond ASCII"],
  ["{{ 'a'.find('a', 1) }}", "model_unsupported: the chat template uses find with 2 arguments"],
  ["{{ '{:>4}'.format(1) }}", 'model_unsupported: the chat template uses the format string "{:>4}"'],
  ["{{ '%s' % 1 }}", "model_unsupported: the chat template uses % formatting of a string"],
  ["{{ [1] < [2] }}", "model_unsupported: the chat template uses < of a list"],
  ["{{ cycler(1) }}", "model_unsupported: the chat template uses the function cycler"],
  ["{{ 0x10 }}", "model_unsupported: the chat template uses the number 0x10"],
  ["{{ (1).real }}", "model_unsupported: the chat template uses the member real of a int"],
])("refuses %j by name", (source, message) => expect(thrownBy(() => render(source))).toContain(message));

test("an unknown filter in a branch that does not run is no error, as in Jinja", () => {
  expect(render("{% if false %}{{ 1|nope }}{% endif %}ok")).toBe("ok");
});

test("the date formats of chat templates", () => {
  const date = new Date(2026, 2, 5, 14, 7, 9);
  expect(dateText(date, "%d %b %Y, %A %-d %B, %I:%M:%S %p, %H, %j, %y%m%d, %F %T %%")).toBe(
    "05 Mar 2026, Thursday 5 March, 02:07:09 PM, 14, 064, 260305, 2026-03-05 14:07:09 %",
  );
  expect(thrownBy(() => dateText(date, "%U"))).toContain("the date format %U, which is not supported");
});
