import { type GradingStep, gradingStepLimits } from "@laconic/core/run-folder";
import type { Sandbox } from "../sandbox.ts";
import { codeAfter } from "../replies/assemble-program.ts";
import { solutionIn } from "../replies/solution.ts";
import { endingOf, lastWords, type Ending, type ProgramVerdict, verdictOf } from "./ending.ts";
import { gradeProgram, type GradeProgramOptions } from "./grade-program.ts";

/** Inputs and outputs, in LiveCodeBench's form. */
export interface ProgramCases {
  /** Input and printed output for stdin, else arguments (one JSON value per line) and the result in JSON. */
  readonly cases: readonly { readonly input: string; readonly output: string }[];
  /** Alone or in a class `Solution`; null for a stdin program. */
  readonly entryPoint: string | null;
}

/** CPU time: per case for stdin, for all calls of a function. */
const [secondsPerCase, secondsOfCalls] = [6, 30] as const;

/** Limits above every benchmark's. */
export const gradingLimits: { readonly seconds: number } = { seconds: secondsOfCalls };

/** LiveCodeBench provides these. */
const modules =
  "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json builtins typing";

const prelude = modules
  .split(" ")
  .flatMap((name) => [`from ${name} import *`, `import ${name}`])
  .concat("sys.setrecursionlimit(50000)")
  .join("\n");

/**
 * Grades a whole program, extracted by {@link solutionIn}. Expected outputs stay outside its interpreter; the first
 * failed case decides. Printed lines are compared by LiveCodeBench's rule: trimmed, then as lists of decimal numbers.
 * @returns not `decided` if the machine or a sandbox limit prevented a verdict
 */
export async function gradeCases(
  reply: string,
  tests: ProgramCases,
  sandbox: Sandbox,
  options: GradeProgramOptions = {},
): Promise<ProgramVerdict & { readonly program: string }> {
  const program = programOf(reply, tests);
  return { ...(await runCases(program, tests, sandbox, options)), program };
}

/** The whole reply if it has no code. */
export function programOf(reply: string, { entryPoint }: ProgramCases): string {
  return solutionIn(reply, entryPoint) ?? reply;
}

export async function runCases(
  program: string,
  { cases, entryPoint }: ProgramCases,
  sandbox: Sandbox,
  { seconds, signal }: GradeProgramOptions,
): Promise<ProgramVerdict> {
  const limit = seconds ?? (entryPoint === null ? secondsPerCase : secondsOfCalls);
  const limits = { seconds: limit, ...(signal && { signal }) };
  if (entryPoint !== null) {
    const expected = cases.map(({ output }) => cut(output));
    const tests = { prompt: "", test: functionTest(cases), entryPoint: called, expected };
    return gradeProgram(callable(program, entryPoint), tests, sandbox, limits);
  }
  const code = codeAfter(prelude, program);
  const { inputBytes } = sandbox.record.limits;
  const steps: GradingStep[] = [];
  for (const [i, { input, output }] of cases.entries()) {
    const verdict = (kind: Ending["kind"], rule: string, calls: number) => verdictOf({ kind, rule }, calls, steps);
    if (Buffer.byteLength(code) + Buffer.byteLength(input) > inputBytes)
      return verdict("limit", `program and case are longer than the sandbox's ${inputBytes} bytes`, i);
    const run = await sandbox.run({ code, stdin: input, ...limits });
    const name = `case ${i + 1} of ${cases.length}`;
    const { kind, rule } = endingOf(run, sandbox, limit);
    const isRun = run.status === "ok";
    const ending = run.status === "exception" ? lastWords(run.stderr) || "an exit code other than 0" : rule;
    const failure = !isRun ? ending : samePrint(run.stdout, output) ? null : "another output";
    const answer = isRun ? cut(run.stdout) : run.status;
    if (kind !== "machine") steps.push({ name, answer, gold: cut(output), ended: failure ?? "passed" });
    if (failure !== null) return verdict(kind, `${name}: ${failure}`, i + 1);
  }
  const ending: Ending =
    cases.length > 0 ? { kind: "passed", rule: "all cases passed" } : { kind: "decided", rule: "no cases" };
  return verdictOf(ending, cases.length, steps);
}

const cut = (text: string): string => text.trimEnd().slice(0, gradingStepLimits.characters);

/** Programs do not use this name by chance. */
const called = "laconic_called";

function callable(program: string, entryPoint: string): string {
  const name = JSON.stringify(entryPoint);
  return `${codeAfter(prelude, program)}
laconic_held = getattr(Solution(), ${name}) if hasattr(globals().get("Solution"), ${name}) else globals()[${name}]
def ${called}(*given):
    return laconic_held(*given)
`;
}

/** A tuple equals a list with the same items. */
function functionTest(cases: ProgramCases["cases"]): string {
  return `import json
cases = json.loads(${JSON.stringify(JSON.stringify(cases))})
def check(candidate):
    for case in cases:
        said = candidate(*[json.loads(line) for line in case["input"].split("\\n")])
        said = list(said) if isinstance(said, tuple) else said
        assert said == json.loads(case["output"])
`;
}

function samePrint(printed: string, expected: string): boolean {
  const [lines, other] = [printed.trim().split("\n"), expected.trim().split("\n")];
  return lines.length === other.length && lines.every((line, i) => sameLine(line.trim(), (other[i] ?? "").trim()));
}

function sameLine(a: string, b: string): boolean {
  if (a === b) return true;
  const numbersOf = (line: string): (string | null)[] => line.split(/\s+/u).map(decimalOf);
  const [numbers, other] = [numbersOf(a), numbersOf(b)];
  return numbers.length === other.length && numbers.every((number, i) => number !== null && number === other[i]);
}

/** Canonical decimal; null for other text. */
function decimalOf(word: string): string | null {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,9}))?$/iu.exec(word) ?? [];
  if (sign === undefined || whole + fraction === "") return null;
  const digits = (whole + fraction).replace(/^0+/u, "");
  const bare = digits.replace(/0+$/u, "");
  if (bare === "") return "0";
  return `${sign === "-" ? "-" : ""}${bare}e${Number(exponent) - fraction.length + digits.length - bare.length}`;
}
