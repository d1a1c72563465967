import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { compareRuns, comparisonText, readRunSummary, type RunSummary } from "@laconic/report/runs";
import { jsonFlag, type CommandContext } from "./common.ts";

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
        const folders = [first, second, ...rest].map((folder) => resolve(folder));
        const twice = folders.find((folder, i) => folders.indexOf(folder) !== i);
        if (twice !== undefined)
          throw new LaconicError("config_invalid", `${twice} is named twice: a run is no second seed`, {
            directory: twice,
          });
        const runs: RunSummary[] = [];
        for (const directory of folders) {
          const run = await readRunSummary(directory);
          if (!run) throw new LaconicError("run_missing", `${directory} holds no run`, { directory });
          if (run.state === "foreign")
            throw new LaconicError("run_missing", `${directory} holds no run that could be read: ${run.reason}`, {
              directory,
            });
          runs.push(run);
        }
        const comparison = compareRuns(runs);
        terminal.result(json ? JSON.stringify(comparison) : comparisonText(comparison));
        return 0;
      },
    },
    exit,
  );
}
