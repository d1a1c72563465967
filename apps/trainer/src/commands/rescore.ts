import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { formatCells } from "@laconic/core/text";
import type { RescoredStep } from "@laconic/evaluation/analysis";
import { command, type Command } from "../cli/command.ts";
import { rescoreRun } from "@laconic/view/report";
import { printResult } from "../cli/terminal.ts";
import { jsonFlag, trustFlag } from "../cli/flags.ts";

export const rescoreCommand: Command = command({
  description: "Score a run's recorded episodes under other prices, edges or grades, without asking a model",
  args: {
    source: {
      type: "positional",
      description: "Run directory, or a file of transcripts that an earlier version wrote",
    },
    training: { type: "boolean", description: "Episodes of training instead of test ones" },
    tokens: { type: "string", description: "Price of a token, λ of Eq. 1", default: "0", valueHint: "λ" },
    turns: { type: "string", description: "Price of a turn", default: "0", valueHint: "λ" },
    repetition: { type: "string", description: "Price of repetition", default: "0", valueHint: "λ" },
    without: { type: "string", description: "Edges nobody reads along, with commas", valueHint: "from->to" },
    regrade: { type: "boolean", description: "Grade the answers anew, with the task of the run" },
    ...trustFlag,
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const prices = {
      tokens: price("tokens", args.tokens),
      turns: price("turns", args.turns),
      repetition: price("repetition", args.repetition),
    };
    const without = args.without?.split(",").map((edge) => edge.trim()) ?? [];
    const options = { prices, without, isRegraded: args.regrade === true, isTraining: args.training === true };
    const steps = await rescoreRun(resolve(args.source), options, terminal);
    printResult(terminal, args.json, steps, table);
  },
});

function price(flag: string, text: string): number {
  const value = Number(text);
  if (text !== "" && value >= 0 && value < Infinity) return value;
  throw new LaconicError("config_invalid", `--${flag} is ${text}, expected a number from 0`, { flag });
}

function table(steps: readonly RescoredStep[]): string {
  return [
    "| step | episodes | task | tokens written | tokens read | reward |",
    "|---|---|---|---|---|---|",
    ...formatCells(
      steps.map((each) => [
        String(each.step),
        String(each.episodes),
        each.task,
        each.writtenTokens,
        each.readTokens,
        each.reward,
      ]),
    ).map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");
}
