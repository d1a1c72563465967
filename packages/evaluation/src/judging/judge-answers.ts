import { LaconicError, type LanguageModel } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import {
  agreement,
  createJudge,
  createPreference,
  timerOf,
  winRate,
  type Agreement,
  type AnswerPair,
  type LabelledAnswer,
  type Rubric,
  type WinRate,
} from "@laconic/rewards";
import { z } from "zod";
import { readText } from "./judged-answers.ts";

/** How a model judges answers. */
export interface JudgingOptions {
  readonly model: LanguageModel;
  readonly rubric: Rubric | string;
  /** That a verdict may take. */
  readonly seconds: number;
  /** Answers at a time. */
  readonly atOnce: number;
}

/** What judging came to. */
export interface JudgingOutcome<Result> {
  readonly result: Result;
  /** Why the spending cap refused a call; null where it did not. */
  readonly refusal: string | null;
}

/** How often the first of two answers is preferred. */
export async function judgePairs(
  pairs: readonly AnswerPair[],
  { model, rubric, seconds, atOnce }: JudgingOptions,
  onPair: (verdict: { status: string; reason?: string }) => void,
): Promise<JudgingOutcome<WinRate>> {
  const asked = untilRefused(model);
  const preference = createPreference({ model: asked.model, criterion: textOf(rubric), deadline: deadlineOf(seconds) });
  const result = await winRate(preference, pairs, { atOnce, onPair });
  return { result, refusal: asked.refusal() };
}

/** How often a judge says what labels say. */
export async function judgeLabelled(
  labelled: readonly LabelledAnswer[],
  { model, rubric, seconds, atOnce }: JudgingOptions,
  acceptAt: number,
): Promise<JudgingOutcome<Agreement>> {
  const asked = untilRefused(model);
  const judge = createJudge({ model: asked.model, rubric, deadline: deadlineOf(seconds) });
  const result = await agreement(judge, labelled, { atOnce, acceptAt });
  return { result, refusal: asked.refusal() };
}

const rubricSchema: z.ZodType<Rubric> = z.strictObject({
  criteria: z.array(z.strictObject({ name: z.string(), question: z.string(), weight: z.number().exactOptional() })),
});

/**
 * A rubric in words, or the criteria of a `.json` file.
 * @throws LaconicError `config_invalid` naming the file and what is wrong in it
 */
export async function rubricOf(given: string): Promise<Rubric | string> {
  if (!given.endsWith(".json")) return given;
  const parsed = rubricSchema.safeParse(parseJson(await readText(given), given), { error: issueWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new LaconicError("config_invalid", `${given}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`, {
    file: given,
  });
}

function deadlineOf(seconds: number): { readonly seconds: number; readonly timer: ReturnType<typeof timerOf> } {
  return { seconds, timer: timerOf(globalThis) };
}

function textOf(rubric: Rubric | string): string {
  if (typeof rubric === "string") return rubric;
  return rubric.criteria.map(({ question, weight = 1 }) => `${question} (weight ${weight})`).join(" ");
}

/** Keeps why the cap refused a call: judges take that for a question without a verdict. */
function untilRefused(server: LanguageModel): { readonly model: LanguageModel; readonly refusal: () => string | null } {
  let refused: string | null = null;
  const model: LanguageModel = {
    id: server.id,
    async complete(request) {
      try {
        return await server.complete(request);
      } catch (error) {
        if (LaconicError.is(error) && error.code === "budget_refused") refused ??= error.message;
        throw error;
      }
    },
  };
  return { model, refusal: () => refused };
}
