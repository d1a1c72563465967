import { readFile, stat } from "node:fs/promises";
import { LaconicError, parseJson } from "@laconic/core";
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
  const lines = (await readText(file)).split("\n");
  return lines.flatMap((line, i) => {
    if (line.trim() === "") return [];
    const parsed = schema.safeParse(parseJson(line, `${file}:${i + 1}`), { error: issueWords });
    if (parsed.success) return [parsed.data];
    const [issue] = parsed.error.issues;
    throw new LaconicError(
      "data_invalid",
      `${file}:${i + 1}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is no row"}`,
      { file, row: i + 1 },
    );
  });
}

function withReference<T extends object>(row: T, reference: string | undefined): T & { readonly reference?: string } {
  return { ...row, ...(reference !== undefined && { reference }) };
}

/** @throws LaconicError `config_invalid` with the file when it cannot be read */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new LaconicError("config_invalid", `${file} cannot be read: ${(error as Error).message}`, { file }, error);
  }
}
