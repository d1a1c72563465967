import type { Random } from "@laconic/core";
import { quote, type Line, type Stage, type Turn } from "@laconic/topologies";
import type { RunProgram } from "../protocols/baseline.ts";
import { assertsIn, codeIn } from "../code/code-in.ts";
import { runReply, runTests, type Ending } from "../code/run-tests.ts";
import { chat } from "../prompts/chat.ts";
import { bestTwo, drawnNote } from "./best-two.ts";
import { scoreForm } from "./debate.ts";
import { scoresIn, weightsOf } from "./importance.ts";

/** What one judge says of programs. */
export interface Judgement {
  readonly judge: "passer" | "tester" | "reflector" | "judge-ranker";
  /** Null for the tool, which costs no call. */
  readonly turn: Turn | null;
  /** Of each program, in their order. */
  readonly weights: readonly number[];
  /** What writers read of each program, every line a quotation; the ranker's remark is whom it leaves out. */
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
): Promise<Judged> {
  const { question } = stage.problem;
  const codes = programs.map(({ utterance }) => codeIn(utterance.text));
  const [toReflector, toRanker] = [0, 1].map(() => random.shuffle(programs.map((_, i) => i)));
  const ranks = programs.length > 2;
  const read = (order: readonly number[] = []) => order.map((i) => (programs[i] as Turn).message);
  const [tested, reflected, ranked] = await stage.say(
    { agent: "tester", prompt: chat(testerDuty, question), ...settings },
    {
      agent: "reflector",
      prompt: chat(reflectorDuty, `${question}\n\n${listed(codes, toReflector)}`),
      reads: read(toReflector),
      ...settings,
    },
    ...(ranks
      ? [
          {
            agent: "judge-ranker",
            prompt: chat(rankerDuty, `${question}\n\n${listed(codes, toRanker)}`),
            reads: read(toRanker),
            ...settings,
          },
        ]
      : []),
  );
  const tests = assertsIn(tested?.utterance.text ?? "");
  const [alone, results] = await Promise.all([
    Promise.all(programs.map(({ utterance }) => runReply(question, utterance.text, run))),
    Promise.all(programs.map(({ utterance }) => runTests(question, utterance.text, tests, run))),
  ]);
  const { best, drawn } = ranks
    ? bestTwo(ranked?.utterance.text ?? "", programs.length, random)
    : { best: programs.map((_, i) => i), drawn: false };
  if (drawn) stage.note(drawnNote);
  const passed = ranks ? best.map((i) => (toRanker as number[])[i] as number) : best;
  const thoughts = reflectionsIn(reflected?.utterance.text ?? "", programs.length);
  const marks = scoresIn(reflected?.utterance.text ?? "");
  const placeOf = (i: number): number => (toReflector as number[]).indexOf(i);
  const judgements: Judgement[] = [
    {
      judge: "passer",
      turn: null,
      weights: scored(programs.map((_, i) => (alone[i] === null ? 5 : 0))),
      remarks: alone.map((end) => quote(end ?? "runs without an error")),
    },
    {
      judge: "tester",
      turn: tested ?? null,
      weights: scored(results.map((ends) => Math.ceil((5 * passedOf(ends)) / Math.max(1, tests.length)))),
      remarks: results.map((ends) => quote(resultsText(tests, ends))),
    },
    {
      judge: "reflector",
      turn: reflected ?? null,
      weights: scored(marks.length === programs.length ? programs.map((_, i) => marks[placeOf(i)] as number) : []),
      remarks: programs.map((_, i) => quote(thoughts[placeOf(i)] ?? "")),
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

const testerDuty = `Write unit tests for the function: up to ten different assertions, one a line, each beginning with assert. Write nothing else. Example, for def larger(a, b), which returns the larger number:
assert larger(1, 2) == 2
assert larger(-1, -2) == -1
assert larger(3, 3) == 3`;
const rankerDuty =
  "Choose the two programs that do best what the function's description says, edge cases and speed included. End with their numbers as [i, j].";

const reflectorDuty = `Say of each program whether and why it is wrong. Put what you say of program n behind a line "Reflection n:". End with a score of each program from 1 to 5, in their order, as ${scoreForm}. Example, of programs for larger(a, b):
Reflection 1:
Right: it compares both ways.
Reflection 2:
Wrong for equal numbers: it returns None.`;

function listed(codes: readonly string[], order: readonly number[] = []): string {
  return order.map((i, place) => `Program ${place + 1}:\n${quote(codes[i] ?? "")}`).join("\n\n");
}

/** What stands behind each number; nothing of any where the count is not right. */
function reflectionsIn(reply: string, count: number): string[] {
  const parts = reply
    .replaceAll(/\[\[[^[\]]{0,400}\]\]/gu, "")
    .split(/^[ \t]*Reflection[ \t]+\d+[ \t]*:/gimu)
    .slice(1);
  return parts.length === count
    ? parts.map((part) => part.trim())
    : Array.from({ length: count }, () => "no reflection");
}

function passedOf(ends: readonly Ending[]): number {
  return ends.filter((end) => end === null).length;
}

function resultsText(tests: readonly string[], ends: readonly Ending[]): string {
  if (tests.length === 0) return "no tests";
  return tests
    .map((test, i) => `${ends[i] === null ? "passed" : "failed"}: ${test}${ends[i] ? ` # ${ends[i]}` : ""}`)
    .join("\n");
}
