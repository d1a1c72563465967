import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import {
  generateRelayProblem,
  relayEpisode,
  relayLevels,
  relayOracleTokens,
  relayTeacher,
  warmStartBatch,
  warmStartCurriculum,
  type RelayLevel,
  type RelayLevelName,
  type WarmStartPhase,
} from "@laconic/tasks";
import { randomFromSeed } from "@laconic/core";
import { formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import { evaluate, livePolicies, onlyPolicy, policyFile, supervised, type TrainedPolicy } from "@laconic/trainer";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { showProgress } from "../cli/progress.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { freshRelayModel } from "@laconic/runtime/models";
import { chooseDevice } from "@laconic/runtime/devices";
import { openParts, parseAppConfig, runResources } from "@laconic/runtime";
import { jsonFlag, printResult, type CommandContext } from "./common.ts";

const levelFlag = {
  level: { type: "enum" as const, description: "Difficulty", options: Object.keys(relayLevels), default: "one-fact" },
};

export function relayCommand(context: CommandContext, exit: ExitCode): CommandDef {
  return {
    subCommands: {
      show: showCommand(context, exit),
      "warm-start": warmStartCommand(context, exit),
    },
  };
}

function showCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "relay show",
      description: "Print a problem and how the scripted teacher talks about it",
      args: { ...levelFlag, seed: { type: "string", description: "Which problem", default: "0", valueHint: "text" } },
      run: async ({ level: name, seed }) => {
        const level = relayLevels[name as RelayLevelName];
        const random = randomFromSeed(seed);
        const problem = generateRelayProblem(level, random.split("problem"), "train");
        const episode = await relayEpisode(level, problem, relayTeacher(), random.split("episode"));
        terminal.result(`question ${problem.question}, answer ${problem.gold}`);
        for (const { agent, prompt, text, writtenTokens } of episode.utterances)
          terminal.result(`${agent.padEnd(9)} ${prompt} ${text === "" ? "(silent)" : text}  [${writtenTokens} tokens]`);
        terminal.result(`fewest tokens any team can average: ${formatNumber(relayOracleTokens(level))}`);
        return 0;
      },
    },
    exit,
  );
}

function warmStartCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "relay warm-start",
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
      run: async (args) => {
        const steps = wholeNumber("steps", args.steps);
        const size = wholeNumber("batch", args.batch);
        const level = relayLevels[args.level as RelayLevelName];
        const device = await chooseDevice(args.device, "auto", (line) => terminal.note(line));
        const settings = parseAppConfig({ task: { name: "relay", level: level.name } });
        const { engine, parts } = await openParts(settings, device, {
          ...(await runResources(settings.model, terminal)),
          fresh: freshRelayModel(args.seed),
        });
        const started = performance.now();
        const { model } = parts.policies[onlyPolicy] as TrainedPolicy;
        try {
          await supervised(model, {
            steps,
            batch: (step, random) => warmStartBatch(phaseAt(level, step / steps), size, random),
            random: randomFromSeed(args.seed).split("warm-start"),
            optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 },
            learningRate: { peak: 3e-3, warmUpSteps: 50, decay: "cosine", finalFraction: 0 },
            onStep: (step, loss) => {
              const seconds = (performance.now() - started) / 1000;
              const line = `step ${step}/${steps}  loss ${loss.toFixed(4)}  ${formatDuration((seconds / step) * (steps - step))} left`;
              showProgress(terminal, line, step % 100 === 0 || step === steps);
            },
          });
          const { evaluation } = await evaluate(parts, livePolicies(parts), {
            seed: "warm-start",
            step: 0,
            problems: 500,
            sampling: { temperature: 1 },
          });
          const folder = resolve(args.out);
          await mkdir(folder, { recursive: true });
          await model.save(folder);
          // The first step of reinforcement learning starts a fresh optimiser.
          await rm(join(folder, "optimizer.safetensors"), { force: true });
          await writeFile(join(folder, policyFile), `${JSON.stringify({ task: `relay/${level.name}` }, null, 2)}\n`);
          const { accuracy, tokens } = evaluation;
          printResult(
            terminal,
            args.json,
            { folder, steps, accuracy, tokens, seconds: (performance.now() - started) / 1000 },
            () => `${folder}: accuracy ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens per episode`,
          );
          return 0;
        } finally {
          await engine.close();
        }
      },
    },
    exit,
  );
}

/** The phase of the curriculum that holds at a share of the run, in [0, 1). */
function phaseAt(level: RelayLevel, done: number): WarmStartPhase {
  let end = 0;
  const phases = warmStartCurriculum(level);
  return phases.find((phase) => done < (end += phase.share)) ?? (phases.at(-1) as WarmStartPhase);
}
