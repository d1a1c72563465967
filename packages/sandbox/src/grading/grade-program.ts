import { LaconicError } from "@laconic/core";
import type { Sandbox, SandboxResult } from "../sandbox.ts";
import { harness } from "./harness.ts";

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
}

/** What the tests say of a program. */
export interface ProgramVerdict {
  readonly correct: boolean;
  /** What decided: "all tests passed", "AssertionError", "time limit", ... */
  readonly rule: string;
  /** How it was graded, for the record of a score. */
  readonly gradingMode: "two-phase";
  /** Calls that the tests made. */
  readonly calls: number;
}

export interface GradeProgramOptions {
  /** Wall clock for all of the candidate's calls. Default 3, as HumanEval has it. */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

const mostCalls = 5000;
const mostRounds = 300;

interface Answer {
  readonly value?: unknown;
  readonly raised?: readonly [kind: string, text: string];
  readonly uncrossable?: string;
}

interface CandidateReport {
  readonly answers?: readonly Answer[];
  readonly unloadable?: readonly [kind: string, text: string];
}

interface TestReport {
  readonly calls: readonly unknown[];
  readonly unknown: number;
  readonly outcome: "passed" | "failed" | "calls";
  readonly error: readonly [kind: string, text: string] | null;
}

/**
 * Grades a program in two phases that never meet. The tests run in one interpreter, with a stand-in for the function, and
 * tell which arguments it is called with. The program runs in another, which holds these arguments and no expected value,
 * and tells what it returned, as plain values of built-in types. The tests then run again on these values. Exiting early,
 * objects that equal everything, patched builtins or a look at the caller's frames change nothing but the program's own
 * answers.
 * @param program - the whole program: prompt and completion
 * @throws LaconicError `data_invalid` when the tests themselves do not run
 */
export async function gradeProgram(
  program: string,
  tests: ProgramTests,
  sandbox: Sandbox,
  { seconds = 3, signal }: GradeProgramOptions = {},
): Promise<ProgramVerdict> {
  const limits = { seconds, ...(signal && { signal }) };
  let calls: readonly unknown[] = [];
  let answers: readonly Answer[] = [];
  const verdict = (correct: boolean, rule: string): ProgramVerdict => ({
    correct,
    rule,
    gradingMode: "two-phase",
    calls: calls.length,
  });
  for (let round = 0; round < mostRounds; round++) {
    const report = await runTests(tests, calls, answers, sandbox, limits);
    calls = report.calls;
    if (report.outcome === "calls") return verdict(false, `the tests call more than ${mostCalls} times`);
    if (report.unknown === 0) {
      if (report.outcome === "passed")
        return calls.length > 0 ? verdict(true, "all tests passed") : verdict(false, "the tests call nothing");
      return verdict(false, describe(report.error));
    }
    const input = JSON.stringify({ program, entryPoint: tests.entryPoint, calls });
    const run = await sandbox.run({ code: harnessCall("answer_calls"), stdin: input, ...limits });
    const said: CandidateReport | null = run.status === "ok" ? lastLine(run) : null;
    if (!said) return verdict(false, endings[run.status]);
    if (said.unloadable) return verdict(false, `does not load: ${describe(said.unloadable)}`);
    const given = Array.isArray(said.answers) ? said.answers : [];
    if (given.length !== calls.length) return verdict(false, "left before it had answered");
    const opaque = given.find((answer) => answer.uncrossable !== undefined)?.uncrossable;
    if (opaque !== undefined) return verdict(false, `returned ${opaque}`);
    answers = given;
  }
  return verdict(false, `its answers lead the tests on for more than ${mostRounds} rounds`);
}

const endings: Readonly<Record<SandboxResult["status"], string>> = {
  ok: "left before it had answered",
  exception: "left before it had answered",
  memory: "memory limit",
  output: "output limit",
  time: "time limit",
  crashed: "the interpreter died",
  aborted: "aborted",
};

async function runTests(
  { prompt, test, entryPoint, testCallsItself = false }: ProgramTests,
  calls: readonly unknown[],
  answers: readonly Answer[],
  sandbox: Sandbox,
  limits: { readonly seconds: number; readonly signal?: AbortSignal },
): Promise<TestReport> {
  const stdin = JSON.stringify({ prompt, test, entryPoint, callsItself: testCallsItself, calls, answers, mostCalls });
  const run = await sandbox.run({ code: harnessCall("run_tests"), stdin, ...limits });
  const report = lastLine(run) as TestReport | null;
  if (run.status === "ok" && report) return report;
  throw new LaconicError(
    "data_invalid",
    `the tests of ${entryPoint} do not run: ${run.status} ${run.stderr.slice(-300)}`,
    {
      entryPoint,
      status: run.status,
    },
  );
}

/** What a harness said: its last line. Whatever stands above it was printed by the candidate. */
function lastLine({ stdout }: SandboxResult): object | null {
  try {
    const value: unknown = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    return typeof value === "object" && value !== null ? value : null;
  } catch {
    return null;
  }
}

function describe(error: readonly [kind: string, text: string] | null): string {
  if (!error) return "the tests failed";
  return error[1] === "" ? error[0] : `${error[0]}: ${error[1]}`;
}

/** A program that calls a function of the grading module. */
function harnessCall(name: "answer_calls" | "run_tests"): string {
  return `import ${harness.name}\n${harness.name}.${name}()`;
}
