import { readFileSync } from "node:fs";
import { dataError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { gradeProgram, solutionIn, type ProgramTests, type ProgramVerdict, type Sandbox } from "@laconic/sandbox";

/**
 * Cooperation schemes of the MAGRPO paper, detected in the syntax tree.
 * - `fallback`: the main function has an alternative.
 * - `decorator`: it handles special cases, then returns the helper's result.
 * - `coordinator`: it makes several helper calls.
 * - `strategy-filter`: the helper's result selects a branch.
 */
export const cooperationSchemes = ["fallback", "decorator", "coordinator", "strategy-filter"] as const;

/** Scheme of {@link cooperationSchemes}. */
export type CooperationScheme = (typeof cooperationSchemes)[number];

/** Reward of helper and main function. */
export interface CooperationReward {
  /** 0 to 4. */
  readonly reward: number;
  readonly terms: {
    /** 0.4 for a helper with a return, 0.6 for a main function with one. */
    readonly structure: number;
    /** 0.5 if both parse together. */
    readonly syntax: number;
    readonly tests: number;
    /** 0.5 for a helper call, 1 for more than a wrapper, -0.5 for an unused result. */
    readonly cooperation: number;
  };
  /** Tests that reached a sandbox limit. */
  readonly limited: number;
  /** First failed level; null if all were reached. */
  readonly stoppedAt: "main" | "syntax" | null;
  readonly schemes: readonly CooperationScheme[];
  /** Reason without a verdict; the other fields are then meaningless. */
  readonly undecided: string | null;
  /** MAGRPO's feedback, with one test. */
  readonly feedback: string;
  readonly report: CooperationReport;
}

/** Syntax of two functions, and their first test. */
export interface CooperationReport {
  readonly auxDefined: boolean;
  readonly mainDefined: boolean;
  readonly parses: boolean;
  readonly callsAux: boolean;
  readonly isWrapper: boolean;
  readonly usesResult: boolean;
  /** Null failure if passed, undefined if not run. */
  readonly first: { readonly assert: string; readonly failure: string | null | undefined };
}

interface Analysis extends Omit<CooperationReport, "first"> {
  readonly schemes: readonly CooperationScheme[];
  readonly tests: readonly string[];
}

/** Later tests are skipped. */
const maxTimeouts = 3;

/**
 * MAGRPO's reward of a helper `aux` and the requested function (LLM_Collab_Code_Generation@7ca407e). Ours finds calls
 * in the syntax tree and hides tests from programs in a sandbox.
 * @throws LaconicError `data_invalid`
 */
export async function cooperationReward(
  replies: { readonly aux: string; readonly main: string },
  tests: ProgramTests,
  sandbox: Sandbox,
  options: { readonly secondsPerTest?: number; readonly signal?: AbortSignal } = {},
): Promise<CooperationReward> {
  const { secondsPerTest = 10, signal } = options;
  const { entryPoint } = tests;
  const aux = solutionIn(replies.aux, "aux") ?? replies.aux;
  const main = solutionIn(replies.main, entryPoint) ?? replies.main;
  // Functions may use these imports.
  const prompt = (tests.prompt.match(/^(?:from|import)[ \t].*$/gmu) ?? []).join("\n");
  const analysis = await analyse({ aux, main, prompt, test: tests.test, entryPoint }, sandbox);
  if (analysis === null) return unjudged("their syntax could not be looked at");
  const verdicts: ProgramVerdict[] = [];
  const program = [prompt, analysis.auxDefined ? aux : "", main].join("\n\n");
  const limits = { seconds: secondsPerTest, ...(signal && { signal }) };
  for (const test of analysis.mainDefined && analysis.parses ? analysis.tests : []) {
    if (verdicts.filter(({ rule }) => rule.startsWith("time limit")).length >= maxTimeouts) break;
    const verdict = await gradeProgram(program, { ...tests, prompt, test }, sandbox, limits);
    if (!verdict.decided && !verdict.limited) return unjudged(verdict.rule);
    verdicts.push(verdict);
  }
  return judged(analysis, verdicts, entryPoint);
}

function judged(
  { schemes, tests, ...syntax }: Analysis,
  verdicts: readonly ProgramVerdict[],
  entryPoint: string,
): CooperationReward {
  const { auxDefined, mainDefined, parses, callsAux, isWrapper, usesResult } = syntax;
  const stoppedAt = !mainDefined ? "main" : parses ? null : "syntax";
  const passed = verdicts.filter(({ correct }) => correct).length;
  const points = (...rows: readonly (readonly [holds: boolean, points: number])[]): number =>
    rows.reduce((sum, [holds, value]) => sum + (holds ? value : 0), 0);
  const cooperates = passed > 0 && auxDefined && callsAux;
  const terms = {
    structure: points([auxDefined, 0.4], [mainDefined, 0.6]),
    syntax: points([stoppedAt === null, 0.5]),
    tests: passed / Math.max(1, tests.length),
    cooperation: points([cooperates, 0.5], [cooperates && !isWrapper, 1], [cooperates && !usesResult, -0.5]),
  };
  const [first] = verdicts;
  const wrong = verdicts.findIndex(({ correct }) => !correct);
  const stops = {
    main: `The function ${entryPoint} is missing, or returns nothing.`,
    syntax: "The two functions together are not valid Python.",
  };
  const counted = [
    `${passed} of ${tests.length} tests pass.`,
    ...(wrong < 0 ? [] : [`${verdicts[wrong]?.rule} in:\n${lastAssert(tests[wrong])}`]),
    ...(auxDefined ? [] : ["There is no helper aux."]),
    ...(auxDefined && !callsAux ? ["The helper aux is never called."] : []),
  ];
  return {
    reward: terms.structure + terms.syntax + terms.tests + terms.cooperation,
    terms,
    limited: verdicts.filter(({ limited }) => limited).length,
    stoppedAt,
    schemes,
    undecided: null,
    feedback: stoppedAt === null ? counted.join(" ") : stops[stoppedAt],
    report: { ...syntax, first: { assert: lastAssert(tests[0]), failure: first?.correct ? null : first?.rule } },
  };
}

function unjudged(reason: string): CooperationReward {
  const unread = { auxDefined: false, mainDefined: false, parses: false, callsAux: false, isWrapper: false };
  const nothing = judged({ ...unread, usesResult: false, schemes: [], tests: [] }, [], "");
  return { ...nothing, stoppedAt: null, undecided: reason, feedback: "It was not read." };
}

interface AnalysisInput extends Pick<ProgramTests, "prompt" | "test" | "entryPoint"> {
  readonly aux: string;
  readonly main: string;
}

/** @returns null if the machine prevented the run */
async function analyse(input: AnalysisInput, sandbox: Sandbox): Promise<Analysis | null> {
  const code = readFileSync(new URL("../../assets/cooperation.py", import.meta.url), "utf8");
  const stdin = JSON.stringify(input);
  const isUnread = input.aux === "" && input.main === "";
  if (isUnread || Buffer.byteLength(stdin) < sandbox.record.limits.inputBytes - Buffer.byteLength(code)) {
    const { status, stdout, stderr } = await sandbox.run({ code, stdin });
    if (status === "undecided" || status === "aborted") return null;
    const analysis = status === "ok" ? tryParseJson(stdout) : undefined;
    if (analysis) return analysis as Analysis;
    const { entryPoint } = input;
    const reason = `the tests of ${entryPoint} cannot be read: ${status} ${stderr.slice(-300)}`;
    if (isUnread) throw dataError(reason, { entryPoint });
  }
  const without = await analyse({ ...input, aux: "", main: "" }, sandbox);
  return without && { ...without, parses: false };
}

function lastAssert(test: string | undefined): string {
  return (test ?? "").replace(/^[^]*\n(?=[ \t]*assert)/u, "").trim();
}
