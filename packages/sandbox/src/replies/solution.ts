import MarkdownIt from "markdown-it";
import { PythonSource, type Statement, validSource } from "./python-source.ts";

export interface CodeBlock {
  /** First word of the info string in lower case, such as `python3.11`. */
  readonly language: string;
  /** Excludes fence, container marks and their indentation. */
  readonly code: string;
  readonly fenced: boolean;
  /** Empty without a fence. */
  readonly mark: string;
}

/**
 * CommonMark without HTML blocks (a tag such as `</think>` would hide the next fence) and references, which end a
 * paragraph early.
 */
const markdown = new MarkdownIt("commonmark").disable(["html_block", "reference"]);

const maxDepth = 3;

/** Reads code blocks as CommonMark 0.31 does; lines end with `\n`. */
export function codeBlocks(text: string, depth = 0): { readonly blocks: readonly CodeBlock[]; readonly rest: string } {
  const tokens: ReturnType<typeof markdown.parse> = [];
  markdown.block.parse(text, markdown, {}, tokens);
  const lines: (string | null)[] = text.split("\n");
  const blocks = tokens.flatMap(({ type, info, content: code, map, markup }): readonly CodeBlock[] => {
    const fenced = type === "fence";
    if (!fenced && type !== "code_block") return [];
    if (fenced && map) lines.fill(null, ...map);
    const language = /[\w.+#-]*\w[\w+#-]*/u.exec(info)?.[0].replace(/^\.+/u, "").toLowerCase() ?? "";
    const inner = depth < maxDepth && !isPython(language) ? codeBlocks(code, depth + 1).blocks : [];
    const nested = inner.filter((block) => block.fenced);
    return nested.length > 0 ? nested : [{ language, code, fenced, mark: markup.slice(0, 1) }];
  });
  return { blocks, rest: lines.filter((line) => line !== null).join("\n") };
}

/** Accepts `py`, `python3.11`, `ipython`, `main.py`. */
function isPython(language: string): boolean {
  return /^(?:i|c|[\w-]+[.-])?py(?:thon)?[\d.]*$/u.test(language);
}

/**
 * Extracts the program of a reply: valid Python, or the last code block that defines the entry point or reads input.
 * Other blocks add missing definitions; usage, tests, output and other languages rank lower. Ignores reasoning before
 * `</think>`.
 * @param entryPoint - function to write, alone or in a class `Solution`; null for a program
 * @returns null without code
 */
export function solutionIn(reply: string, entryPoint: string | null): string | null {
  const answer = withoutThought(reply.replaceAll(/\r\n?/gu, "\n"));
  let best = choose(answer, entryPoint);
  for (const rewrite of [brokenFences, nestedFences]) {
    if (best?.isSolution && best.isValid) break;
    const repaired = rewrite(answer);
    const other = repaired === answer ? null : choose(repaired, entryPoint);
    if (other?.isSolution && other.isValid) best = other;
  }
  return best?.code ?? null;
}

/** Moves fences to their own lines. */
function brokenFences(text: string): string {
  return text.replaceAll(/(?=`{3})(?<=[^\s`][ \t]*)/gu, "\n");
}

/** Lengthens the outer fences, so that fences between them, as in a docstring, are code. */
function nestedFences(text: string): string {
  return text.replace(/^(`{3,}[ \t]*py.*^)(`{3,}[ \t]*$)/imsu, "```````$1```````$2");
}

/** Reasoning ends at the first `</think>` that follows `<think>` or ends a line. */
function withoutThought(reply: string): string {
  const tag = "</think>";
  const end = /^\s*<think>/u.test(reply) ? reply.indexOf(tag) : reply.search(/<\/think>[ \t]*$/mu);
  return end < 0 ? reply : reply.slice(end + tag.length);
}

type Test = (source: PythonSource) => boolean;

interface Choice {
  readonly code: string;
  readonly isValid: boolean;
  readonly isSolution: boolean;
}

function choose(text: string, entryPoint: string | null): Choice | null {
  const { blocks, rest } = codeBlocks(text);
  const fenced = blocks
    .filter((block) => block.fenced)
    .flatMap(({ language, code }) => {
      const isTagged = isPython(language);
      const inputs = inputsOf(code);
      const isOurs = (isTagged || language === "") && inputs === null;
      const source = isOurs ? new PythonSource(code) : validSource(inputs ?? code);
      const ranksFirst = isTagged || source?.isValid || source?.has("defines", entryPoint ?? "");
      return source ? [{ source, isOurs, ranksFirst: isOurs && ranksFirst === true }] : [];
    });
  const python = fenced.filter(({ ranksFirst }) => ranksFirst).map(({ source }) => source);
  // In Python, `~~~python` is an expression.
  const bare = blocks.some(({ mark }) => mark === "~") ? null : validSource(text);
  const [best = [], ...others] = ranksFor(entryPoint, python);
  const pools: Pool[] = [
    () => (bare ? [bare] : []),
    () => python,
    () => fenced.filter(({ ranksFirst, source }) => !ranksFirst && source.isValid).map(({ source }) => source),
    () => (fenced.length === 0 ? [] : [validSource(rest)].filter((source) => source !== null)),
  ];
  // Bare code can look like an indented block, so only a whole solution counts.
  const indented: Pool = () => blocks.filter((block) => !block.fenced).map(({ code }) => new PythonSource(code));
  const solution = search([best], [...pools, indented]);
  const source = solution ?? search(others, pools) ?? fenced.findLast(({ isOurs }) => isOurs)?.source;
  if (!source) return null;
  const code = source === bare ? source.text : withDefinitions(source, python);
  return {
    code,
    isValid: code === source.text ? source.isValid : validSource(code) !== null,
    isSolution: solution !== undefined,
  };
}

type Pool = () => readonly PythonSource[];

function search(ranks: readonly (readonly Test[])[], pools: readonly Pool[]): PythonSource | undefined {
  for (const tests of ranks)
    for (const pool of pools) {
      const sources = pool();
      const matcher = tests.find((test) => sources.some(test));
      if (matcher) return sources.findLast(matcher);
    }
  return undefined;
}

/** Tests by rank, best first; an earlier test decides. */
function ranksFor(entryPoint: string | null, python: readonly PythonSource[]): Test[][] {
  const isCode: Test = (source) => source.runs || source.all("binds").size > 0;
  if (entryPoint !== null) {
    const names = [entryPoint, `Solution.${entryPoint}`];
    const defines: Test = (source) => names.some((name) => source.has("binds", name));
    const writes: Test = (source) =>
      !source.has("stubs", entryPoint) &&
      source.statements.some(({ text, binds }) => !isImport(text) && names.some((name) => binds.has(name)));
    return [
      [(source) => writes(source) && !isTest(source, entryPoint), writes, defines],
      [({ isBody }) => isBody],
      [isCode],
    ];
  }
  const reads: Test = (source) => {
    if (!source.runs) return false;
    const whole = new PythonSource(withDefinitions(source, python));
    return ["input", "stdin", "open", "fileinput"].some((name) => whole.has("names", name));
  };
  return [[(source) => reads(source) && !isTest(source, null), reads], [({ runs }) => runs], [isCode]];
}

function isImport(text: string): boolean {
  return /^(?:from|import)\b/u.test(text);
}

function isTest(source: PythonSource, entryPoint: string | null): boolean {
  const isTestName = (name: string): boolean => /^(?:test_|Test)/u.test(name) && name !== entryPoint;
  const uses = (...names: string[]): boolean => names.every((name) => source.has("names", name));
  return uses("StringIO", "stdin") || uses("unittest") || uses("pytest") || [...source.all("defines")].some(isTestName);
}

/** Prepends needed definitions: the nearest block before it first, then those after it. */
function withDefinitions(source: PythonSource, python: readonly PythonSource[]): string {
  const index = python.indexOf(source);
  const before = python.slice(0, Math.max(index, 0));
  const providers = [...before.toReversed(), ...python.slice(index + 1)];
  const bound = new Set(source.all("binds"));
  const taken = new Set<Statement>(
    before.flatMap(({ statements }) => statements.filter(({ binds }) => binds.has("*"))),
  );
  const needed = [source, { statements: [...taken] }].flatMap(({ statements }) =>
    statements.flatMap(({ needs }) => [...needs]),
  );
  for (const name of needed) {
    if (bound.has(name)) continue;
    bound.add(name);
    const provides = (other: PythonSource, imports: boolean): boolean =>
      (other.has("defines", name) || !builtins.has(name)) &&
      other.statements.some(({ binds, text }) => binds.has(name) && (imports || !isImport(text)));
    const provider = [false, true].flatMap((imports) =>
      providers.filter((pythonSource) => provides(pythonSource, imports)),
    )[0];
    for (const statement of provider?.statements ?? []) {
      const fills = [...statement.binds].some((target) => target === name || target.startsWith(`${name}[`));
      if (!fills || taken.has(statement)) continue;
      taken.add(statement);
      needed.push(...statement.needs);
    }
  }
  const definitions = python.flatMap(({ statements }) => statements.filter((statement) => taken.has(statement)));
  return [...definitions, source].map(({ text }) => text).join("\n");
}

/** Null unless an interactive session. */
function inputsOf(code: string): string | null {
  if (!/^\s*>>>/u.test(code)) return null;
  return [...code.matchAll(/^[ \t]*(?:>>>|\.\.\.) ?(.*)$/gmu)].map(([, input]) => input).join("\n");
}

/** Assignments to these are no needed definitions. */
const builtins = new Set(
  `abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod
  enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter
  len list locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice
  sorted staticmethod str sum super tuple type vars zip`.split(/\s+/u),
);
