/**
 * The program of a reply to "complete this function": the code in its last fence, or all of it. Code that defines the
 * function comes after the prompt, which keeps the prompt's imports and helpers; anything else is a body that goes on
 * where the prompt ends.
 */
export function assembleProgram(prompt: string, reply: string, entryPoint: string): string {
  const code = fencedCode(reply) ?? reply;
  const defines = new RegExp(
    `^[ \\t]*(?:async[ \\t]+)?def[ \\t]+${entryPoint.replaceAll(/\W/gu, "")}[ \\t]*\\(`,
    "mu",
  ).test(code);
  // A docstring is a body: the prompt's function is whole, and the reply's replaces it.
  const head = prompt.trimEnd();
  if (defines) return head.endsWith(":") ? `${head}\n    pass\n\n${code}` : `${head}\n\n${code}`;
  return `${prompt}${/^\s/u.test(code) || prompt.endsWith("\n") ? "" : "\n"}${indented(code)}`;
}

/** The last closed fence of three backticks; an unclosed one counts when no other does. */
export function fencedCode(reply: string): string | null {
  const closed = [...reply.matchAll(/```[a-zA-Z0-9]*[ \t]*\n(.*?)```/gsu)].at(-1)?.[1];
  return closed ?? /```[a-zA-Z0-9]*[ \t]*\n(.*)$/su.exec(reply)?.[1] ?? null;
}

/** A body that a model wrote from the margin. */
function indented(code: string): string {
  const first = code.split("\n").find((line) => line.trim() !== "") ?? "";
  if (/^[ \t]/u.test(first) || /^(?:def|class|import|from|@|if __name__)/u.test(first)) return code;
  return code
    .split("\n")
    .map((line) => (line.trim() === "" ? line : `    ${line}`))
    .join("\n");
}
