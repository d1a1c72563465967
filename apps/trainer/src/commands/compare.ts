import { resolve } from "node:path";
import { command, type Command } from "../cli/command.ts";
import { printResult } from "../cli/terminal.ts";
import { compareRuns, comparisonText } from "@laconic/view/runs";
import { jsonFlag } from "../cli/flags.ts";

export const compareCommand: Command = command({
  description: "What differs between runs: settings, and figures with their intervals, seeds together",
  args: {
    first: { type: "positional", required: true, description: "Run directory; others are compared with it" },
    second: { type: "positional", required: true, description: "Another one, and more behind it" },
    ...jsonFlag,
  },
  rest: "words",
  run: async ({ first, second, json }, { terminal, rest }) => {
    const comparison = await compareRuns([first, second, ...rest].map((folder) => resolve(folder)));
    printResult(terminal, json, comparison, comparisonText);
  },
});
