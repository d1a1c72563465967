import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { randomFromSeed } from "@laconic/core";
import { formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
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
import { wholeNumber } from "../cli/numbers.ts";
import { showProgress } from "../cli/progress.ts";
import { printResult } from "../cli/terminal.ts";
import { jsonFlag } from "../cli/flags.ts";

const levelFlag = {
  level: { type: "enum" as const, description: "Difficulty", options: Object.keys(relayLevels), default: "one-fact" },
};

export const relayShowCommand: Command = command({
  description: "Print a problem and how the scripted teacher talks about it",
  args: { ...levelFlag, seed: { type: "string", description: "Which problem", default: "0", valueHint: "text" } },
  run: async ({ level: name, seed }, { terminal }) => {
    const level = relayLevels[name as RelayLevelName];
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
    out: { type: "string", required: true, description: "Folder for the model", valueHint: "folder" },
    steps: { type: "string", description: "Training steps", default: "700", valueHint: "n" },
    batch: { type: "string", description: "Examples per step", default: "128", valueHint: "n" },
    seed: { type: "string", description: "Seed of weights and examples", default: "0", valueHint: "text" },
    device: { type: "string", description: "Device to compute on", default: "auto", valueHint: "name" },
    ...jsonFlag,
  },
  run: async (args, { terminal }) => {
    const steps = wholeNumber("steps", args.steps);
    const batch = wholeNumber("batch", args.batch);
    const { seed, device, level: name } = args;
    const folder = resolve(args.out);
    const started = performance.now();
    const secondsSoFar = (): number => (performance.now() - started) / 1000;
    const onStep = (step: number, loss: number): void => {
      const left = formatDuration((secondsSoFar() / step) * (steps - step));
      const line = `step ${step}/${steps}  loss ${formatNumber(loss)}  ${left} left`;
      showProgress(terminal, line, step % 100 === 0 || step === steps);
    };
    const level = relayLevels[name as RelayLevelName];
    const warmStart = { level, seed, steps, batch, device, to: folder, onStep };
    const { accuracy, tokens } = await trainRelayWarmStart(warmStart, terminal);
    printResult(
      terminal,
      args.json,
      { folder, steps, accuracy, tokens, seconds: secondsSoFar() },
      () => `${folder}: accuracy ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens per episode`,
    );
  },
});
