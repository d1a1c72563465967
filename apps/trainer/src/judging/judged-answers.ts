import { stat } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { gradedEpisode } from "@laconic/evaluation/analysis";
import type { AnswerPair, LabelledAnswer } from "@laconic/rewards";
import { nodeFileSystem, readLines, runFiles } from "@laconic/trainer";
import { z } from "zod";
import { exists, readGiven } from "../cli/files.ts";
import { parseJson } from "../cli/json.ts";

/** What somebody answered to a question. */
interface GivenAnswer {
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

/** Of two runs' last evaluations, or JSON lines, what both answered: one pair a question, by its id. */
export async function answerPairs(a: string, b: string): Promise<AnswerPair[]> {
  const [ofA, ofB] = [await answersOf(a), await answersOf(b)];
  const other = new Map(ofB.map((each) => [each.id, each]));
  return ofA.flatMap(({ id, question, answer, reference }) => {
    const same = other.get(id);
    if (!same) return [];
    if (same.question !== question)
      throw new LaconicError("data_invalid", `${id} is another question in ${a} than in ${b}`, { problem: id });
    return [withReference({ question, a: answer, b: same.answer }, reference)];
  });
}

async function answersOf(source: string): Promise<GivenAnswer[]> {
  const isFile = await stat(source).then(
    (found) => found.isFile(),
    () => source.endsWith(".jsonl"),
  );
  if (isFile) return rowsOf(source, answerSchema);
  const file = join(source, runFiles.episodes);
  if (!(await exists(file)))
    throw new LaconicError("run_missing", `${source} holds no run: there are no recorded episodes at ${file}`, {
      file,
    });
  const rows = await readLines(nodeFileSystem, file);
  const recorded = rows.map((row, i) => gradedEpisode(row, file, i + 1));
  const last = Math.max(...recorded.map(({ step }) => step));
  return recorded
    .filter(({ step }) => step === last)
    .map(({ problem, episode }) => ({
      id: problem.id,
      question: problem.question,
      answer: episode.answer ?? "",
      ...(problem.gold !== "" && { reference: problem.gold }),
    }));
}

async function rowsOf<T>(file: string, schema: z.ZodType<T>): Promise<T[]> {
  const lines = (await readGiven(file)).toString("utf8").split("\n");
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
