import { charactersOf, judgeAsker, type JudgeSettings, type Verdict } from "./ask-judge.ts";
import { codeFor, judgeMessages, type Judged } from "./fence.ts";
import { configError, type Reward, type LaconicError } from "@laconic/core";
import { checkAcceptAt } from "../check-option.ts";

/** Marks of an answer. */
export interface Marks {
  /** 0 to 1. */
  readonly marks: Readonly<Record<string, number>>;
  /** Weighted mean, 0 to 1. */
  readonly score: number;
}

/** Answer to judge. */
export interface JudgedAnswer extends Judged {
  readonly answer: string;
}

/** Judge of answers. */
export interface Judge {
  readonly criteria: readonly Required<Criterion>[];
  judge(item: JudgedAnswer, signal?: AbortSignal): Promise<Verdict<Marks>>;
}

/** Settings with a rubric: one question, or several criteria. */
export interface JudgeOptions extends JudgeSettings {
  readonly rubric: Rubric | string;
}

/**
 * Creates a judge that marks each criterion from 0 to {@link bestMark}. A code that no text contains fences the input,
 * and marks need it: "correctness: 10" in an answer has no effect. Judges may still follow instructions in answers;
 * `agreement` measures this.
 * @throws LaconicError `config_invalid`
 */
export function createJudge(options: JudgeOptions): Judge {
  const criteria = readRubric(options.rubric);
  const most = charactersOf(options);
  const ask = judgeAsker<Marks>(options);
  return {
    criteria,
    judge: ({ answer, ...judged }, signal) => {
      const { question, reference } = judged;
      const code = codeFor([question, reference ?? "", answer, ...criteria.map((item) => item.question)]);
      const form = criteria.map(({ name }) => `${code} ${name}: MARK`).join("\n");
      const asked = [
        `Mark the answer from 0 (not at all) to ${bestMark} (fully) for each:`,
        ...criteria.map((item) => `${item.name}: ${item.question}`),
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

/** Null unless each criterion has exactly one mark. */
function marksIn(reply: string, code: string, criteria: readonly Required<Criterion>[]): Marks | null {
  const marks: Record<string, number> = {};
  for (const { name } of criteria) {
    const line = new RegExp(`^[ \\t*]*${code} ${name}: *(\\d{1,3})(?:/${bestMark})?[ \\t*.]*$`, "gmu");
    const marked = new Set([...reply.matchAll(line)].map((match) => Number(match[1])));
    const [mark] = marked;
    if (marked.size !== 1 || mark === undefined || mark > bestMark) return null;
    marks[name] = mark / bestMark;
  }
  const whole = criteria.reduce((sum, { weight }) => sum + weight, 0);
  const score = criteria.reduce((sum, { name, weight }) => sum + (weight / whole) * marks[name]!, 0);
  return { marks, score: Math.min(1, score) };
}

/** Criterion of a rubric. */
export interface Criterion {
  /** Term name: lower-case letters, digits, - and _. */
  readonly name: string;
  /** Question to the judge. */
  readonly question: string;
  /** Default 1. */
  readonly weight?: number;
}

/** Criteria of a judge. */
export interface Rubric {
  readonly criteria: readonly Criterion[];
}

/** Best mark; the worst is 0. */
export const bestMark = 10;

const nameForm = /^[a-z][a-z0-9_-]{0,39}$/u;

/**
 * A single question becomes `task`.
 * @throws LaconicError `config_invalid`
 */
function readRubric(input: Rubric | string): readonly Required<Criterion>[] {
  const criteria = typeof input === "string" ? [{ name: "task", question: input }] : input.criteria;
  const refuse = (reason: string): LaconicError => configError(`rubric: ${reason}`);
  if (criteria.length === 0) throw refuse("the list of criteria is empty");
  const seen = new Set<string>();
  return criteria.map(({ name, question, weight = 1 }) => {
    if (!nameForm.test(name))
      throw refuse(
        `${JSON.stringify(name)} is not a name: expected a lower-case letter, then letters, digits, - and _`,
      );
    if (seen.has(name)) throw refuse(`duplicate criterion ${name}`);
    seen.add(name);
    if (question.trim() === "") throw refuse(`${name}: the question is empty`);
    if (!(weight > 0 && weight < Infinity))
      throw refuse(`the weight of ${name} is ${weight}, expected a number above 0`);
    return { name, question, weight };
  });
}

/** Options of {@link judgeGrader}. */
export interface JudgeGraderOptions extends JudgeOptions {
  /** Min score of a correct answer, in (0, 1]. Default 0.5. */
  readonly acceptAt?: number;
}

/** Verdict in the format of `@laconic/benchmarks`. */
export interface JudgeVerdict {
  readonly correct: boolean;
  readonly extracted: string | null;
  readonly rule: string;
  readonly certainty: "judged" | "undecided";
  readonly decided: boolean;
}

/**
 * Grades free answers, for `Graders.text`.
 * @throws LaconicError `config_invalid`
 */
export function judgeGrader(
  options: JudgeGraderOptions,
): (
  reply: string,
  problem: { readonly question: string; readonly gold: string },
  signal?: AbortSignal,
) => Promise<JudgeVerdict> {
  const { acceptAt = 0.5, model } = options;
  checkAcceptAt(acceptAt);
  const { judge } = createJudge(options);
  return async (reply, { question, gold }, signal) => {
    const verdict = await judge({ question, answer: reply, ...(gold !== "" && { reference: gold }) }, signal);
    if (verdict.status === "undecided")
      return { correct: false, extracted: null, rule: verdict.reason, certainty: "undecided", decided: false };
    const { score } = verdict.value;
    const rule = `judged by ${model.id}: ${score.toFixed(2)}`;
    return { correct: score >= acceptAt, extracted: reply, rule, certainty: "judged", decided: true };
  };
}

/** Options of {@link judgeReward}. */
export interface JudgeRewardOptions extends JudgeOptions {
  /** Shows the gold answer. Default: if there is one. */
  readonly showGold?: boolean;
}

/**
 * Judge as a run's reward, one term per criterion: mark times share of the weights. A single question gives `task`.
 * Missing answers score 0 without a request; undecided verdicts are skipped.
 * @example export default judgeReward({ model, rubric: "Is the answer right, and does it say why?" });
 */
export function judgeReward(options: JudgeRewardOptions): Reward {
  const { criteria, judge } = createJudge(options);
  const whole = criteria.reduce((sum, { weight }) => sum + weight, 0);
  return async ({ answer }, { question, gold }, { signal }) => {
    const shown = (options.showGold ?? gold !== "") ? { reference: gold } : {};
    const verdict =
      answer === null
        ? ({ status: "judged", value: { marks: {}, score: 0 } } as const)
        : await judge({ question, answer, ...shown }, signal);
    if (verdict.status === "undecided") return { undecided: verdict.reason };
    const { marks, score } = verdict.value as { marks: Readonly<Record<string, number>>; score: number };
    return {
      team: Object.fromEntries(criteria.map(({ name, weight }) => [name, (weight / whole) * (marks[name] ?? 0)])),
      score,
    };
  };
}
