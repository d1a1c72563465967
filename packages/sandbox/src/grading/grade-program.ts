import { LaconicError, tryParseJson } from "@laconic/core";
import { optionCheck } from "@laconic/core/wire";
import { type GradingStep, gradingStepLimits } from "@laconic/core/run-folder";
import type { Sandbox, SandboxResult } from "../sandbox.ts";
import { endingOf, verdictOf, type Ending } from "./ending.ts";
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
  /** Whose published rule finds the program in a reply. Default `humaneval`. */
  readonly published?: "humaneval" | "mbpp" | "agent-prune";
  /** What each call is to return, for the steps of a verdict, where `test` makes one call a case and ends at the first that differs. */
  readonly expected?: readonly string[];
}

/** What the tests say of a program. */
export interface ProgramVerdict {
  readonly correct: boolean;
  /** False where the machine, `signal` or a limit of the sandbox prevented a verdict: the program is neither right nor wrong. */
  readonly decided: boolean;
  /** The program reached a limit of the sandbox. A reward counts this as wrong, so that a policy gains nothing by it. */
  readonly limited: boolean;
  /** What decided: "all tests passed", "AssertionError", "time limit", ... */
  readonly rule: string;
  /** How it was graded, for the record of a score. */
  readonly gradingMode: "two-phase";
  /** Calls that the tests made. */
  readonly calls: number;
  /** The first calls, each with what the program answered, which the tests judged. */
  readonly steps: readonly GradingStep[];
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

/** What a program's interpreter wrote; hostile until it was read. */
type Said = { readonly answers: readonly Answer[] } | Ending;

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
  let calls: readonly unknown[] = [];
  let answers: readonly Answer[] = [];
  const verdict = (correct: boolean, { kind, rule }: Ending): ProgramVerdict => ({
    correct,
    ...verdictOf(kind),
    rule,
    gradingMode: "two-phase",
    calls: calls.length,
    steps: stepsOf(tests, calls, answers, correct ? null : rule),
  });
  const wrong = (rule: string): ProgramVerdict => verdict(false, { kind: "decided", rule });
  const limited = (rule: string): ProgramVerdict => verdict(false, { kind: "limit", rule });
  const { inputBytes } = sandbox.record.limits;
  const isTooLong = (input: string): boolean => Buffer.byteLength(input) > inputBytes - roomForCall;
  if (isTooLong(JSON.stringify(program))) return limited(`longer than the sandbox's ${inputBytes} bytes`);
  for (let round = 0; round < maxRounds; round++) {
    const questions = testInput(tests, calls, answers);
    if (round > 0 && isTooLong(questions)) return limited("its answers are too long for the tests");
    const tested = await sandbox.run({ code: harnessCall("run_tests"), stdin: questions, ...limits });
    const report = tested.status === "ok" ? (lastLine(tested) as TestReport | null) : null;
    if (!report) {
      const { kind, rule } = endingOf(tested, sandbox, seconds);
      if (kind === "machine") return verdict(false, { kind, rule });
      if (round > 0) return verdict(false, { kind, rule: `its answers end the tests: ${rule}` });
      throw testsInvalid(tests.entryPoint, tested);
    }
    calls = report.calls;
    if (report.outcome === "calls") return limited(`the tests call more than ${maxCalls} times`);
    if (report.unknown === 0) {
      if (report.outcome === "passed")
        return calls.length > 0
          ? verdict(true, { kind: "decided", rule: "all tests passed" })
          : wrong("the tests call nothing");
      return wrong(report.error ? describe(report.error) : "the tests failed");
    }
    const input = JSON.stringify({ program, entryPoint: tests.entryPoint, calls });
    if (isTooLong(input)) return limited("too long, with its arguments, for the sandbox");
    const run = await sandbox.run({ code: harnessCall("answer_calls"), stdin: input, ...limits });
    const read = (run.status === "ok" && readAnswers(lastLine(run), calls.length)) || endingOf(run, sandbox, seconds);
    if ("kind" in read) return verdict(false, read);
    answers = read.answers;
  }
  return limited(`its answers lead the tests on for more than ${maxRounds} rounds`);
}

/** Steps as a record takes them: the first, and the last, which decided, where there are more. */
export function toldSteps(steps: readonly GradingStep[]): GradingStep[] {
  const { steps: most } = gradingStepLimits;
  return steps.length <= most ? [...steps] : [...steps.slice(0, most - 1), ...steps.slice(-1)];
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
  const steps = answers.slice(0, calls.length).map((answer, i): GradingStep => {
    const said = "raised" in answer ? `raises ${describe(answer.raised)}` : JSON.stringify(answer.value);
    const accepted = wrong === null || expected ? "passed" : "the tests went on";
    return {
      name: expected ? `case ${i + 1} of ${expected.length}` : `call ${i + 1} of ${entryPoint}`,
      answer: `${JSON.stringify(calls[i])} gives ${said}`,
      gold: expected?.[i] ?? null,
      ended: wrong !== null && i === calls.length - 1 ? wrong : accepted,
    };
  });
  return toldSteps(steps);
}

/** Bytes for the program that calls the harness. */
const roomForCall = 1000;

/** Reads what a program's interpreter wrote, which the program may have written in its place; null where answers are missing. */
function readAnswers(report: object | null, count: number): Said | null {
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
  return { answers: read };
}

function isRaised(value: unknown): value is Raised {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "string");
}

function testInput(
  { prompt, test, entryPoint, testCallsItself = false }: ProgramTests,
  calls: readonly unknown[],
  answers: readonly Answer[],
): string {
  return JSON.stringify({ prompt, test, entryPoint, callsItself: testCallsItself, calls, answers, maxCalls });
}

function testsInvalid(entryPoint: string, { status, stderr }: SandboxResult): LaconicError {
  return new LaconicError("data_invalid", `the tests of ${entryPoint} do not run: ${status} ${stderr.slice(-300)}`, {
    entryPoint,
    status,
  });
}

/** What a harness wrote: its last line. The lines above it were printed by the candidate. */
function lastLine({ stdout }: SandboxResult): object | null {
  const value = tryParseJson(stdout.trimEnd().split("\n").at(-1) ?? "");
  return typeof value === "object" ? value : null;
}

function describe([kind, text]: Raised): string {
  return text === "" ? kind : `${kind}: ${text}`;
}

/** A program that calls a function of the grading module. */
function harnessCall(name: "answer_calls" | "run_tests"): string {
  return `import ${harness.name}\n${harness.name}.${name}()`;
}
