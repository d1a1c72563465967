import { relative, resolve } from "node:path";
import { stat } from "node:fs/promises";
import { LaconicError } from "@laconic/core";
import { formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { columnsOf, findRuns, printable, type RunSummary } from "@laconic/report/runs";
import { jsonFlag, type CommandContext } from "./common.ts";

export function lsCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "ls",
      args: {
        folder: { type: "positional", required: false, description: "Where to look; this folder by default" },
        ...jsonFlag,
      },
      run: async (args) => {
        const folder = resolve(args.folder ?? ".");
        const isFolder = await stat(folder).then(
          (found) => found.isDirectory(),
          () => false,
        );
        if (!isFolder) throw new LaconicError("config_invalid", `${folder} is no folder`, { folder });
        const runs = await findRuns(folder);
        if (args.json) {
          terminal.result(
            JSON.stringify({ folder, runs: runs.map((run) => ({ ...run, config: undefined, changes: undefined })) }),
          );
          return 0;
        }
        if (runs.length === 0) {
          terminal.note(`no run in ${folder}; train one with: laconic quickstart`);
          return 0;
        }
        const head = ["RUN", "STATE", "STEPS", "ACCURACY", "TOKENS", "TIME", "DEVICE", "WARNINGS"];
        for (const line of columnsOf([head, ...runs.map((run) => cells(run, folder))])) terminal.result(line);
        for (const { folder: path, state, reason } of runs)
          if (reason !== null) terminal.note(printable(`${state}: ${path}: ${reason}`));
        return 0;
      },
    },
    exit,
  );
}

function cells(run: RunSummary, folder: string): string[] {
  const { state, step, plannedSteps, before, after, lessons, seconds, device, warnings } = run;
  const fromTo = (show: (value: number) => string, of: "accuracy" | "tokens"): string => {
    if (!before) return "-";
    return [lessons?.before, before, after].flatMap((each) => (each ? show(each[of]) : [])).join(" -> ");
  };
  return [
    relative(folder, run.folder) || run.name,
    state,
    plannedSteps === null ? String(step) : `${step}/${plannedSteps}`,
    fromTo(formatPercent, "accuracy"),
    fromTo(formatNumber, "tokens"),
    seconds === null ? "-" : formatDuration(seconds),
    device ?? "-",
    String(warnings),
  ].map((cell) => printable(cell).replaceAll(/\s+/gu, " "));
}
