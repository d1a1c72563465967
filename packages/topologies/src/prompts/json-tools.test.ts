import { expect, test } from "vitest";
import { jsonTools, llamaTools } from "./json-tools.ts";

const tool = { name: "add", description: "adds", parameters: { type: "object" } };
const asked = [
  { role: "user", content: "1+1?" },
  { role: "assistant", content: "", calls: [{ name: "add", arguments: '{"a":1}' }] },
  { role: "tool", content: "2" },
] as const;

test("lines of JSON: calls in parallel, other lines stay content", () => {
  const text = 'Let me see.\n{"name": "add", "arguments": {"a": 1}}\n {"name": "add"}\n{"name": 3}\n{oops';
  expect(jsonTools().read(text)).toEqual({
    content: 'Let me see.\n{"name": 3}\n{oops',
    calls: [
      { name: "add", arguments: '{"a":1}' },
      { name: "add", arguments: "{}" },
    ],
    malformed: 1,
  });
  expect(jsonTools().read("no call\n")).toEqual({ content: "no call\n", calls: [] });
  const [system, , call, answer] = jsonTools().write(asked, [tool]);
  expect(system?.content).toContain(JSON.stringify(tool));
  expect(call?.content).toBe('{"name": "add", "arguments": {"a":1}}');
  expect(answer).toEqual({ role: "user", content: "2" });
  expect(jsonTools({ tells: false }).write(asked, [tool])).toHaveLength(3);
});

test("Llama 3: one call is the whole reply; answers have the role tool", () => {
  const call = '{"name": "add", "parameters": {"a": 1}}';
  expect(llamaTools().read(` ${call}\n`)).toEqual({ content: "", calls: [{ name: "add", arguments: '{"a":1}' }] });
  expect(llamaTools().read(`I call ${call}`).calls).toEqual([]);
  const written = llamaTools().write(asked, [tool]);
  expect(written[0]?.content).toMatch(/^Given the following functions[^]*"add"[^]*\n\n1\+1\?$/);
  expect(written.slice(1)).toEqual([
    { role: "assistant", content: '{"name": "add", "parameters": {"a":1}}' },
    { role: "tool", content: "2" },
  ]);
});

test.each([
  [
    jsonTools(),
    '<think>\n{"name": "add"}\n</think>\n{"name": "add", "parameters": {"id": 9007199254740993}}',
    1,
    undefined,
  ],
  [jsonTools(), '{"name": "add", "arguments": {', 0, 1],
  [jsonTools(), '{"x": 1}', 0, undefined],
  [
    llamaTools(),
    '<think>x</think>\n<|python_tag|>{"name": "add", "arguments": {"id": 9007199254740993}}',
    1,
    undefined,
  ],
  [
    llamaTools(),
    '{"name": "add", "parameters": {"id": 9007199254740993}}; {"name": "add", "parameters": "{}"}',
    2,
    undefined,
  ],
  [llamaTools(), '<think>{"name": "add", "parameters": {}}', 0, undefined],
  [llamaTools(), '{"name": "add", "parameters": {"a": 1}', 0, 1],
])("%o reads %j as %i calls, %s malformed", (format, text, count, broken) => {
  const { calls, malformed } = format.read(text);
  expect([calls.length, malformed]).toEqual([count, broken]);
  expect(calls.slice(0, 1).map((call) => call.arguments)).toEqual(count === 0 ? [] : ['{"id":9007199254740993}']);
});
