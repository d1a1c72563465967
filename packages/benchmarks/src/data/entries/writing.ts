import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { numberOrText, text } from "./rows.ts";

const tldrGrading = { kind: "writing", form: "tldr" } as const;

const tldrRow: z.ZodType<RowProblem> = z.union([
  z
    .object({ instruction_id: text, subreddit: text, title: text, instruction: text, gold_response: text })
    .transform(({ instruction_id: id, subreddit, title, instruction, gold_response: gold }) => ({
      id: `tldr/${id}`,
      question: `SUBREDDIT: r/${subreddit}\n\nTITLE: ${title}\n\nPOST: ${instruction}\n\nTL;DR:`,
      gold: gold.trim(),
      grading: tldrGrading,
    })),
  z.object({ prompt: text, completion: text }).transform(({ prompt, completion }) => ({
    question: prompt,
    gold: completion.trim(),
    grading: tldrGrading,
  })),
]);

export const tldr: Benchmark = {
  name: "tldr",
  title: "TLDR",
  about: "Forum posts to summarise: one agent briefly, the other in detail.",
  licence: "MIT for the copy; openai/summarize-from-feedback under a modified MIT licence",
  source: "https://github.com/Hritikbansal/dove (500 posts); hub trl-lib/tldr",
  answer: { kind: "writing" },
  gold: "none is used; the record also holds the human summary",
  traps: [
    "The `.json` file is JSON lines.",
    "The reward looks at lengths, shared words and transitions, not at the gold.",
    "The split `hub` is the whole test set of trl-lib/tldr, 6,553 rows as published.",
  ],
  defaultSplit: "test",
  splits: {
    test: {
      rows: 500,
      files: [
        {
          path: "tldr/dove-tldr-test.json",
          url: "https://raw.githubusercontent.com/Hritikbansal/dove/02e53a0a2f5662432de43ec2f3c7618e0270bc9d/data/tldr/test.json",
          bytes: 814_765,
          sha256: "6247365b610a708f077c4a45ffb194cf596d9e507fb48bf841b1dba2fec92fa6",
        },
      ],
    },
    hub: { rows: 6553, hub: { repo: "trl-lib/tldr", files: ["data/test-*.parquet"] } },
  },
  row: tldrRow,
};

/** Abstracts are tokenised: white space and line breaks mean nothing. */
const collapsed = text.transform((abstract) => abstract.replaceAll(/\s+/g, " "));

const arxivProblem = (id: string, question: string): RowProblem => ({
  id: `arxiv/${id}`,
  question,
  gold: "",
  grading: { kind: "writing", form: "arxiv" },
});

const arxivRow: z.ZodType<RowProblem> = z.union([
  z.object({ id: numberOrText, abstract: collapsed }).transform((each) => arxivProblem(each.id, each.abstract)),
  z
    .object({ article_id: text, abstract_text: collapsed })
    .transform((each) => arxivProblem(each.article_id, each.abstract_text)),
]);

export const arxiv: Benchmark = {
  name: "arxiv",
  title: "arXiv expansion",
  about: "Abstracts to expand into an introduction: one agent writes background, the other method.",
  licence: "none stated",
  source: "https://github.com/alifarzanehpooralwars/testML2 (stand-in); hub OpenMLRL/arXiv_abstract",
  answer: { kind: "writing" },
  gold: "none: the reward is structural",
  traps: [
    "Abstracts are tokenised (`@xmath0`) and hold line breaks; white space is collapsed before tokens are counted.",
    "Only abstracts of 100 to 300 white-space tokens count: 716 of the 1,000 here.",
  ],
  defaultSplit: "test",
  splits: {
    test: {
      rows: 716,
      files: [
        {
          path: "arxiv/testml2-arxiv_abstracts.jsonl",
          url: "https://raw.githubusercontent.com/alifarzanehpooralwars/testML2/103fed9d8fabbf3997147d206a7c780d46bbef52/data/arxiv_abstracts.jsonl",
          bytes: 1_515_161,
          sha256: "c13df6a49571127ef2ee5e362eb488669746bd9e7750240b0f408790d89d2876",
        },
      ],
    },
  },
  row: arxivRow,
  keep: ({ question }) => {
    const tokens = question.split(" ").length;
    return tokens >= 100 && tokens <= 300;
  },
};
