import { choiceFlag, grouped, requiredFlag, textFlag, wholeFlag } from "../cli/arguments.ts";
import { resolve } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { formatNumber, formatPercent } from "@laconic/core/text";
import { trainRelayWarmStart } from "@laconic/runtime";
import {
  generateRelayProblem,
  relayEpisode,
  relayLevels,
  relayOracleTokens,
  relayTeacher,
  type RelayLevelName,
} from "@laconic/tasks";
import { command, type Command } from "../cli/command.ts";
import { leftText, showProgress } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { jsonFlag } from "../cli/flags.ts";

const levelFlag = grouped("Input", {
  level: choiceFlag("Difficulty", Object.keys(relayLevels) as RelayLevelName[], "one-fact"),
});

export const relayShowCommand: Command = command({
  description: "Print a relay problem and the messages of its scripted teacher",
  examples: ["laconic relay show --level two-facts --seed 3"],
  args: { ...levelFlag, ...grouped("Sampling", { seed: textFlag("Seed of the problem", "text", "0") }) },
  run: async ({ level: name, seed }, { terminal }) => {
    const level = relayLevels[name];
    const random = randomFromSeed(seed);
    const problem = generateRelayProblem(level, random.split("problem"), "train");
    const episode = await relayEpisode(level, problem, relayTeacher(), random.split("episode"));
    terminal.result(`question ${problem.question}, answer ${problem.gold}`);
    for (const { agent, prompt, text, writtenTokens } of episode.utterances)
      terminal.result(`${agent.padEnd(9)} ${prompt} ${text === "" ? "(silent)" : text}  [${writtenTokens} tokens]`);
    terminal.result(`lower bound of the mean tokens per episode: ${formatNumber(relayOracleTokens(level))}`);
  },
});

export const relayWarmStartCommand: Command = command({
  description: "Train a new model on the wordy teacher's messages, as every relay run starts",
  examples: ["laconic relay warm-start --out models/relay --steps 700"],
  args: {
    ...levelFlag,
    ...grouped("Output", { out: requiredFlag("Model folder", "folder") }),
    ...grouped("Limits", {
      steps: wholeFlag()("Training steps", "n", "700"),
      batch: wholeFlag()("Examples per step", "n", "128"),
    }),
    ...grouped("Sampling", { seed: textFlag("Seed of weights and examples", "text", "0") }),
    ...grouped("Model", { device: textFlag("Device: auto, or a name from doctor", "name", "auto") }),
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const { steps, batch, seed, device } = args;
    const folder = resolve(args.out);
    const started = performance.now();
    const onStep = (step: number, loss: number): void => {
      const line = `step ${step}/${steps}  loss ${formatNumber(loss)}  ${leftText(started, step / steps)}`;
      showProgress(terminal, line, step % 100 === 0 || step === steps);
    };
    const warmStart = { level: relayLevels[args.level], seed, steps, batch, device, to: folder, onStep };
    const { accuracy, tokens } = await trainRelayWarmStart(warmStart, terminal);
    printResult(
      terminal,
      args.json,
      { folder, steps, accuracy, tokens, seconds: (performance.now() - started) / 1000 },
      () => `${folder}: accuracy ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens per episode`,
    );
  },
});
