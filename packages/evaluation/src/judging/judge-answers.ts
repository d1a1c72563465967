import { readFile, stat } from "node:fs/promises";
import { LaconicError, type LanguageModel } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { fileLines } from "@laconic/core/platform";
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

/** How a model judges answers. */
export interface JudgingOptions {
  readonly model: LanguageModel;
  readonly rubric: Rubric | string;
  readonly seconds: number;
  readonly atOnce: number;
}

/** What judging came to. */
export interface JudgingOutcome<Result> {
  readonly result: Result;
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

/** What somebody answered to a question. */
export interface GivenAnswer {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly reference?: string | undefined;
}

const answerSchema: z.ZodType<GivenAnswer> = z.object({
  id: z.string().min(1),
  question: z.string(),
  answer: z.string(),
  reference: z.string().optional(),
});

const labelledSchema: z.ZodType<Omit<LabelledAnswer, "reference"> & { reference?: string | undefined }> = z.object({
  question: z.string(),
  answer: z.string(),
  reference: z.string().optional(),
  label: z.boolean(),
});

/**
 * Labelled answers, JSON lines.
 * @throws LaconicError `config_invalid` for a file that is not there, `data_invalid` naming file and row
 */
export async function labelledAnswers(file: string): Promise<LabelledAnswer[]> {
  return (await rowsOf(file, labelledSchema)).map(({ reference, ...row }) => withReference(row, reference));
}

/**
 * Of two runs' last evaluations, or JSON lines, what both answered: one pair a question, by its id.
 * @param ofRun - the answers of a run's last evaluation
 */
export async function answerPairs(
  a: string,
  b: string,
  ofRun: (directory: string) => Promise<GivenAnswer[]>,
): Promise<AnswerPair[]> {
  const answersOf = async (source: string): Promise<GivenAnswer[]> =>
    (await isLines(source)) ? rowsOf(source, answerSchema) : ofRun(source);
  const ofA = await answersOf(a);
  const ofB = await answersOf(b);
  const other = new Map(ofB.map((each) => [each.id, each]));
  return ofA.flatMap(({ id, question, answer, reference }) => {
    const same = other.get(id);
    if (!same) return [];
    if (same.question !== question)
      throw new LaconicError("data_invalid", `${id} is another question in ${a} than in ${b}`, { problem: id });
    return [withReference({ question, a: answer, b: same.answer }, reference)];
  });
}

function isLines(source: string): Promise<boolean> {
  return stat(source).then(
    (found) => found.isFile(),
    () => source.endsWith(".jsonl"),
  );
}

async function rowsOf<T>(file: string, schema: z.ZodType<T>): Promise<T[]> {
  await reading(file, stat(file));
  const rows: T[] = [];
  for await (const { text, row } of fileLines(file, false)) {
    if (text.trim() === "") continue;
    const parsed = schema.safeParse(parseJson(text, `${file}:${row}`), { error: issueWords });
    const [issue] = parsed.error?.issues ?? [];
    if (!parsed.success)
      throw new LaconicError(
        "data_invalid",
        `${file}:${row}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is no row"}`,
        { file, row },
      );
    rows.push(parsed.data);
  }
  return rows;
}

function withReference<T extends object>(row: T, reference: string | undefined): T & { readonly reference?: string } {
  return { ...row, ...(reference !== undefined && { reference }) };
}

/** @throws LaconicError `config_invalid` with the file when it cannot be read */
function readText(file: string): Promise<string> {
  return reading(file, readFile(file, "utf8"));
}

async function reading<T>(file: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw new LaconicError("config_invalid", `${file} cannot be read: ${(error as Error).message}`, { file }, error);
  }
}
