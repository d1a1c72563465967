import { assembleProgram, solutionIn } from "@laconic/sandbox/replies";

/** The program of a reply, which defines a function where one is named; null for a reply without code. */
export function programIn(reply: string, name: string | null): string | null {
  return solutionIn(reply, name)?.trimEnd() ?? null;
}

/** The code of a reply to a question, or the whole reply. */
export function codeIn(question: string, reply: string): string {
  return programIn(reply, askedIn(question)) ?? reply.trimEnd();
}

/** The program of a reply: behind the question where that is code. */
export function programOf(question: string, reply: string): string {
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
