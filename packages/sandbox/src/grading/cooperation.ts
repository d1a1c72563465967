import { LaconicError, tryParseJson } from "@laconic/core";
import type { Sandbox, SandboxResult } from "../sandbox.ts";
import { solutionIn } from "../replies/solution.ts";
import { gradeProgram, type ProgramTests } from "./grade-program.ts";
import { harness } from "./harness.ts";

/**
 * Ways of working together that the MAGRPO paper saw emerge, told by the syntax tree.
 *
 * - `fallback`: the main function has a way of its own for when the helper fails.
 * - `decorator`: it handles special cases before it returns what the helper returns.
 * - `coordinator`: it splits the task over several calls of the helper.
 * - `strategy-filter`: the helper decides which branch is taken.
 */
export const cooperationSchemes = ["fallback", "decorator", "coordinator", "strategy-filter"] as const;

/** One of {@link cooperationSchemes}. */
export type CooperationScheme = (typeof cooperationSchemes)[number];

/** The reward of a helper and a main function, and where it comes from. */
export interface CooperationReward {
  /** 0 to 4. */
  readonly reward: number;
  readonly terms: {
    /** 0.4 for a helper with a return, 0.6 for a main function with one. */
    readonly structure: number;
    /** 0.5 when all parses together. */
    readonly syntax: number;
    /** Share of the asserts that pass. */
    readonly tests: number;
    /** 0.5 for a call of the helper, 1 for more than a wrapper of it, -0.5 when its result is not used. */
    readonly cooperation: number;
  };
  /** Tests in which the program reached a limit of the sandbox; they count as failed. */
  readonly limited: number;
  /** The first level that failed and ended the count; null when all were reached. */
  readonly stoppedAt: "main" | "syntax" | null;
  readonly schemes: readonly CooperationScheme[];
  /** Why the machine kept it from being judged: the rest says nothing then. Null where it was judged. */
  readonly undecided: string | null;
  /** What a reader outside can say of it: MAGRPO's feedback between turns. One test is shown. */
  readonly feedback: string;
  /** The same for readers with words of their own. */
  readonly report: CooperationReport;
}

/** What the syntax of a helper and a main function says, and their first test. */
export interface CooperationReport {
  /** It is there and returns something. */
  readonly auxDefined: boolean;
  readonly mainDefined: boolean;
  /** The two together are Python. */
  readonly parses: boolean;
  readonly callsAux: boolean;
  readonly isWrapper: boolean;
  readonly usesResult: boolean;
  /** The first assert as it stands, and what decided, as in {@link ProgramVerdict}; null where it passed. Undefined where it was not run. */
  readonly first: { readonly assert: string; readonly failure: string | null | undefined };
}

interface Analysis extends Omit<CooperationReport, "first"> {
  readonly schemes: readonly CooperationScheme[];
  readonly tests: readonly string[];
}

/** Tests that run out of time before the rest is not run. */
const maxTimeouts = 3;

/**
 * MAGRPO's reward of code written together (LLM_Collab_Code_Generation@7ca407e): a helper `aux` and the function that was
 * asked for. Levels add up; a missing main function and a syntax error end the count. Unlike there, calls are found in the
 * syntax tree and not by a pattern that a comment satisfies, asserts of several lines are read, and programs run in a
 * sandbox in which they never meet the tests. Functions that cannot be read, however they see to that, are no Python.
 * @throws LaconicError `data_invalid` when the tests cannot be read
 */
export async function cooperationReward(
  replies: { readonly aux: string; readonly main: string },
  tests: ProgramTests,
  sandbox: Sandbox,
  options: { readonly secondsPerTest?: number; readonly signal?: AbortSignal } = {},
): Promise<CooperationReward> {
  const { secondsPerTest = 10, signal } = options;
  const aux = solutionIn(replies.aux, "aux") ?? replies.aux;
  const main = solutionIn(replies.main, tests.entryPoint) ?? replies.main;
  const imports = importsOf(tests.prompt);
  const found = await analyse({ aux, main, prompt: imports, test: tests.test, entryPoint: tests.entryPoint }, sandbox);
  if (found === null) return unjudged("their syntax could not be looked at");
  const terms = { structure: found.auxDefined ? 0.4 : 0, syntax: 0, tests: 0, cooperation: 0 };
  let first: string | null | undefined;
  let limited = 0;
  const result = (stoppedAt: CooperationReward["stoppedAt"], feedback: string): CooperationReward => ({
    reward: terms.structure + terms.syntax + terms.tests + terms.cooperation,
    terms: { ...terms },
    limited,
    stoppedAt,
    schemes: found.schemes,
    undecided: null,
    feedback,
    report: reportOf(found, first),
  });
  if (!found.mainDefined) return result("main", `The function ${tests.entryPoint} is missing, or returns nothing.`);
  terms.structure += 0.6;
  if (!found.parses) return result("syntax", "The two functions together are not valid Python.");
  terms.syntax = 0.5;
  const program = [imports, found.auxDefined ? aux : "", main].join("\n\n");
  let passed = 0;
  let timeouts = 0;
  let failure: string | null = null;
  for (const test of found.tests) {
    if (timeouts >= maxTimeouts) break;
    const verdict = await gradeProgram(program, { ...tests, prompt: imports, test }, sandbox, {
      seconds: secondsPerTest,
      ...(signal && { signal }),
    });
    if (verdict.limited) limited++;
    else if (!verdict.decided) return unjudged(verdict.rule);
    if (first === undefined) first = verdict.correct ? null : verdict.rule;
    if (verdict.correct) passed++;
    else failure ??= `${verdict.rule} in:\n${lastAssert(test)}`;
    if (verdict.rule.startsWith("time limit")) timeouts++;
  }
  terms.tests = passed / found.tests.length;
  if (passed > 0 && found.auxDefined && found.callsAux) {
    terms.cooperation = 0.5 + (found.isWrapper ? 0 : 1) - (found.usesResult ? 0 : 0.5);
  }
  const helper = found.auxDefined
    ? found.callsAux
      ? ""
      : " The helper aux is never called."
    : " There is no helper aux.";
  return result(
    null,
    `${passed} of ${found.tests.length} tests pass.${failure === null ? "" : ` ${failure}`}${helper}`,
  );
}

/** What is left of a reward that the machine did not let be judged. */
function unjudged(reason: string): CooperationReward {
  const terms = { structure: 0, syntax: 0, tests: 0, cooperation: 0 };
  return {
    reward: 0,
    terms,
    limited: 0,
    stoppedAt: null,
    schemes: [],
    undecided: reason,
    feedback: "Nobody has read it.",
    report: unread,
  };
}

const unread: CooperationReport = {
  auxDefined: false,
  mainDefined: false,
  parses: false,
  callsAux: false,
  isWrapper: false,
  usesResult: false,
  first: { assert: "", failure: undefined },
};

function reportOf(found: Analysis, failure: string | null | undefined): CooperationReport {
  const { auxDefined, mainDefined, parses, callsAux, isWrapper, usesResult, tests } = found;
  const first = { assert: lastAssert(tests[0] ?? ""), failure };
  return { auxDefined, mainDefined, parses, callsAux, isWrapper, usesResult, first };
}

interface AnalysisInput {
  readonly aux: string;
  readonly main: string;
  readonly prompt: string;
  readonly test: string;
  readonly entryPoint: string;
}

/** Null where the machine did not let it run. */
async function analyse(input: AnalysisInput, sandbox: Sandbox): Promise<Analysis | null> {
  const code = `import ${harness.name}\n${harness.name}.analyse_cooperation()`;
  const stdin = JSON.stringify(input);
  const isUnread = input.aux === "" && input.main === "";
  if (isUnread || Buffer.byteLength(stdin) < sandbox.record.limits.inputBytes - code.length) {
    const run = await sandbox.run({ code, stdin });
    if (run.status === "undecided" || run.status === "aborted") return null;
    const found = analysisOf(run);
    if (found) return found;
    if (isUnread)
      throw new LaconicError(
        "data_invalid",
        `the tests of ${input.entryPoint} cannot be read: ${run.status} ${run.stderr.slice(-300)}`,
        { entryPoint: input.entryPoint },
      );
  }
  // The tests can be read without the functions, or nobody can: whose fault it is shows.
  const without = await analyse({ ...input, aux: "", main: "" }, sandbox);
  return without && { ...without, parses: false };
}

function analysisOf({ status, stdout }: SandboxResult): Analysis | null {
  return status === "ok" ? ((tryParseJson(stdout) ?? null) as Analysis | null) : null;
}

/** What a prompt imports: the functions of a reply stand on it. */
function importsOf(prompt: string): string {
  return prompt
    .split("\n")
    .filter((line) => /^(?:from|import)\s/u.test(line))
    .join("\n");
}

function lastAssert(test: string): string {
  const lines = test.split("\n");
  return lines
    .slice(
      Math.max(
        0,
        lines.findLastIndex((line) => line.trimStart().startsWith("assert")),
      ),
    )
    .join("\n")
    .trim();
}
