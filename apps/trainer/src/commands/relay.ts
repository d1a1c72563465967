import { choiceFlag, requiredFlag, textFlag, wholeFlag } from "../cli/arguments.ts";
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

const levelFlag = {
  level: choiceFlag("Difficulty", Object.keys(relayLevels) as RelayLevelName[], "one-fact"),
};

export const relayShowCommand: Command = command({
  description: "Print a problem and how the scripted teacher talks about it",
  args: { ...levelFlag, seed: textFlag("Which problem", "text", "0") },
  run: async ({ level: name, seed }, { terminal }) => {
    const level = relayLevels[name];
    const random = randomFromSeed(seed);
    const problem = generateRelayProblem(level, random.split("problem"), "train");
    const episode = await relayEpisode(level, problem, relayTeacher(), random.split("episode"));
    terminal.result(`question ${problem.question}, answer ${problem.gold}`);
    for (const { agent, prompt, text, writtenTokens } of episode.utterances)
      terminal.result(`${agent.padEnd(9)} ${prompt} ${text === "" ? "(silent)" : text}  [${writtenTokens} tokens]`);
    terminal.result(`fewest tokens any team can average: ${formatNumber(relayOracleTokens(level))}`);
  },
});

export const relayWarmStartCommand: Command = command({
  description: "Teach a fresh model to imitate a wordy teacher; the start of every relay run",
  args: {
    ...levelFlag,
    out: requiredFlag("Folder for the model", "folder"),
    steps: wholeFlag()("Training steps", "n", "700"),
    batch: wholeFlag()("Examples per step", "n", "128"),
    seed: textFlag("Seed of weights and examples", "text", "0"),
    device: textFlag("Device to compute on", "name", "auto"),
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
