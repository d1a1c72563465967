import { PythonSource, validSource } from "./python-source.ts";
import { solutionIn } from "./solution.ts";

/**
 * Builds the program of a reply: code that defines the function is appended to the prompt, for its imports; other code
 * is the body that continues the prompt.
 */
export function assembleProgram(prompt: string, reply: string, entryPoint: string): string {
  const code = solutionIn(reply, entryPoint) ?? reply;
  const source = new PythonSource(code);
  const isFunction = source.has("binds", entryPoint);
  const isMethod = !isFunction && source.has("binds", `Solution.${entryPoint}`);
  if (!isMethod && !isFunction) return withBody(prompt, code);
  const head = prompt.trimEnd();
  const filled = `${head}\n    pass`;
  const program = codeAfter(!validSource(head) && validSource(filled) ? `${filled}\n` : `${head}\n`, code);
  return isMethod ? `${program}\n\n${entryPoint} = Solution().${entryPoint}\n` : program;
}

/** Imports from `__future__` come first. */
export function codeAfter(head: string, code: string): string {
  if (!code.includes("__future__")) return `${head}\n${code}`;
  const imports = new PythonSource(code).statements
    .map(({ text }) => text)
    .filter((text) => text.startsWith("from __future__"));
  return [...imports, head, imports.reduce((rest, text) => rest.replace(text, ""), code)].join("\n");
}

/** First valid body: unchanged, with its first line indented, or fully indented. */
function withBody(prompt: string, code: string): string {
  const start = /^\s/u.test(code) || prompt.endsWith("\n") ? prompt : `${prompt}\n`;
  const all = code.replaceAll(/^(?=.*\S)/gmu, "    ");
  const first = `    ${code}`;
  // A trimmed reply lacks only the indentation of its first line.
  const isTrimmed = /^\S.*(?:\n(?:[ \t].*)?)*$/u.test(code);
  const isIndented = /^(?:[ \t]*\n)*[ \t]+\S/u.test(code);
  const bodies = isIndented ? [code, all] : isTrimmed ? [first, all, code] : [all, first, code];
  const programs = bodies.map((body) => `${start}${body}`);
  return programs.find((program) => validSource(program)?.isBody === false) ?? programs[0]!;
}
