import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { text } from "./rows.ts";

const answer = { kind: "text", words: true } as const;

/** Paragraphs as the authors' file lists them; the hub has columns of titles and of sentences. */
const context = z.preprocess((value) => pairsOf(value) ?? value, z.array(z.tuple([text, z.array(z.string())])).min(1));

function pairsOf(value: unknown): unknown[] | null {
  const { title, sentences } = (value ?? {}) as { readonly title?: unknown; readonly sentences?: unknown };
  if (!Array.isArray(title) || !Array.isArray(sentences)) return null;
  return Array.from({ length: Math.max(title.length, sentences.length) }, (_, i) => [title[i], sentences[i]]);
}

const row: z.ZodType<RowProblem> = z
  .object({
    _id: text.optional(),
    id: text.optional(),
    question: text,
    answer: text,
    type: z.string().optional(),
    level: z.string().optional(),
    context,
  })
  .transform(({ _id, id = _id, question, answer: gold, type, level, context: paragraphs }) => {
    const read = paragraphs.map(([title, said]) => `${title}: ${said.join("").trim()}`).join("\n\n");
    return {
      ...(id !== undefined && { id: `hotpotqa/${id}` }),
      question: `${read}\n\n${question}`,
      gold,
      grading: answer,
      metadata: { ...(type !== undefined && { type }), ...(level !== undefined && { level }) },
    };
  });

export const hotpotqa: Benchmark = {
  name: "hotpotqa",
  title: "HotpotQA",
  about: "Questions whose answer takes two of ten given paragraphs of Wikipedia, eight of which distract.",
  licence: "CC-BY-SA-4.0",
  source: "https://hotpotqa.github.io; hub hotpotqa/hotpot_qa",
  answer,
  gold: "`answer`, a few words, yes or no",
  traps: [
    "A right answer has the gold's words and no others, but for case, punctuation and articles (EM). The F1 of words has a table of its own.",
    "Supporting facts are not asked for, so that there is no joint score.",
  ],
  defaultSplit: "dev",
  splits: {
    dev: {
      rows: 7405,
      files: [
        {
          path: "hotpotqa/hotpot_dev_distractor_v1.json",
          url: "https://curtis.ml.cmu.edu/datasets/hotpot/hotpot_dev_distractor_v1.json",
          bytes: 46_320_117,
          sha256: "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea",
        },
      ],
      hub: { repo: "hotpotqa/hotpot_qa", files: ["distractor/validation-*.parquet"] },
      placed: {
        path: "hotpotqa/validation-00000-of-00001.parquet",
        how: "put distractor/validation-00000-of-00001.parquet of the hub's hotpotqa/hotpot_qa there, where its authors' server is not to be had",
      },
    },
  },
  row,
};
