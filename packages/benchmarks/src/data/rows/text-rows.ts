import { present } from "@laconic/core";
import { z } from "zod";
import type { RowProblem } from "../benchmark.ts";
import { numberOrText, text, type Rows } from "./fields.ts";

/** The hub has columns of titles and sentences. */
const paragraphs = z.preprocess(
  (value) => pairsOf(value) ?? value,
  z.array(z.tuple([text, z.array(z.string())])).min(1),
);

function pairsOf(value: unknown): unknown[] | null {
  const { title, sentences } = (value ?? {}) as { readonly title?: unknown; readonly sentences?: unknown };
  if (!Array.isArray(title) || !Array.isArray(sentences)) return null;
  return Array.from({ length: Math.max(title.length, sentences.length) }, (_, i) => [title[i], sentences[i]]);
}

export const hotpotqaRow: Rows = z
  .object({
    _id: text.optional(),
    id: text.optional(),
    question: text,
    answer: text,
    type: z.string().optional(),
    level: z.string().optional(),
    context: paragraphs,
  })
  .transform(({ _id, id = _id, question, answer, type, level, context }) => ({
    ...(id !== undefined && { id: `hotpotqa/${id}` }),
    question: [...context.map(([title, sentences]) => `${title}: ${sentences.join("").trim()}`), question].join("\n\n"),
    gold: answer,
    grading: { kind: "text", words: true },
    metadata: { ...present({ type, level }) },
  }));

const tldrGrading = { kind: "writing", form: "tldr" } as const;

export const tldrRow: Rows = z.union([
  z
    .object({ instruction_id: text, subreddit: text, title: text, instruction: text, gold_response: text })
    .transform(({ instruction_id: id, subreddit, title, instruction, gold_response: gold }) => ({
      id: `tldr/${id}`,
      question: `SUBREDDIT: r/${subreddit}\n\nTITLE: ${title}\n\nPOST: ${instruction}\n\nTL;DR:`,
      gold,
      grading: tldrGrading,
    })),
  z
    .object({ prompt: text, completion: text })
    .transform(({ prompt, completion }) => ({ question: prompt, gold: completion, grading: tldrGrading })),
]);

/** White space of tokenised abstracts has no meaning. */
const abstract = text.transform((words) => words.replaceAll(/\s+/g, " "));

const arxivProblem = (id: string, question: string): RowProblem => ({
  id: `arxiv/${id}`,
  question,
  gold: "",
  grading: { kind: "writing", form: "arxiv" },
});

export const arxivRow: Rows = z.union([
  z.object({ id: numberOrText, abstract }).transform((row) => arxivProblem(row.id, row.abstract)),
  z
    .object({ article_id: text, abstract_text: abstract })
    .transform((row) => arxivProblem(row.article_id, row.abstract_text)),
]);

/** MAGRPO uses abstracts of 100 to 300 tokens. */
export function hasArxivLength({ question }: RowProblem): boolean {
  const tokens = question.split(" ").length;
  return tokens >= 100 && tokens <= 300;
}
