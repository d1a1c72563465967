import { notPlayed, type LedgerRow } from "./played-on.ts";

/** What MAGRPO's public text says of its results. */
const said: readonly Pick<LedgerRow, "row" | "benchmark" | "figure" | "model" | "command" | "exemplars">[] = [
  ...["tldr", "arxiv"].map((benchmark) => ({
    row: "magrpo, writing",
    benchmark,
    figure: "3 times as fast as one model, and more coherent",
    model: "2 x Qwen3-1.7B",
    command: `laconic train preset:magrpo${benchmark === "arxiv" ? " task.form=arxiv" : ""} task.prompts=published --run runs/writers`,
    exemplars: `magrpo-${benchmark}`,
  })),
  ...["humaneval", "coophumaneval"].flatMap((benchmark) =>
    [
      ["magrpo, code", "better code and cooperation than fixed models"],
      ["magrpo, several turns", "better with feedback from outside"],
    ].map(([row = "", figure = ""]) => ({
      row,
      benchmark,
      figure: `${figure}, without a number`,
      model: "2 x Qwen2.5-Coder-3B",
      command: `laconic train preset:magrpo-multiturn task.benchmark=${benchmark} task.prompts=published --run runs/coders`,
      exemplars: "magrpo-code",
    })),
  ),
  ...["fallback", "decorator", "coordinator", "strategy filter"].map((scheme) => ({
    row: `magrpo, scheme ${scheme}`,
    benchmark: "humaneval, coophumaneval",
    figure: "appears in training, without a count",
    model: "2 x Qwen2.5-Coder-3B",
    command: "laconic train preset:magrpo-multiturn task.prompts=published --run runs/coders",
    exemplars: "magrpo-code",
  })),
];

/** A row each. */
export function magrpoRows(): LedgerRow[] {
  return said.map((each) => ({
    paper: "magrpo",
    place: "text",
    open: "The public text holds no table: returns, tests and levels are in figures alone.",
    ...notPlayed(each.benchmark, "It has to be trained first."),
    ...each,
  }));
}
