import { assembleProgram } from "../replies/assemble-program.ts";
import type { Sandbox } from "../sandbox.ts";
import type { ProgramVerdict } from "./ending.ts";
import { type ProgramCases, programOf, runCases } from "./grade-cases.ts";
import { gradeProgram, type GradeProgramOptions, type ProgramTests } from "./grade-program.ts";

/** Verdict with the fields of `@laconic/benchmarks`; steps are calls and their results. */
export interface CodeVerdict extends Pick<ProgramVerdict, "correct" | "rule" | "decided" | "limited" | "steps"> {
  readonly extracted: string;
  readonly certainty: "exact" | "undecided";
}

/**
 * Grades "complete this function" with tests, and whole programs with cases. The rule `published` extracts the program
 * as the benchmark's authors do.
 */
export function codeGrader(
  sandbox: Sandbox,
  options: GradeProgramOptions = {},
): (reply: string, tests: ProgramTests | ProgramCases, signal?: AbortSignal, rule?: string) => Promise<CodeVerdict> {
  return async (reply, tests, signal, rule) => {
    const limits = { ...options, ...(signal && { signal }) };
    const published = rule === "published" ? publishedCode(reply, tests) : null;
    if ("cases" in tests) {
      const program = published ?? programOf(reply, tests);
      return graded(program, await runCases(program, tests, sandbox, limits));
    }
    const extracted = published ?? assembleProgram(tests.prompt, reply, tests.entryPoint);
    const verdict = await gradeProgram(extracted, tests, sandbox, limits);
    return graded(extracted, { ...verdict, rule: `two-phase, ${verdict.rule}` });
  };
}

function graded(extracted: string, { correct, decided, limited, rule, steps }: ProgramVerdict): CodeVerdict {
  return { correct, decided, limited, extracted, rule, certainty: decided ? "exact" : "undecided", steps };
}

/**
 * Extracts a program with its benchmark's published rule. LiveCodeBench (28fef95): the lines between the last two
 * fences. MBPP: between `[BEGIN]` and `[DONE]`. AgentPrune (c544dd6): strips these characters. HumanEval (6d43fb9): the
 * reply continues the prompt.
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
