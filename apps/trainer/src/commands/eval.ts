import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { evaluate, findCheckpoint, livePolicies, nodeFileSystem, runFiles } from "@laconic/trainer";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { formatNumber, formatPercent } from "../report/format.ts";
import { parseAppConfig } from "../run/app-config.ts";
import { chooseDevice } from "../run/devices.ts";
import { openModelFolder } from "../run/model-folder.ts";
import { checkpointSource, modelSource, openParts } from "../run/open-parts.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

export function evalCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "eval",
      description: "Evaluate a run's last checkpoint on held-out problems",
      args: {
        directory: { type: "positional", required: true, description: "Run directory" },
        problems: { type: "string", description: "Held-out problems, at most 1000", default: "1000", valueHint: "n" },
        seed: { type: "string", description: "Seed of the sampling", default: "eval", valueHint: "text" },
        best: { type: "boolean", description: "The checkpoint of the best evaluation instead of the last one" },
        ...jsonFlag,
      },
      run: async (args) => {
        const problems = wholeNumber("problems", args.problems, 1, 1000);
        const directory = resolve(args.directory);
        const path = join(directory, runFiles.config);
        const text = await readFile(path, "utf8").catch((error: unknown) => {
          throw new LaconicError("run_missing", `${directory} holds no run`, { directory }, error);
        });
        const config = parseAppConfig(JSON.parse(text));
        const {
          folder: checkpoint,
          state,
          warnings,
        } = await findCheckpoint(nodeFileSystem, join(directory, runFiles.checkpoints), args.best ? "best" : "latest");
        const warn = (message: string): void => terminal.note(`${terminal.paint("yellow", "warning")}: ${message}`);
        for (const warning of warnings) warn(warning);
        const { folder } = await openModelFolder(config.model, terminal);
        const device = await chooseDevice(config.device, config.workers, (line) => terminal.note(line));
        const { parts, close } = await openParts(
          config,
          device,
          checkpointSource(config, folder, checkpoint),
          {
            onWarning: warn,
            modelFolder: folder,
            openModel: async (name) => (await openModelFolder(name, terminal)).folder,
          },
          modelSource(config, folder),
        );
        try {
          const options = { seed: args.seed, step: state.step, problems, sampling: config.train.sampling };
          const { evaluation } = await evaluate(parts, livePolicies(parts), options);
          const [low, high] = evaluation.interval;
          terminal.result(
            args.json
              ? JSON.stringify(evaluation)
              : `step ${evaluation.step}: accuracy ${formatPercent(evaluation.accuracy)} (95 % interval ${formatPercent(low)} to ${formatPercent(high)}), ${formatNumber(evaluation.tokens)} tokens per episode, ${problems} problems`,
          );
          return 0;
        } finally {
          await close();
        }
      },
    },
    exit,
  );
}
