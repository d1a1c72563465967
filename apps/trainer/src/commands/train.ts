import { optionalPositional } from "../cli/arguments.ts";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { relayQuickstart, storyTellers } from "@laconic/tasks/presets";
import { loadConfig } from "@laconic/runtime/resolver";
import { command, type Command } from "../cli/command.ts";
import { runTraining } from "../run/run-training.ts";
import { actorSpendingFlags } from "../run/spending.ts";
import { runFlags, trustFlag, viewFlag } from "../cli/flags.ts";

/** Default, as written by `laconic init`. */
const ownConfiguration = "run.config.ts";

export const trainCommand: Command = command({
  description: "Train from a configuration file or preset:NAME, with key=value changes; or --resume a run",
  args: {
    config: optionalPositional(
      "A .ts, .js or .json file or preset:NAME; run.config.ts of this folder by default; with --resume, a run directory",
    ),
    ...runFlags,
    ...actorSpendingFlags,
    ...trustFlag,
    ...viewFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    // A resume needs no configuration: the first argument may be a setting.
    const named = args.config !== undefined && !args.config.includes("=");
    const words = named || args.config === undefined ? rest : [args.config, ...rest];
    const config = named ? args.config : args.resume ? undefined : configurationHere();
    // Same as `--resume --run DIR`.
    if (config !== undefined && args.resume && isFolder(config))
      return runTraining(null, words, { ...args, run: config }, "train", terminal);
    return runTraining(config === undefined ? null : await loadConfig(config), words, args, "train", terminal);
  },
});

/** @throws LaconicError `config_invalid` without a `run.config.ts` in the working directory */
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

const introduction = `A team of four learns to say less.
Three holders each know one fact; the solver must add up two of them and sees only what the holders write.
They share one small policy that starts wordy. Watch accuracy hold while the tokens per episode fall.`;

const storyIntroduction = `Three tellers learn who has something to say.
One of them, another one each time, knows whose the thing is; a solver reads what all say and names the child.
They share a language model of 260,000 weights. First it is taught to copy names; then watch the two who know nothing fall silent.`;

export const quickstartCommand: Command = command({
  description: "Train a team to solve the same problems with a fraction of the words: minutes on two cores",
  args: {
    world: optionalPositional("story: in English, with a model that is downloaded (1 MB) or lies in $LACONIC_DATA"),
    ...runFlags,
    ...viewFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const isStory = args.world === "story";
    if (args.world !== undefined && !isStory && !args.world.includes("="))
      throw new LaconicError("config_invalid", `unexpected argument "${args.world}"; story is the only other world`);
    const words = args.world === undefined || isStory ? rest : [args.world, ...rest];
    terminal.note(`${isStory ? storyIntroduction : introduction}\n`);
    // A resume uses the stored configuration.
    const preset = args.resume ? null : { ...(isStory ? storyTellers : relayQuickstart) };
    return runTraining(preset, words, args, isStory ? "story" : "quickstart", terminal);
  },
});
