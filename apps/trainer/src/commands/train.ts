import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { loadConfig } from "@laconic/runtime/resolver";
import { command, type Command } from "../cli/command.ts";
import { runTraining, type RunFlags } from "../run/run-training.ts";
import { actorSpendingFlags, timeoutFlag } from "../run/spending.ts";
import { runFlags, trustFlag, viewFlag } from "../cli/flags.ts";

/** What `laconic init` writes, and what is trained where no configuration is named. */
const ownConfiguration = "run.config.ts";

export const trainCommand: Command = command({
  description: "Train from a configuration file or preset:NAME, with key=value changes; or --resume a run",
  args: {
    config: {
      type: "positional",
      required: false,
      description:
        "A .ts, .js or .json file or preset:NAME; run.config.ts of this folder by default; with --resume, a run directory",
    },
    ...runFlags,
    ...actorSpendingFlags,
    ...timeoutFlag,
    ...trustFlag,
    ...viewFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const flags: RunFlags = { ...args, dryRun: args["dry-run"] };
    // A resumed run names no configuration, so its first word may be a change already.
    const named = args.config !== undefined && !args.config.includes("=");
    const words = named || args.config === undefined ? rest : [args.config, ...rest];
    const config = named ? args.config : args.resume ? undefined : configurationHere();
    // `train --resume DIR` is `train --resume --run DIR`, as other commands name a run.
    if (config !== undefined && args.resume && isFolder(config))
      return runTraining(null, words, { ...flags, run: config }, "train", terminal);
    return runTraining(config === undefined ? null : await loadConfig(config), words, flags, "train", terminal);
  },
});

/** @throws LaconicError `config_invalid` when the working directory holds no `run.config.ts` */
function configurationHere(): string {
  if (existsSync(ownConfiguration)) return ownConfiguration;
  throw new LaconicError(
    "config_invalid",
    `name a configuration: laconic train preset:relay-quickstart; or write a project with a ${ownConfiguration}: laconic init`,
  );
}

function isFolder(path: string): boolean {
  return statSync(resolve(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}
