import { configError } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import table from "../../assets/benchmarks.json" with { type: "json" };
import gpqaOrders from "../../assets/gpqa-orders.json" with { type: "json" };
import mmlu153 from "../../assets/mmlu-153.json" with { type: "json" };
import { splitOf, type Benchmark, type BenchmarkProblem, type Split } from "./benchmark.ts";
import { optionLetter } from "./question-text.ts";
import { aquaRow, gpqaRow, mmluProRow, mmluRow } from "./rows/choice-rows.ts";
import { humaneval161Row, humanevalRow, livecodebenchRow, mbppRow } from "./rows/code-rows.ts";
import * as maths from "./rows/maths-rows.ts";
import { arxivRow, hasArxivLength, hotpotqaRow, tldrRow } from "./rows/text-rows.ts";

/** Rules in code; `assets/benchmarks.json` holds the rest. */
type Rules = Pick<Benchmark, "row" | "keep" | "select">;

const gpqa: Rules = { row: gpqaRow, select: shuffledOptions };

const rules: Readonly<Record<string, Rules>> = {
  mmlu: { row: mmluRow },
  "mmlu-153": { row: mmluRow, select: (problems, split) => (split === "val" ? listed153(problems) : [...problems]) },
  "mmlu-pro": { row: mmluProRow },
  gpqa,
  "gpqa-diamond": gpqa,
  "gpqa-extended": gpqa,
  gsm8k: { row: maths.gsm8kRow },
  multiarith: { row: maths.multiarithRow },
  svamp: { row: maths.svampRow },
  aqua: { row: aquaRow },
  math500: { row: maths.math500Row },
  aime24: { row: maths.aime24Row },
  amc23: { row: maths.amc23Row },
  olympiadbench: { row: maths.olympiadbenchRow },
  minerva: { row: maths.minervaRow },
  steps: { row: maths.stepsRow },
  hotpotqa: { row: hotpotqaRow },
  humaneval: { row: humanevalRow },
  "humaneval-161": { row: humaneval161Row },
  coophumaneval: { row: humanevalRow },
  mbpp: { row: mbppRow },
  livecodebench: { row: livecodebenchRow },
  tldr: { row: tldrRow },
  arxiv: { row: arxivRow, keep: hasArxivLength },
};

/** Table entry; `within` is a regular expression. */
type Entry = Omit<Benchmark, keyof Rules | "splits"> & {
  readonly splits: Readonly<Record<string, Omit<Split, "within"> & { readonly within?: string }>>;
};

/** All benchmarks in table order. */
export const benchmarks: readonly Benchmark[] = (table as unknown as readonly Entry[]).map((entry) => ({
  ...entry,
  splits: splitsOf(entry),
  ...rules[entry.name]!,
}));

/** A part has the files of the default split. */
function splitsOf({ splits, defaultSplit }: Entry): Benchmark["splits"] {
  return Object.fromEntries(
    Object.entries(splits).map(([name, split]) => {
      const { within, ...rest } = { ...(split.part && splits[defaultSplit]), ...split };
      return [name, { ...rest, ...(within !== undefined && { within: new RegExp(within) }) }];
    }),
  );
}

/**
 * A benchmark by name; `NAME/SPLIT` scores another split than the default one.
 * @throws LaconicError `config_invalid`, also for a split of examples
 */
export function benchmarkNamed(name: string): Benchmark {
  const [base = "", ...path] = name.split("/");
  const benchmark = benchmarks.find((item) => item.name === base);
  const split = path.join("/");
  if (benchmark && path.length === 0) return benchmark;
  if (benchmark && splitOf(benchmark, split).pool === true)
    throw configError(`${name} has examples and is not scored`, { key: "benchmark" });
  if (benchmark) return { ...benchmark, name, title: `${benchmark.title}, ${split}`, defaultSplit: split };
  const names = benchmarks.map((item) => item.name).join(", ");
  throw configError(`unknown benchmark ${name}; there are ${names}`, { key: "benchmark" });
}

/**
 * Orders the options like the authors' script: Python's `random.seed(0)`, then `random.shuffle` of four options per
 * row. The list has the largest part's 546 rows.
 */
function shuffledOptions(problems: readonly BenchmarkProblem[]): BenchmarkProblem[] {
  const orders = gpqaOrders.split(" ");
  return problems.map((problem, row) => {
    const { choices = [] } = problem;
    const order = orders[row % orders.length]!;
    const options = Array.from(order, (index) => choices[Number(index)]!);
    return { ...problem, choices: options, gold: optionLetter(options.indexOf(choices.at(-1)!)) };
  });
}

/**
 * MMLU-153: subject and row (from 0) in the order of GPTSwarm and AgentPrune: the first 153 of numpy 2.4.6's
 * `default_rng(888).permutation` over the 57 sorted `*_val.csv` files.
 */
function listed153(problems: readonly BenchmarkProblem[]): BenchmarkProblem[] {
  const subjectOf = ({ metadata }: BenchmarkProblem): unknown => metadata?.["subject"];
  const bySubject = new Map(grouped(problems, subjectOf).map((rows) => [subjectOf(rows[0]), rows]));
  return (mmlu153 as [subject: string, row: number][]).flatMap(([subject, row]) => {
    const problem = bySubject.get(subject)?.[row];
    return problem ? [{ ...problem, id: `mmlu-153/${subject}/${row}` }] : [];
  });
}
