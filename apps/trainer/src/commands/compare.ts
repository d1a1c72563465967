import { resolve } from "node:path";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { printResult } from "../cli/terminal.ts";
import { compareRuns, comparisonText } from "@laconic/report/runs";
import { jsonFlag } from "../cli/flags.ts";
import type { CommandContext } from "./common.ts";

export function compareCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "compare",
      args: {
        first: { type: "positional", required: true, description: "Run directory; others are compared with it" },
        second: { type: "positional", required: true, description: "Another one, and more behind it" },
        ...jsonFlag,
      },
      more: true,
      run: async ({ first, second, json }, rest) => {
        const comparison = await compareRuns([first, second, ...rest].map((folder) => resolve(folder)));
        printResult(terminal, json, comparison, comparisonText);
        return 0;
      },
    },
    exit,
  );
}
