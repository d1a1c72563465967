import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { dateText } from "./date-text.ts";
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
    "{{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ -0.0 }} {{ 0/-2 }} {{ 2**100 }} {{ 2**-1 }} {{ 9007199254740993 }}",
    "1e+16 1000000000000000.0 1e-05 0.0001 -0.0 -0.0 1267650600228229401496703205376 0.5 9007199254740993",
  ],
  [
    "{{ -7 // 2 }} {{ -7 % 3 }} {{ 7.5 // -2 }} {{ -2**2 }} {{ 2**3**2 }} {{ -1|abs }} {{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }}",
    "-4 2 -4.0 4 64 1 True False",
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
    "{% macro f(a, b=a) %}{{ a }}{{ b }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1) }}{{ f(1, 2, 3, k=4) }}{{ f }}",
    "11(){}12(3,){'k': 4}<Macro 'f'>",
  ],
  ["{% macro f(v) %}<{{ caller(v) }}>{% endmacro %}{% call(q) f(3) %}in {{ q }}{% endcall %}", "<in 3>"],
  [
    "{% for i in [1, [2, [3]]] recursive %}{% if i is iterable %}({{ loop(i) }}){% else %}{{ i }}@{{ loop.depth }}{% endif %}{% endfor %}",
    "1@1(2@2(3@3))",
  ],
  [
    "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + loop.index %}{% endfor %}{{ ns.n }} {{ ns }}",
    "6 <Namespace {'n': 6}>",
  ],
  [
    "{% set x %}a{{ 1 }}{% endset %}{% set y | upper %}{{ x }}b{% endset %}{{ y }}{% filter title %}q r{% endfilter %}",
    "A1BQ R",
  ],
  [
    "{{ messages|groupby('role') }} {{ messages|map(attribute='zz', default=0)|list }} {{ [3, 1, 2]|sort(reverse=true) }}",
    "[('assistant', [{'role': 'assistant', 'content': 'é👍 ß'}]), ('system', [{'role': 'system', 'content': 'sys'}]), ('user', [{'role': 'user', 'content': \"Hi 'you'\"}])] [0, 0, 0] [3, 2, 1]",
  ],
  [
    "{{ {'b': 1, 'a': '<é>'}|tojson }} {{ [1.0, none]|tojson(indent=1) }} {{ 'é'|tojson(ensure_ascii=true) }}",
    '{"b": 1, "a": "<é>"} [\n 1.0,\n null\n] "\\u00e9"',
  ],
  [
    "{{ 2.5|round }} {{ 2.675|round(2) }} {{ 1250|round(-2) }} {{ 42.4|round(0, 'ceil') }} {{ '0x1f'|int(base=16) }} {{ ' 1_0 '|int }}",
    "2.0 2.67 1200 43.0 31 10",
  ],
  [
    "{{ 'a,b,c'.rsplit(',', 1) }} {{ ' a  b '.split() }} {{ 'xxax'.strip('x') }} {{ 'aaa'.replace('a', 'b', 2) }} {{ \"it's ǆ\".title() }}",
    "['a,b', 'c'] ['a', 'b'] a bba It'S ǅ",
  ],
  [
    "{{ 'abc'.startswith(('x', 'a')) }} {{ '{:>4}|{!r}'.format(1, 'q') }} {{ '%s-%03d' % ('a', 7) }} {{ 'Σας ΟΔΟΣ'.lower() }}",
    "True    1|'q' a-007 σας οδος",
  ],
  [
    "{{ [].append is defined }} {{ dict(a=1).get('b') }} {{ [1, 1.0, true]|unique|list }} {{ {1: 'a', true: 'b'} }}",
    "False None [1] {1: 'b'}",
  ],
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
  ["{{ 10 ** 10000000 }}", "input_invalid: a power of a million bits is too large"],
  ["{{ raise_exception('no system role') }}", "input_invalid: no system role"],
  ["{% for %}", "model_unsupported: the chat template cannot be parsed: line 1: expected an expression"],
  ["\n{{ 1 +\n }}", "model_unsupported: the chat template cannot be parsed: line 3: unexpected"],
  ["{% continue %}", "model_unsupported: the chat template cannot be parsed: line 1: continue outside of a loop"],
  ["{{ 1|nope }}", "model_unsupported: the chat template cannot be parsed: no filter named nope"],
  ["{% include 'x' %}", "model_unsupported: the chat template uses the tag include, which is not supported"],
  ["{{ ''|urlize }}", "model_unsupported: the chat template uses the filter urlize, which is not supported"],
  ["{{ ''.casefold() }}", "model_unsupported: the chat template uses the method str.casefold, which is not supported"],
  ["{{ messages.copy }}", "model_unsupported: the chat template uses the printed form of a function"],
  ["{{ ('<'|e) ~ 'x' }}", "model_unsupported: the chat template uses a text marked as safe or escaped other than"],
  ["{{ '\\N{DASH}' }}", "model_unsupported: the chat template uses the escape \\N in a text"],
  ["{{ 5[1:2] }}", "model_unsupported: the chat template uses an invalid slice of a constant"],
  ["{{ 2 ** 0.5 }}", "model_unsupported: the chat template uses a power that is not exact"],
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
