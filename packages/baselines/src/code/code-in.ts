/** The code of a reply: its last closed block of three backticks, or all of it. */
export function codeIn(reply: string): string {
  return closedCode(reply).trim();
}

/** A program that a reply makes of a question: code that defines the asked function comes after the question, a body goes on where it ends. */
export function programOf(question: string, reply: string): string {
  const code = closedCode(reply);
  const asked = [...question.matchAll(/^def[ \t]+(\w+)[ \t]*\(/gmu)].at(-1)?.[1];
  // A question in plain words is no code.
  if (asked === undefined) return code;
  if (!new RegExp(`^[ \\t]*(?:async[ \\t]+)?def[ \\t]+${asked}[ \\t]*\\(`, "mu").test(code))
    return `${question}\n${code}`;
  const head = question.trimEnd();
  return head.endsWith(":") ? `${head}\n    pass\n\n${code}` : `${head}\n\n${code}`;
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

/** Indentation of a first line is a body's own. */
function closedCode(reply: string): string {
  const closed = [...reply.matchAll(/```[a-zA-Z0-9]*[ \t]*\n(.*?)```/gsu)].at(-1)?.[1];
  return closed ?? reply;
}
