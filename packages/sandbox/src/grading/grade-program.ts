import { LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { optionCheck } from "@laconic/core/checks";
import type { GradingStep } from "@laconic/core/run-folder";
import type { Sandbox, SandboxResult } from "../sandbox.ts";
import { endingOf, type Ending, type ProgramVerdict, verdictOf } from "./ending.ts";
import { harnessCall } from "./harness.ts";

/** A function's tests, as HumanEval has them. */
export interface ProgramTests {
  /** Trusted Python: defines `check(candidate)`, unless it calls itself. */
  readonly test: string;
  /** The function to write. */
  readonly entryPoint: string;
  /** Code that comes before the candidate's; its helpers are there for the tests too. */
  readonly prompt: string;
  /** `test` runs its checks on its own. */
  readonly testCallsItself?: boolean;
  /** Whose published rule finds the program in a reply. Default `humaneval`. */
  readonly published?: "humaneval" | "mbpp" | "agent-prune";
  /** What each call is to return, for the steps of a verdict, where `test` makes one call a case and ends at the first that differs. */
  readonly expected?: readonly string[];
}

/** How long a program may take. */
export interface GradeProgramOptions {
  /** Of the program's own time, for all of its calls. Default 3, as HumanEval has it by the wall. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

const checkOptions = optionCheck<GradeProgramOptions>()("gradeProgram", "seconds signal");

const maxCalls = 5000;
const maxRounds = 300;

type Raised = readonly [kind: string, text: string];
type Answer = { readonly value: readonly unknown[] } | { readonly raised: Raised };

interface TestReport {
  readonly calls: readonly unknown[];
  readonly unknown: number;
  readonly outcome: "passed" | "failed" | "calls";
  readonly error: Raised | null;
}

/**
 * Grades a program in two phases that never meet. The tests run in one interpreter, with a stand-in for the function, and
 * tell which arguments it is called with. The program runs in another, which holds these arguments and no expected value,
 * and tells what it returned, as plain values of built-in types. The tests then run again on these values. Exiting early,
 * objects that equal everything, patched builtins or a look at the caller's frames change nothing but the program's own
 * answers. A limit of the sandbox that the program or its answers reach leaves it undecided.
 * @param program - the whole program: prompt and completion
 * @throws LaconicError `data_invalid` when the tests themselves do not run; `engine_failed` when the sandbox was closed
 */
export async function gradeProgram(
  program: string,
  tests: ProgramTests,
  sandbox: Sandbox,
  options: GradeProgramOptions = {},
): Promise<ProgramVerdict> {
  checkOptions(options);
  const { seconds = 3, signal } = options;
  const limits = { seconds, ...(signal && { signal }) };
  const { inputBytes } = sandbox.record.limits;
  const isTooLong = (input: string): boolean => Buffer.byteLength(input) > inputBytes - roomForCall;
  let [calls, answers]: [readonly unknown[], readonly Answer[]] = [[], []];
  const verdict = (kind: Ending["kind"], rule: string): ProgramVerdict =>
    verdictOf({ kind, rule }, calls.length, stepsOf(tests, calls, answers, kind === "passed" ? null : rule));
  if (isTooLong(JSON.stringify(program))) return verdict("limit", `longer than the sandbox's ${inputBytes} bytes`);
  for (let round = 0; round < maxRounds; round++) {
    const { prompt, test, entryPoint, testCallsItself: callsItself = false } = tests;
    const questions = JSON.stringify({ prompt, test, entryPoint, callsItself, calls, answers, maxCalls });
    if (round > 0 && isTooLong(questions)) return verdict("limit", "its answers are too long for the tests");
    const tested = await sandbox.run({ code: harnessCall("run_tests"), stdin: questions, ...limits });
    const report = tested.status === "ok" ? (lastLine(tested) as TestReport | null) : null;
    if (!report) {
      const { kind, rule } = endingOf(tested, sandbox, seconds);
      if (kind === "machine") return verdict(kind, rule);
      if (round > 0) return verdict(kind, `its answers end the tests: ${rule}`);
      const { status, stderr } = tested;
      const reason = `the tests of ${entryPoint} do not run: ${status} ${stderr.slice(-300)}`;
      throw new LaconicError("data_invalid", reason, { entryPoint, status });
    }
    calls = report.calls;
    if (report.outcome === "calls") return verdict("limit", `the tests call more than ${maxCalls} times`);
    if (report.unknown === 0) {
      if (report.outcome !== "passed")
        return verdict("decided", report.error ? describe(report.error) : "the tests failed");
      return calls.length > 0 ? verdict("passed", "all tests passed") : verdict("decided", "the tests call nothing");
    }
    const input = JSON.stringify({ program, entryPoint, calls });
    if (isTooLong(input)) return verdict("limit", "too long, with its arguments, for the sandbox");
    const run = await sandbox.run({ code: harnessCall("answer_calls"), stdin: input, ...limits });
    const read = (run.status === "ok" && readAnswers(lastLine(run), calls.length)) || endingOf(run, sandbox, seconds);
    if ("kind" in read) return verdict(read.kind, read.rule);
    answers = read;
  }
  return verdict("limit", `its answers lead the tests on for more than ${maxRounds} rounds`);
}

/**
 * Calls of the tests with what a program answered: tests that fail make fewer calls than there are answers.
 * @param wrong - what ended the tests at their last call; null where they passed
 */
function stepsOf(
  { entryPoint, expected }: ProgramTests,
  calls: readonly unknown[],
  answers: readonly Answer[],
  wrong: string | null,
): GradingStep[] {
  const accepted = wrong === null || expected ? "passed" : "the tests went on";
  return answers.slice(0, calls.length).map((answer, i) => {
    const said = "raised" in answer ? `raises ${describe(answer.raised)}` : JSON.stringify(answer.value);
    return {
      name: expected ? `case ${i + 1} of ${expected.length}` : `call ${i + 1} of ${entryPoint}`,
      answer: `${JSON.stringify(calls[i])} gives ${said}`,
      gold: expected?.[i] ?? null,
      ended: wrong !== null && i === calls.length - 1 ? wrong : accepted,
    };
  });
}

/** Bytes for the program that calls the harness. */
const roomForCall = 1000;

/** Reads what a program's interpreter wrote, which the program may have written in its place; null where answers are missing. */
function readAnswers(report: object | null, count: number): readonly Answer[] | Ending | null {
  const wrong = (rule: string): Ending => ({ kind: "decided", rule });
  const { answers, unloadable } = (report ?? {}) as { readonly answers?: unknown; readonly unloadable?: unknown };
  if (isRaised(unloadable)) return wrong(`does not load: ${describe(unloadable)}`);
  if (!Array.isArray(answers) || answers.length !== count) return null;
  const read: Answer[] = [];
  for (const each of answers as unknown[]) {
    const { value, raised, uncrossable } = (each ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof uncrossable === "string") return wrong(`returned ${uncrossable}`);
    if (isRaised(raised)) read.push({ raised });
    else if (Array.isArray(value)) read.push({ value });
    else return wrong("its answers have another form");
  }
  return read;
}

function isRaised(value: unknown): value is Raised {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "string");
}

/** What a harness wrote: its last line. The lines above it were printed by the candidate. */
function lastLine({ stdout }: SandboxResult): object | null {
  const value = tryParseJson(stdout.trimEnd().split("\n").at(-1) ?? "");
  return typeof value === "object" ? value : null;
}

function describe([kind, text]: Raised): string {
  return text === "" ? kind : `${kind}: ${text}`;
}
