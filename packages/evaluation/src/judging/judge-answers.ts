import { readFile, stat } from "node:fs/promises";
import { configError, LaconicError, type LanguageModel, dataError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { fileLines } from "@laconic/core/platform";
import { parseBy } from "@laconic/core/schemas";
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

/** Options of a judge. */
export interface JudgingOptions {
  readonly model: LanguageModel;
  readonly rubric: Rubric | string;
  readonly seconds: number;
  readonly atOnce: number;
}

interface JudgingOutcome<Result> {
  readonly result: Result;
  readonly refusal: string | null;
}

/** Win rate of the first of two answers. */
export async function judgePairs(
  pairs: readonly AnswerPair[],
  { model, rubric, seconds, atOnce }: JudgingOptions,
  onPair: (verdict: { status: string; reason?: string }) => void,
): Promise<JudgingOutcome<WinRate>> {
  const asked = untilRefused(model);
  const criterion =
    typeof rubric === "string"
      ? rubric
      : rubric.criteria.map(({ question, weight = 1 }) => `${question} (weight ${weight})`).join(" ");
  const deadline = { seconds, timer: timerOf(globalThis) };
  const preference = createPreference({ model: asked.model, criterion, deadline });
  const result = await winRate(preference, pairs, { atOnce, onPair });
  return { result, refusal: asked.refusal() };
}

/** Agreement of a judge with labels. */
export async function judgeLabelled(
  labelled: readonly LabelledAnswer[],
  { model, rubric, seconds, atOnce }: JudgingOptions,
  acceptAt: number,
): Promise<JudgingOutcome<Agreement>> {
  const asked = untilRefused(model);
  const judge = createJudge({ model: asked.model, rubric, deadline: { seconds, timer: timerOf(globalThis) } });
  const result = await agreement(judge, labelled, { atOnce, acceptAt });
  return { result, refusal: asked.refusal() };
}

const rubricSchema: z.ZodType<Rubric> = z.strictObject({
  criteria: z.array(z.strictObject({ name: z.string(), question: z.string(), weight: z.number().exactOptional() })),
});

/** Rubric text, or criteria of a `.json` file. @throws LaconicError `config_invalid` naming file and error */
export async function rubricOf(input: string): Promise<Rubric | string> {
  if (!input.endsWith(".json")) return input;
  const text = await reading(input, readFile(input, "utf8"));
  return parseBy(rubricSchema, parseJson(text, input), (key, reason) =>
    configError(`${input}: ${key}: ${reason}`, { file: input }),
  );
}

/** Judges report a refusal by the spend cap as a missing verdict, so it is kept here. */
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

/** Answer to a question. */
export interface GivenAnswer {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly reference?: string | undefined;
}

const answered = { question: z.string(), answer: z.string(), reference: z.string().exactOptional() };
const answerSchema: z.ZodType<GivenAnswer> = z.object({ id: z.string().min(1), ...answered });
const labelledSchema: z.ZodType<LabelledAnswer> = z.object({ ...answered, label: z.boolean() });

/**
 * Reads labelled answers from JSON lines.
 * @throws LaconicError `config_invalid` for a missing file, `data_invalid` with file and row
 */
export async function labelledAnswers(file: string): Promise<LabelledAnswer[]> {
  return rowsOf(file, labelledSchema);
}

/** Pairs answers of two runs or files by question id. */
export async function answerPairs(
  a: string,
  b: string,
  ofRun: (directory: string) => Promise<GivenAnswer[]>,
): Promise<AnswerPair[]> {
  const answersOf = async (source: string): Promise<GivenAnswer[]> =>
    (await isLines(source)) ? rowsOf(source, answerSchema) : ofRun(source);
  const ofA = await answersOf(a);
  const ofB = await answersOf(b);
  const other = new Map(ofB.map((givenAnswer) => [givenAnswer.id, givenAnswer]));
  return ofA.flatMap(({ id, question, answer, reference }) => {
    const same = other.get(id);
    if (!same) return [];
    if (same.question !== question) throw dataError(`${id} differs between ${a} and ${b}`, { problem: id });
    return [{ question, a: answer, b: same.answer, ...(reference !== undefined && { reference }) }];
  });
}

function isLines(source: string): Promise<boolean> {
  return stat(source).then(
    (entry) => entry.isFile(),
    () => source.endsWith(".jsonl"),
  );
}

async function rowsOf<T>(file: string, schema: z.ZodType<T>): Promise<T[]> {
  await reading(file, stat(file));
  const rows: T[] = [];
  for await (const { text, row } of fileLines(file, false)) {
    if (text.trim() === "") continue;
    const refuse = (key: string, reason: string): LaconicError =>
      dataError(`${file}:${row}: ${key}: ${reason}`, { file, row });
    rows.push(parseBy(schema, parseJson(text, `${file}:${row}`), refuse));
  }
  return rows;
}

/** @throws LaconicError `config_invalid` for an unreadable file */
async function reading<T>(file: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw configError(`${file} cannot be read: ${(error as Error).message}`, { file }, error);
  }
}
