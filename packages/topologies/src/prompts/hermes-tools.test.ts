import { expect, test } from "vitest";
import { hermesTools } from "./hermes-tools.ts";

const format = hermesTools();
const wrapped = (json: string): string => `<tool_call>\n${json}\n</tool_call>`;

test.each([
  ["plain words", "plain words", []],
  [`Let me see. ${wrapped('{"name": "f", "arguments": {"x": 1}}')}`, "Let me see.", [["f", '{"x":1}']]],
  [
    wrapped('{"name": "f", "arguments": {}}') + wrapped('{"name": "g"}'),
    "",
    [
      ["f", "{}"],
      ["g", "{}"],
    ],
  ],
  [
    `${wrapped("no json")} and ${wrapped('{"name": "f", "arguments": {}}')}`,
    `${wrapped("no json")} and`,
    [["f", "{}"]],
  ],
  [wrapped('{"name": 7, "arguments": {}}'), wrapped('{"name": 7, "arguments": {}}'), []],
  [wrapped('{"name": "f", "arguments": [1]}'), wrapped('{"name": "f", "arguments": [1]}'), []],
  ['<tool_call>{"name": "f"', '<tool_call>{"name": "f"', []],
] as const)("of %j it reads %j", (text, content, calls) => {
  const found = format.read(text);
  expect(found.content).toBe(content);
  expect(found.calls.map(({ name, arguments: given }) => [name, given])).toEqual(calls);
});

test("a hundred thousand openings without an end are read in one pass", () => {
  const text = "<tool_call>{".repeat(100_000);
  expect(format.read(text)).toEqual({ content: text, calls: [] });
});

test("tools are told in the system message, calls and answers between marks", () => {
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

test("a policy that was trained with its tools is told nothing", () => {
  const messages = [{ role: "user", content: "go" }] as const;
  expect(hermesTools({ tells: false }).write(messages, [{ name: "f" }])).toEqual(messages);
  expect(format.write(messages, [])).toEqual(messages);
});
