import { expect, test } from "vitest";
import { hermesTools } from "./hermes-tools.ts";

const format = hermesTools();
const wrapped = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;

test.each([
  ["plain words", "plain words", []],
  [`Let me see. ${wrapped('{"name": "f", "arguments": {"x": 1}}')}`, "Let me see.", ['f{"x":1}']],
  [wrapped('{"name": "f", "arguments": {}}') + wrapped('{"name": "g"}'), "", ["f{}", "g{}"]],
  [`${wrapped("no json")} and ${wrapped('{"name": "f", "arguments": {}}')}`, `${wrapped("no json")} and`, ["f{}"]],
  [wrapped('{"name": 7, "arguments": {}}'), wrapped('{"name": 7, "arguments": {}}'), []],
  [wrapped('{"name": "f", "arguments": [1]}'), wrapped('{"name": "f", "arguments": [1]}'), []],
  ['<tool_call>{"name": "f"', '<tool_call>{"name": "f"', []],
  [wrapped('{"name": "f", "parameters": {"x": 1}}'), "", ['f{"x":1}']],
  [wrapped('{"arguments": "{\\"id\\": 9007199254740993}", "name": "f"}'), "", ['f{"id":9007199254740993}']],
  [wrapped('{"name": "f", "arguments": "no object"}'), wrapped('{"name": "f", "arguments": "no object"}'), []],
  [wrapped('{"name": "f", "arguments": null}'), "", ["f{}"]],
  [
    wrapped('[{"name": "f"}, {"name": "g", "arguments": {"10": 1.0, "2": 1e21, "a": 0.10}}]'),
    "",
    ["f{}", 'g{"10":1.0,"2":1e21,"a":0.10}'],
  ],
  [wrapped('{"name": "f"}\n{"name": "g"}'), "", ["f{}", "g{}"]],
  [wrapped('{"name": "f", "arguments": {"x": "</tool_call> </think>"}}'), "", ['f{"x":"</tool_call> </think>"}']],
  [`<think>or ${wrapped('{"name": "f"}')}</think>4`, `<think>or ${wrapped('{"name": "f"}')}</think>4`, []],
  [
    `or ${wrapped('{"name": "f"}')}</think>${wrapped('{"name": "g"}')}`,
    `or ${wrapped('{"name": "f"}')}</think>`,
    ["g{}"],
  ],
  [`[THINK]${wrapped('{"name": "f"}')}`, `[THINK]${wrapped('{"name": "f"}')}`, []],
  [`<tool_call>{"name": "f"}${wrapped('{"name": "g"}')}`, '<tool_call>{"name": "f"}', ["g{}"]],
] as const)("parses %j as %j", (text, content, calls) => {
  const readCalls = format.read(text);
  expect(readCalls.content).toBe(content);
  expect(readCalls.calls.map((call) => call.name + call.arguments)).toEqual(calls);
});

test.each(["<tool_call>{", '<tool_call>{"', '<tool_call>[{"name": "f"},'])(
  "a hundred thousand times %j is read in one pass, and each is counted",
  (begun) => {
    const text = begun.repeat(100_000);
    const { content, calls, malformed } = format.read(text);
    expect([content === text, calls, malformed]).toEqual([true, [], 100_000]);
  },
);

test.each([
  ["<tool_call>{", 1],
  [wrapped("no json") + wrapped('{"name": "f"}'), 1],
  [wrapped('{"name": "f"}'), undefined],
  ["<think><tool_call>", undefined],
])("%j counts %s malformed calls", (text, count) => {
  expect(format.read(text).malformed).toBe(count);
});

test.each([
  ['{"10":9007199254740993,"2":1.0,"a":"\\u00e9"}', '{"10": 9007199254740993, "2": 1.0, "a": "é"}'],
  ["no json", '"no json"'],
])("the arguments %s are written as %s", (input, written) => {
  const call = { role: "assistant", content: "", calls: [{ name: "f", arguments: input }] } as const;
  expect(format.write([call], [])[0]?.content).toBe(wrapped(`{"name": "f", "arguments": ${written}}`));
});

test("the system message lists tools, with calls and results between marks", () => {
  const tools = [{ name: "f", description: "does it", parameters: { type: "object" } }];
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "go" },
    { role: "assistant", content: "", calls: [{ name: "f", arguments: '{"x":[1,2]}' }] },
    { role: "tool", content: "one" },
    { role: "tool", content: "two" },
  ] as const;
  const [system, , called, answered] = format.write(messages, tools);
  expect(system?.content).toContain("Be brief.\n\n# Tools\n\nYou may call one or more functions");
  expect(system?.content).toContain(
    '<tools>\n{"type": "function", "function": {"name": "f", "description": "does it", "parameters": {"type": "object"}}}\n</tools>',
  );
  expect(called).toEqual({ role: "assistant", content: wrapped('{"name": "f", "arguments": {"x": [1, 2]}}') });
  expect(answered).toEqual({
    role: "user",
    content: "<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>",
  });
  expect(format.read(called?.content ?? "").calls).toEqual([{ name: "f", arguments: '{"x":[1,2]}' }]);
});

test("a policy trained with its tools gets no description of them", () => {
  const messages = [{ role: "user", content: "go" }] as const;
  expect(hermesTools({ tells: false }).write(messages, [{ name: "f" }])).toEqual(messages);
  expect(format.write(messages, [])).toEqual(messages);
});
