import { dataError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { optionCheck } from "@laconic/core/checks";
import type { GradingStep } from "@laconic/core/run-folder";
import type { Sandbox, SandboxResult } from "../sandbox.ts";
import { endingOf, type Ending, type ProgramVerdict, verdictOf } from "./ending.ts";
import { harnessCall } from "./harness.ts";

/** Tests in HumanEval's form. */
export interface ProgramTests {
  /** Trusted Python that defines `check(candidate)`, unless it calls itself. */
  readonly test: string;
  readonly entryPoint: string;
  /** Code before the candidate's, also for the tests. */
  readonly prompt: string;
  readonly testCallsItself?: boolean;
  /** Rule that extracts the program. Default `humaneval`. */
  readonly published?: "humaneval" | "mbpp" | "agent-prune";
  /** Expected result of each call, if `test` makes one call per case and stops at the first difference. */
  readonly expected?: readonly string[];
}

/** Time limit of a program. */
export interface GradeProgramOptions {
  /** CPU seconds for all calls. Default 3; HumanEval limits wall time. */
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
 * Grades a program in two phases. The tests run with a stub of the function, which records the arguments. The program
 * runs in another interpreter with these arguments and returns plain values of built-in types. Then the tests run again
 * on these values, so early exits, objects that equal everything, patched builtins and frame inspection have no other
 * effect. A sandbox limit leaves the verdict undecided.
 * @param program - prompt and completion
 * @throws LaconicError `data_invalid` if the tests fail to run; `engine_failed` if the sandbox was closed
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
      throw dataError(reason, { entryPoint, status });
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
 * Pairs the tests' calls with the results.
 * @param wrong - the error at the last call; null if they passed
 */
function stepsOf(
  { entryPoint, expected }: ProgramTests,
  calls: readonly unknown[],
  answers: readonly Answer[],
  wrong: string | null,
): GradingStep[] {
  const accepted = wrong === null || expected ? "passed" : "the tests went on";
  return answers.slice(0, calls.length).map((answer, i) => {
    const reply = "raised" in answer ? `raises ${describe(answer.raised)}` : JSON.stringify(answer.value);
    return {
      name: expected ? `case ${i + 1} of ${expected.length}` : `call ${i + 1} of ${entryPoint}`,
      answer: `${JSON.stringify(calls[i])} gives ${reply}`,
      gold: expected?.[i] ?? null,
      ended: wrong !== null && i === calls.length - 1 ? wrong : accepted,
    };
  });
}

/** Bytes for the calling code of the harness. */
const roomForCall = 1000;

/** The program may have forged this output; null if results are missing. */
function readAnswers(report: object | null, count: number): readonly Answer[] | Ending | null {
  const wrong = (rule: string): Ending => ({ kind: "decided", rule });
  const { answers, unloadable } = (report ?? {}) as { readonly answers?: unknown; readonly unloadable?: unknown };
  if (isRaised(unloadable)) return wrong(`does not load: ${describe(unloadable)}`);
  if (!Array.isArray(answers) || answers.length !== count) return null;
  const read: Answer[] = [];
  for (const answer of answers as unknown[]) {
    const { value, raised, uncrossable } = (answer ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof uncrossable === "string") return wrong(`returned ${uncrossable}`);
    if (isRaised(raised)) read.push({ raised });
    else if (Array.isArray(value)) read.push({ value });
    else return wrong("its answers have another form");
  }
  return read;
}

function isRaised(value: unknown): value is Raised {
  return Array.isArray(value) && value.length === 2 && value.every((item) => typeof item === "string");
}

/** The candidate printed the lines before it. */
function lastLine({ stdout }: SandboxResult): object | null {
  const value = tryParseJson(stdout.trimEnd().split("\n").at(-1) ?? "");
  return typeof value === "object" ? value : null;
}

function describe([kind, text]: Raised): string {
  return text === "" ? kind : `${kind}: ${text}`;
}
