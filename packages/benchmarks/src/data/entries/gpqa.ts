import { z } from "zod";
import type { Benchmark, BenchmarkProblem, RowProblem, Split } from "../benchmark.ts";
import { pythonShuffle } from "../python-random.ts";
import { optionLetter } from "../question-text.ts";
import { text } from "./rows.ts";

const answer = { kind: "letter", letters: "ABCD" } as const;

/** Options in the order in which the authors' script lists them before it shuffles: the right one last. */
const row: z.ZodType<RowProblem> = z
  .object({
    "Record ID": text,
    Question: text,
    "Correct Answer": text,
    "Incorrect Answer 1": text,
    "Incorrect Answer 2": text,
    "Incorrect Answer 3": text,
    Explanation: z.string().default(""),
    Subdomain: z.string().default(""),
    "High-level domain": z.string().default(""),
  })
  .transform((each) => ({
    id: `gpqa/${each["Record ID"]}`,
    question: each.Question,
    gold: "D",
    choices: [
      each["Incorrect Answer 1"],
      each["Incorrect Answer 2"],
      each["Incorrect Answer 3"],
      each["Correct Answer"],
    ],
    grading: answer,
    metadata: { domain: each["High-level domain"], subdomain: each.Subdomain },
    ...(each.Explanation.trim() !== "" && { solution: each.Explanation.trim() }),
  }));

/** The seed that the authors' script shuffles the options of a file with, question after question. */
const seed = 0;

function shuffled(problems: readonly BenchmarkProblem[]): BenchmarkProblem[] {
  const shuffle = pythonShuffle(seed);
  return problems.map((problem) => {
    const { choices = [] } = problem;
    const order = shuffle(choices.map((_, i) => i));
    const options = order.map((i) => choices[i] as string);
    return { ...problem, choices: options, gold: optionLetter(options.indexOf(choices.at(-1) as string)) };
  });
}

function part(name: string, rows: number, sha256?: string): Split {
  return {
    rows,
    hub: { repo: "Idavidrein/gpqa", files: [`gpqa_${name}.csv`] },
    placed: {
      path: `gpqa/gpqa_${name}.csv`,
      ...(sha256 !== undefined && { sha256 }),
      how: `unpack dataset.zip of https://github.com/idavidrein/gpqa with the password of its README, deserted-untie-orchid, and put gpqa_${name}.csv there`,
    },
  };
}

export const gpqa: Benchmark = {
  name: "gpqa",
  title: "GPQA",
  about:
    "Questions of biology, physics and chemistry, by experts and with four options, that a search does not answer.",
  licence: "CC-BY-4.0",
  source: "https://github.com/idavidrein/gpqa; hub Idavidrein/gpqa, behind its owner's terms",
  answer,
  gold: "`Correct Answer`, as the letter it has after the shuffle",
  traps: [
    "The published archive has a password, `deserted-untie-orchid`, so that crawlers do not read it: the user unpacks it. Its authors ask that no question stands in plain text on the web.",
    "Options are shuffled as the authors' script does by its seed 0: Python's generator runs through the file, so that a file in another order, or with fewer rows, has other letters.",
    "lm-evaluation-harness shuffles otherwise, and takes `[title]` and double spaces out of the texts: letters there are others.",
    "The CSV of the main and the extended part have no checksum that is known here: what was read is recorded.",
  ],
  defaultSplit: "main",
  csvHeader: true,
  splits: { main: part("main", 448) },
  row,
  select: shuffled,
};

export const gpqaDiamond: Benchmark = {
  ...gpqa,
  name: "gpqa-diamond",
  title: "GPQA Diamond",
  about: "The 198 questions of GPQA that both experts answered and most others did not.",
  traps: gpqa.traps.slice(0, -1),
  defaultSplit: "diamond",
  splits: { diamond: part("diamond", 198, "41d1213cd7a4998605a26c2798500652572007161b3a92817ba46b35befcd305") },
};

export const gpqaExtended: Benchmark = {
  ...gpqa,
  name: "gpqa-extended",
  title: "GPQA Extended",
  about: "All 546 questions of GPQA, those among them that experts disagree about.",
  defaultSplit: "extended",
  splits: { extended: part("extended", 546) },
};
