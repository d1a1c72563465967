import { expect, test } from "vitest";
import { findFiles } from "./open-split.ts";
import { loadSplit } from "./load-split.ts";
import { questionText } from "./question-text.ts";
import { benchmarks } from "./registry.ts";

const data = process.env["LACONIC_DATA"];
const splits = benchmarks.flatMap((benchmark) =>
  Object.entries(benchmark.splits)
    .filter(([, { files }]) => files)
    .map(([split, { rows }]) => ({ name: `${benchmark.name} ${split}`, benchmark, split, rows })),
);

test.for(splits)(
  "$name loads with its known bytes and number of problems",
  async ({ benchmark, split, rows }, { skip }) => {
    if (data === undefined) return skip("set LACONIC_DATA to the folder of benchmark files");
    const match = await findFiles(benchmark, split, data).catch(() => null);
    // Its users put it there, where they want it.
    if (!match && benchmark.splits[split]?.placed) return skip(`${data} does not hold ${benchmark.name}`);
    const loaded = await loadSplit(benchmark, split, match ?? []);
    expect(loaded.problems).toHaveLength(rows);
    expect(loaded.files.every(({ known }) => known)).toBe(true);
    expect(new Set(loaded.problems.map(({ id }) => id)).size).toBe(rows);
    expect(new Set(loaded.problems.map(({ grading }) => grading.kind))).toEqual(new Set([benchmark.answer.kind]));
    // Every option is rendered once, behind its letter: cut out in their order, the options leave the question.
    const letters = benchmark.answer.kind === "letter" ? benchmark.answer.letters : "";
    const odd = loaded.problems.filter((problem) => {
      const lines = problem.choices?.map((choice, i) => `\n${letters[i]}) ${choice}`) ?? [];
      const cut = (left: string, line: string): string => (left.endsWith(line) ? left.slice(0, -line.length) : "lost");
      const question = lines.reduceRight(cut, questionText(problem));
      return (
        lines.length !== letters.length || question !== problem.question || question.endsWith(lines.at(-1) ?? "\0")
      );
    });
    expect(odd).toEqual([]);
  },
);
