import { grouped, optionalPositional, toggle } from "../cli/arguments.ts";
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { configError } from "@laconic/core";
import { relayQuickstart, stepsStar, storyTellers } from "@laconic/tasks/presets";
import { applyOverrides, fitRun, parseAppConfig } from "@laconic/runtime";
import { loadConfig } from "@laconic/runtime/resolver";
import { command, type Command } from "../cli/command.ts";
import type { Terminal } from "../cli/terminal.ts";
import { runTraining } from "../run/run-training.ts";
import { actorSpendingFlags } from "../run/spending.ts";
import { runFlags, trustFlag, viewFlag } from "../cli/flags.ts";

/** Default, as written by `laconic init`. */
const ownConfiguration = "run.config.ts";

export const trainCommand: Command = command({
  description: "Train from a configuration file or preset:NAME, or resume a run",
  examples: [
    "laconic train preset:relay-quickstart train.steps=10 --seed 3",
    "laconic train --resume --run runs/train",
  ],
  args: {
    config: optionalPositional(
      "Configuration file or preset:NAME (default: run.config.ts); with --resume a run folder",
    ),
    ...runFlags,
    ...actorSpendingFlags,
    ...trustFlag,
    ...viewFlag,
    ...grouped("Model", { fit: toggle("Choose micro-batch, recomputation and adapter that fit into the device") }),
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    // A resume needs no configuration: the first argument may be a setting.
    const named = args.config !== undefined && !args.config.includes("=");
    const overrides = named || args.config === undefined ? rest : [args.config, ...rest];
    const config = named ? args.config : args.resume ? undefined : configurationHere();
    // Same as `--resume --run DIR`.
    if (config !== undefined && args.resume && isFolder(config))
      return runTraining(null, overrides, { ...args, run: config }, "train", terminal);
    if (config === undefined && args.fit) throw configError("--fit: a resumed run keeps its settings");
    const written = config === undefined ? null : await loadConfig(config);
    const fitting = written && args.fit ? await fittingWords(written, overrides, args.device, terminal) : [];
    return runTraining(written, [...overrides, ...fitting], args, "train", terminal);
  },
});

async function fittingWords(
  written: Readonly<Record<string, unknown>>,
  overrides: readonly string[],
  device: string | undefined,
  terminal: Terminal,
): Promise<string[]> {
  const words = device === undefined ? overrides : [`device=${device}`, ...overrides];
  const fitting = await fitRun(parseAppConfig(applyOverrides(written, words)), terminal);
  terminal.note(fitting.length > 0 ? `fits with ${fitting.join(" ")}` : "fits as it is");
  return fitting;
}

function configurationHere(): string {
  if (existsSync(ownConfiguration)) return ownConfiguration;
  throw configError(
    `CONFIG: missing; name one, such as preset:relay-quickstart, or write a ${ownConfiguration} with: laconic init`,
  );
}

function isFolder(path: string): boolean {
  return statSync(resolve(path), { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Worlds of the quickstart; the first one is the default. */
const worlds = {
  quickstart: {
    preset: relayQuickstart,
    introduction: `A team of four learns to say less.
Each of three holders knows one fact. The solver must add two of them and sees only the holders' messages.
All agents share one small, wordy policy. Training keeps the accuracy and reduces the tokens per episode.`,
  },
  story: {
    preset: storyTellers,
    introduction: `Three tellers learn when to stay silent.
In each episode one teller knows the owner of a thing. The solver reads all messages and names the owner.
The agents share a language model of 260,000 weights. It first learns to copy names; then the other two tellers learn silence.`,
  },
  reason: {
    preset: stepsStar,
    introduction: `Three holders learn which facts of a word problem count.
Each holder has some of the facts. The solver has only the question and their messages, and writes its calculation.
The agents share the base "reasoner" of 1.4 million weights, which solves such problems alone. Training finds what may be left out.`,
  },
} as const;

export const quickstartCommand: Command = command({
  description: "Train a small team to use fewer tokens, in about two minutes on two CPU cores",
  examples: ["laconic quickstart", "laconic quickstart story --view"],
  args: {
    world: optionalPositional(
      "reason: word problems; story: an English task with a model of 1 MB, downloaded or in $LACONIC_DATA",
    ),
    ...runFlags,
    ...viewFlag,
  },
  rest: "settings",
  run: async (args, { terminal, rest }) => {
    const isWorld = args.world !== undefined && Object.hasOwn(worlds, args.world);
    if (args.world !== undefined && !isWorld && !args.world.includes("="))
      throw configError(
        `WORLD: unknown world "${args.world}"; use ${Object.keys(worlds).slice(1).join(", ")}, or no argument`,
      );
    const overrides = args.world === undefined || isWorld ? rest : [args.world, ...rest];
    const name = isWorld ? (args.world as keyof typeof worlds) : "quickstart";
    const { introduction, preset } = worlds[name];
    terminal.note(`${introduction}\n`);
    return runTraining(args.resume ? null : { ...preset }, overrides, args, name, terminal);
  },
});
