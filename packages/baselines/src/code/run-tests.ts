import { assembleProgram, solutionIn } from "@laconic/sandbox/replies";
import type { RunProgram } from "../protocols/baseline.ts";

/** A reply's program, which must define `name` if not null; null without code. */
export function programIn(reply: string, name: string | null): string | null {
  return solutionIn(reply, name)?.trimEnd() ?? null;
}

export function codeIn(question: string, reply: string): string {
  return programIn(reply, askedIn(question)) ?? reply.trimEnd();
}

function programOf(question: string, reply: string): string {
  const asked = askedIn(question);
  return asked === null ? codeIn(question, reply) : assembleProgram(question, reply, asked);
}

/** Function that a question starts; null for prose. */
function askedIn(question: string): string | null {
  return [...question.matchAll(/^def[ \t]+(\w+)[ \t]*\(/gmu)].at(-1)?.[1] ?? null;
}

/** A docstring's examples (`>>> call`, value on the next line) as assertions. */
export function examplesIn(question: string): string[] {
  const lines = question.split("\n").map((line) => line.trim());
  return lines.flatMap((line, i) => {
    const expected = lines.slice(i + 1).find((text) => text !== "");
    const call = line.startsWith(">>>") ? line.slice(3).trim() : "";
    return call === "" || !expected || expected.startsWith(">>>")
      ? []
      : [`assert ${call} == ${expected.replace(/"{3}$/u, "")}`];
  });
}

export const maxAsserts = 10;

export function assertsIn(reply: string): string[] {
  const lines = reply.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => /^assert\b/u.test(line)))];
}

/** Max characters of tool output in a prompt. */
const maxWords = 100;

/** Max bytes of a tool output with name and line mark. */
export const toolBytes: number = 3 * maxWords + 60;

/** Tool output in one line; untrusted text for prompts. */
export function words(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim().slice(0, maxWords);
}

export function onceEach(run: RunProgram): RunProgram {
  const runs = new Map<string, ReturnType<RunProgram>>();
  return (program) => {
    const result = runs.get(program) ?? run(program);
    runs.set(program, result);
    return result;
  };
}

/** Failure of a program; null for success. */
type Ending = string | null;

export function runReply(question: string, reply: string, run: RunProgram): Promise<Ending> {
  return ended(programOf(question, reply), run);
}

/** Runs each test in a new interpreter. */
export function runTests(
  question: string,
  reply: string,
  tests: readonly string[],
  run: RunProgram,
): Promise<Ending[]> {
  const program = programOf(question, reply);
  return Promise.all(tests.map((test) => ended(`${program}\n${test}`, run)));
}

/** Without the mark, the program exited early and failed. */
async function ended(program: string, run: RunProgram): Promise<Ending> {
  const mark = `end-${program.length}`;
  const { output, error } = await run(`${program}\nprint(${JSON.stringify(mark)})`);
  if (error !== null) return words(error) || "failed";
  return output.trimEnd().endsWith(mark) ? null : "left before its end";
}

/**
 * Results of failed tests' calls: value, error message, or `time` (timeout).
 * @param ends - from {@link runTests}
 * @returns null for a passed test
 */
export function outputsOf(
  question: string,
  reply: string,
  tests: readonly string[],
  ends: readonly Ending[],
  run: RunProgram,
): Promise<(string | null)[]> {
  const program = programOf(question, reply);
  return Promise.all(
    tests.map(async (test, i) => {
      if (ends[i] === null) return null;
      const mark = `output-${program.length}:`;
      const { output, error } = await run(`${program}\n${callOf(test, mark)}`);
      const printed = output.split(mark).at(-1) ?? "";
      return words(error === null ? printed : error.replace(/^\w*Error: /u, ""));
    }),
  );
}

export async function validLines(lines: readonly string[], run: RunProgram): Promise<string[]> {
  const tries = lines.map(
    (line, i) =>
      `try:\n    compile(${JSON.stringify(line)}, "", "exec")\n    print("valid ${i}")\nexcept Exception:\n    pass`,
  );
  const printed = tries.length === 0 ? [] : (await run(tries.join("\n"))).output.split("\n");
  return lines.filter((_, i) => printed.includes(`valid ${i}`));
}

function callOf(test: string, mark: string): string {
  return `import ast
try:
    test = ast.parse(${JSON.stringify(test)}).body[0].test
    print(${JSON.stringify(mark)}, eval(compile(ast.Expression(getattr(test, "left", test)), "call", "eval")))
except Exception as error:
    print(${JSON.stringify(mark)}, error)`;
}
