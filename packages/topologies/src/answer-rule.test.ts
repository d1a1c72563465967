import type { Utterance } from "@laconic/core";
import { expect, test } from "vitest";
import { answerOf, judgedBy, plurality } from "./index.ts";

function said(agent: string, text: string, turn: number): Utterance {
  return {
    agent,
    turn,
    round: 0,
    prompt: "",
    text,
    silent: text === "",
    writtenTokens: text.length + 1,
    deliveredTo: [],
    finishReason: "stop",
    model: { id: "m", weightVersion: 0 },
  };
}
const transcript = (...lines: [string, string][]): Utterance[] => lines.map(([agent, text], i) => said(agent, text, i));

test("the answer is the agent's last words, and a later silence keeps them", () => {
  const rule = answerOf("s");
  expect(rule.choose(transcript(["s", "3"], ["a", "9"], ["s", "4"]))?.text).toBe("4");
  expect(rule.choose(transcript(["s", "3"], ["s", ""]))?.turn).toBe(0);
  expect(rule.choose(transcript(["a", "3"], ["s", ""]))).toBeNull();
});

test("a plurality wins over the agent listed first", () => {
  const rule = plurality(["a", "b", "c"]);
  expect(rule.choose(transcript(["a", "1"], ["b", "2"], ["c", " 2 "]))).toMatchObject({
    agent: "b",
    text: "2",
  });
});

test("a tie goes to the agent listed first, in any order of speaking", () => {
  const lines = transcript(["b", "2"], ["a", "1"]);
  expect(plurality(["a", "b"]).choose(lines)?.agent).toBe("a");
  expect(plurality(["b", "a"]).choose(lines)?.agent).toBe("b");
});

test("silence and replies without a key are no votes; an old vote is replaced by a newer one", () => {
  const rule = plurality(["a", "b", "c"], (text) => /\d+/.exec(text)?.[0] ?? null);
  const lines = transcript(["a", "it is 7"], ["b", ""], ["c", "no idea"], ["c", "8"], ["b", "8!"]);
  expect(rule.choose(lines)?.text).toBe("8!");
  expect(rule.choose(transcript(["a", "none"], ["b", ""]))).toBeNull();
});

test.each([
  ["2 is right", "9"],
  ["2, yes, 2", "9"],
  ["1 or 2", "8"],
  ["3", "8"],
  ["neither", "8"],
])("a judge that says %j leaves the answer %s", (judgement, answer) => {
  const rule = judgedBy("j", ["a", "b"]);
  expect(rule.choose(transcript(["b", "9"], ["a", "8"], ["j", judgement]))?.text).toBe(answer);
});
