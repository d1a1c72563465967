import { resolve } from "node:path";
import { command, type Command } from "../cli/command.ts";
import { listRuns, printable, runLines } from "@laconic/view/runs";
import { jsonFlag } from "../cli/flags.ts";
import { visibleJson } from "../cli/visible-json.ts";

export const lsCommand: Command = command({
  description: "List the runs of a folder: state, steps, accuracy, tokens, time, device, warnings",
  args: {
    folder: { type: "positional", required: false, description: "Where to look; this folder by default" },
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const folder = resolve(args.folder ?? ".");
    const runs = await listRuns(folder);
    if (args.json) {
      terminal.result(
        visibleJson({
          folder,
          runs: runs.map((run) => ({ ...run, config: undefined, changes: undefined, warnedAt: undefined })),
        }),
      );
      return;
    }
    if (runs.length === 0) {
      terminal.note(`no run in ${folder}; train one with: laconic quickstart`);
      return;
    }
    const columns = terminal.interactive ? terminal.columns : Infinity;
    for (const line of runLines(runs, folder, columns)) terminal.result(line);
    for (const { folder: path, state, reason } of runs)
      if (reason !== null) terminal.note(printable(`${state}: ${path}: ${reason}`));
  },
});
