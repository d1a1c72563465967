import { readFile, stat } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { fileLines } from "@laconic/core/platform";
import { issueWords } from "@laconic/core/schemas";
import type { AnswerPair, LabelledAnswer } from "@laconic/rewards";
import { z } from "zod";

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
export function readText(file: string): Promise<string> {
  return reading(file, readFile(file, "utf8"));
}

async function reading<T>(file: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw new LaconicError("config_invalid", `${file} cannot be read: ${(error as Error).message}`, { file }, error);
  }
}
