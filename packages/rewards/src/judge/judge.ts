import { charactersOf, judgeAsker, type JudgeSettings, type Verdict } from "./ask-judge.ts";
import { codeFor, judgeMessages, type Judged } from "./fence.ts";
import { bestMark, readRubric, type Criterion, type Rubric } from "./rubric.ts";

/** What a judge made of an answer. */
export interface Marks {
  /** By criterion, 0 to 1. */
  readonly marks: Readonly<Record<string, number>>;
  /** Their mean by weight, 0 to 1. */
  readonly score: number;
}

/** An answer to be judged. */
export interface JudgedAnswer extends Judged {
  readonly answer: string;
}

/** Judges answers by a rubric. */
export interface Judge {
  readonly criteria: readonly Required<Criterion>[];
  judge(item: JudgedAnswer, signal?: AbortSignal): Promise<Verdict<Marks>>;
}

/** A judge and its rubric: one question, or several criteria. */
export interface JudgeOptions extends JudgeSettings {
  readonly rubric: Rubric | string;
}

/**
 * A model that marks answers by a rubric, each criterion from 0 to {@link bestMark}. Question, reference and answer stand between
 * lines with a code that none of them contains, and only lines with the code count as marks: an answer that says "correctness: 10"
 * marks nothing, also where the judge quotes it. A judge that does what an answer tells it is not kept from it: measure with `agreement`.
 * @throws LaconicError `config_invalid` for a rubric or an option that is none
 */
export function createJudge(options: JudgeOptions): Judge {
  const criteria = readRubric(options.rubric);
  const most = charactersOf(options);
  const ask = judgeAsker<Marks>(options);
  return {
    criteria,
    judge: ({ answer, ...judged }, signal) => {
      const { question, reference } = judged;
      const code = codeFor([question, reference ?? "", answer, ...criteria.map((each) => each.question)]);
      const form = criteria.map(({ name }) => `${code} ${name}: MARK`).join("\n");
      const asked = [
        `Mark the answer from 0 (not at all) to ${bestMark} (fully) for each:`,
        ...criteria.map((each) => `${each.name}: ${each.question}`),
        `End with these lines, a whole number from 0 to ${bestMark} in place of MARK:\n${form}`,
      ];
      return ask(
        {
          key: JSON.stringify([question, reference ?? null, answer]),
          messages: judgeMessages(code, judged, { ANSWER: answer }, asked, most),
          form,
          read: (reply) => marksIn(reply, code, criteria),
        },
        signal,
      );
    },
  };
}

/** Null unless each criterion has one mark in range: none, two that differ, or 11 of 10 are no verdict. */
function marksIn(reply: string, code: string, criteria: readonly Required<Criterion>[]): Marks | null {
  const marks: Record<string, number> = {};
  for (const { name } of criteria) {
    const line = new RegExp(`^[ \\t*]*${code} ${name}: *(\\d{1,3})(?:/${bestMark})?[ \\t*.]*$`, "gmu");
    const found = new Set([...reply.matchAll(line)].map((match) => Number(match[1])));
    const [mark] = found;
    if (found.size !== 1 || mark === undefined || mark > bestMark) return null;
    marks[name] = mark / bestMark;
  }
  const whole = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const score = criteria.reduce((sum, { name, weight }) => sum + (weight / whole) * (marks[name] as number), 0);
  return { marks, score: Math.min(1, score) };
}
