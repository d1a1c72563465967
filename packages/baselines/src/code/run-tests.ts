import { assembleProgram, solutionIn } from "@laconic/sandbox/replies";
import type { RunProgram } from "../protocols/baseline.ts";

/** The program of a reply, which defines a function where one is named; null for a reply without code. */
export function programIn(reply: string, name: string | null): string | null {
  return solutionIn(reply, name)?.trimEnd() ?? null;
}

/** The code of a reply to a question, or the whole reply. */
export function codeIn(question: string, reply: string): string {
  return programIn(reply, askedIn(question)) ?? reply.trimEnd();
}

/** The program of a reply: behind the question where that is code. */
function programOf(question: string, reply: string): string {
  const asked = askedIn(question);
  return asked === null ? codeIn(question, reply) : assembleProgram(question, reply, asked);
}

/** The function that a question begins; null for a question in words. */
function askedIn(question: string): string | null {
  return [...question.matchAll(/^def[ \t]+(\w+)[ \t]*\(/gmu)].at(-1)?.[1] ?? null;
}

/** The examples of a docstring, `>>> call` and the value on the next line, as assertions. */
export function examplesIn(question: string): string[] {
  const lines = question.split("\n").map((line) => line.trim());
  return lines.flatMap((line, i) => {
    const expected = lines.slice(i + 1).find((each) => each !== "");
    const call = line.startsWith(">>>") ? line.slice(3).trim() : "";
    return call === "" || !expected || expected.startsWith(">>>")
      ? []
      : [`assert ${call} == ${expected.replace(/"{3}$/u, "")}`];
  });
}

/** Assertions that count of those that a tester writes. */
export const maxAsserts = 10;

/** The assertions that a reply writes, one a line, each once. */
export function assertsIn(reply: string): string[] {
  const lines = reply.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => /^assert\b/u.test(line)))];
}

/** Most characters of tool output in a prompt. */
const maxWords = 100;

/** Most bytes of {@link words} with the name before it and the mark of its line. */
export const toolBytes: number = 3 * maxWords + 60;

/** Tool output in one line: untrusted text that goes into prompts. */
export function words(text: string): string {
  return text.replaceAll(/\s+/gu, " ").trim().slice(0, maxWords);
}

/** Runs each program once: teams ask for the same one often. */
export function onceEach(run: RunProgram): RunProgram {
  const runs = new Map<string, ReturnType<RunProgram>>();
  return (program) => {
    const result = runs.get(program) ?? run(program);
    runs.set(program, result);
    return result;
  };
}

/** How a program ended: null without a failure. */
type Ending = string | null;

/** Runs a reply's program alone. */
export function runReply(question: string, reply: string, run: RunProgram): Promise<Ending> {
  return ended(programOf(question, reply), run);
}

/** Runs each test behind a reply's program, each in its own interpreter. */
export function runTests(
  question: string,
  reply: string,
  tests: readonly string[],
  run: RunProgram,
): Promise<Ending[]> {
  const program = programOf(question, reply);
  return Promise.all(tests.map((test) => ended(`${program}\n${test}`, run)));
}

/** A program that leaves before its last line has not passed: the mark is missing. */
async function ended(program: string, run: RunProgram): Promise<Ending> {
  const mark = `end-${program.length}`;
  const { output, error } = await run(`${program}\nprint(${JSON.stringify(mark)})`);
  if (error !== null) return words(error) || "failed";
  return output.trimEnd().endsWith(mark) ? null : "left before its end";
}

/**
 * Results of the calls of failed tests, as released harnesses show them: the value, the error's message, or `time` without an end.
 * @param ends - from {@link runTests}
 * @returns null for a test that passed
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

/** The lines that are Python. */
export async function validLines(lines: readonly string[], run: RunProgram): Promise<string[]> {
  const tries = lines.map(
    (line, i) =>
      `try:\n    compile(${JSON.stringify(line)}, "", "exec")\n    print("valid ${i}")\nexcept Exception:\n    pass`,
  );
  const printed = tries.length === 0 ? [] : (await run(tries.join("\n"))).output.split("\n");
  return lines.filter((_, i) => printed.includes(`valid ${i}`));
}

/** Python that prints the left side of an assertion, or all of one without a comparison. */
function callOf(test: string, mark: string): string {
  return `import ast
try:
    test = ast.parse(${JSON.stringify(test)}).body[0].test
    print(${JSON.stringify(mark)}, eval(compile(ast.Expression(getattr(test, "left", test)), "call", "eval")))
except Exception as error:
    print(${JSON.stringify(mark)}, error)`;
}
