import type { ProgramCases } from "./grade-cases.ts";
import type { ProgramTests } from "./grade-program.ts";

/**
 * The program of a reply by the rule of its benchmark's authors. LiveCodeBench (28fef95): the lines between the last two lines
 * with a fence, nothing with fewer. MBPP: between `[BEGIN]` and `[DONE]`, as in the prompts of its paper. AgentPrune (c544dd6): the reply
 * without these characters at its ends. HumanEval (6d43fb9): the reply continues the prompt.
 */
export function publishedCode(reply: string, tests: ProgramTests | ProgramCases): string {
  if ("cases" in tests) {
    const lines = reply.split("\n");
    const [start, end] = lines.flatMap((line, i) => (line.includes("```") ? [i] : [])).slice(-2);
    return start === undefined || end === undefined ? "" : lines.slice(start + 1, end).join("\n");
  }
  return rules[tests.published ?? "humaneval"](reply, tests.prompt);
}

const rules: Readonly<Record<NonNullable<ProgramTests["published"]>, (reply: string, prompt: string) => string>> = {
  humaneval: (reply, prompt) => prompt + reply,
  mbpp: (reply) =>
    reply
      .replace(/^.*?\[BEGIN\]/su, "")
      .replace(/\[DONE\].*$/su, "")
      .trim(),
  "agent-prune": (reply) => `from typing import *\n${reply.replace(/^[`python\n]+/u, "").replace(/[\n`]+$/u, "")}`,
};
