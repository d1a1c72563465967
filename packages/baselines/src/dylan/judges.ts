import type { Random } from "@laconic/core";
import type { Line, Stage, Turn } from "@laconic/topologies";
import type { RunProgram } from "../protocols/baseline.ts";
import { assertsIn, maxAsserts } from "../code/code-in.ts";
import { outputsOf, runReply, runTests, validLines, type Ending } from "../code/run-tests.ts";
import { bestTwo, drawnNote } from "./best-two.ts";
import type { CodeWords, Remarker } from "./code-words.ts";
import { scoresIn, weightsOf } from "./importance.ts";

/** What one judge says of programs. */
export interface Judgement {
  readonly judge: Remarker | "judge-ranker";
  /** Null for the tool, which costs no call. */
  readonly turn: Turn | null;
  /** Of each program, in their order. */
  readonly weights: readonly number[];
  /** What writers read of each program; the ranker's remark is whom it leaves out. */
  readonly remarks: readonly string[];
}

/** What the judges of a layer say. */
export interface Judged {
  readonly judgements: readonly Judgement[];
  /** Programs that the ranker lets through, by position. */
  readonly passed: readonly number[];
  /** Assertions that the tester wrote. */
  readonly tests: readonly string[];
}

/** How judges ask: the settings of their lines. */
export type JudgeSettings = Pick<Line, "maxTokens" | "temperature">;

/**
 * DyLAN's four judges of programs. The passer runs each one; the tester writes assertions without having seen any, which are run on
 * each; the reflector comments and scores; the ranker names the best two.
 */
export async function judge(
  stage: Stage,
  programs: readonly Turn[],
  settings: JudgeSettings,
  run: RunProgram,
  random: Random,
  words: CodeWords,
): Promise<Judged> {
  const { question } = stage.problem;
  const codes = programs.map(({ utterance }) => words.program(question, utterance.text));
  const inOrder = (order: readonly number[] = []): string[] => order.map((i) => codes[i] as string);
  const [toReflector, toRanker] = [0, 1].map(() => random.shuffle(programs.map((_, i) => i)));
  const ranks = programs.length > 2;
  const read = (order: readonly number[] = []) => order.map((i) => (programs[i] as Turn).message);
  const [tested, reflected, ranked] = await stage.say(
    { agent: "tester", prompt: words.test(question), ...settings },
    {
      agent: "reflector",
      prompt: words.reflect(question, inOrder(toReflector)),
      reads: read(toReflector),
      ...settings,
    },
    ...(ranks
      ? [
          {
            agent: "judge-ranker",
            prompt: words.rank(question, inOrder(toRanker)),
            reads: read(toRanker),
            ...settings,
          },
        ]
      : []),
  );
  const { tests, alone, results, failures } = await runAll(
    question,
    programs,
    tested?.utterance.text ?? "",
    run,
    words,
  );
  const { best, drawn } = ranks
    ? bestTwo(ranked?.utterance.text ?? "", programs.length, random)
    : { best: programs.map((_, i) => i), drawn: false };
  if (drawn) stage.note(drawnNote);
  const passed = ranks ? best.map((i) => (toRanker as number[])[i] as number) : best;
  const thoughts = words.reflections(reflected?.utterance.text ?? "", programs.length);
  const marks = scoresIn(reflected?.utterance.text ?? "");
  const placeOf = (i: number): number => (toReflector as number[]).indexOf(i);
  const judgements: Judgement[] = [
    {
      judge: "passer",
      turn: null,
      weights: scored(programs.map((_, i) => (alone[i] === null ? 5 : 0))),
      remarks: alone.map(words.ran),
    },
    {
      judge: "tester",
      turn: tested ?? null,
      weights: scored(results.map((ends) => Math.ceil((5 * passedOf(ends)) / Math.max(1, tests.length)))),
      remarks: failures.map((ends) => words.tested(tests.map((test, j) => ({ test, failure: ends[j] ?? null })))),
    },
    {
      judge: "reflector",
      turn: reflected ?? null,
      weights: scored(marks.length === programs.length ? programs.map((_, i) => marks[placeOf(i)] as number) : []),
      remarks: programs.map((_, i) => thoughts[placeOf(i)] ?? ""),
    },
    {
      judge: "judge-ranker",
      turn: ranked ?? null,
      weights: scored(programs.map((_, i) => (passed.includes(i) ? 5 : 0))),
      remarks: [],
    },
  ];
  return { judgements, passed: passed.toSorted((a, b) => a - b), tests };

  function scored(scores: readonly number[]): number[] {
    return weightsOf(scores, programs.length);
  }
}

/** Programs alone, and on the tests that the tester wrote. */
async function runAll(
  question: string,
  programs: readonly Turn[],
  tester: string,
  run: RunProgram,
  words: CodeWords,
): Promise<{
  readonly tests: readonly string[];
  readonly alone: readonly Ending[];
  /** Of each program, how each test ended, and what is shown of one that failed. */
  readonly results: readonly (readonly Ending[])[];
  readonly failures: readonly (readonly (string | null)[])[];
}> {
  const asserts = assertsIn(tester);
  const valid = words.failures === "errors" ? asserts : await validLines(asserts, run);
  const tests = valid.slice(0, maxAsserts);
  const replies = programs.map(({ utterance }) => utterance.text);
  const [alone, results] = await Promise.all([
    Promise.all(replies.map((reply) => runReply(question, reply, run))),
    Promise.all(replies.map((reply) => runTests(question, reply, tests, run))),
  ]);
  if (words.failures === "errors") return { tests, alone, results, failures: results };
  const outputs = replies.map((reply, i) => outputsOf(question, reply, tests, results[i] ?? [], run));
  return { tests, alone, results, failures: await Promise.all(outputs) };
}

function passedOf(ends: readonly Ending[]): number {
  return ends.filter((end) => end === null).length;
}
