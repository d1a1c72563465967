import { resolve } from "node:path";
import { command, type Command } from "../cli/command.ts";
import { analyseRun, writeAnalysis } from "@laconic/view/report";
import { wholeNumber } from "../cli/numbers.ts";
import { spinWhile } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { actorCap, actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { jsonFlag, runChoiceFlags, runChoiceOf } from "../cli/flags.ts";

export const analyzeCommand: Command = command({
  description:
    "What a run's team says and what its messages are worth: replays without them, before and after training",
  args: {
    directory: { type: "positional", required: true, description: "Run directory" },
    problems: { type: "string", description: "Validation problems, at most 1000", default: "200", valueHint: "n" },
    cut: {
      type: "enum",
      description: "What happens to a message in its replay",
      options: ["drop", "halve"],
      default: "drop",
    },
    seed: { type: "string", description: "Seed of the sampling", default: "analysis", valueHint: "text" },
    ...runChoiceFlags,
    ...actorSpendingFlags,
    ...timeoutFlag,
    ...jsonFlag,
  },
  run: async ({ directory, problems, cut, seed, best, sources, json, ...cap }, { terminal }) => {
    const options = {
      problems: wholeNumber("problems", problems, 1, 1000),
      cut,
      seed,
      ...runChoiceOf({ best, sources }),
    };
    const run = resolve(directory);
    const found = await spinWhile(terminal, "replaying validation problems, before and after training", () =>
      analyseRun(run, options, terminal, actorCap(cap)),
    );
    const page = await writeAnalysis(run, found);
    printResult(terminal, json, found.analysis, () => page);
  },
});
