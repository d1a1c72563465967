import type { MemoryPlan } from "@laconic/engine";
import type { CommandDef } from "citty";
import { formatBytes, formatDuration, formatNumber } from "@laconic/core/text";
import { command, type ExitCode } from "../cli/command.ts";
import { parseBytes, positiveNumber, wholeNumber } from "../cli/numbers.ts";
import { spinWhile } from "../cli/progress.ts";
import {
  applyOverrides,
  describeFleet,
  describeRemote,
  parseAppConfig,
  planRemote,
  planRun,
  type RunPlan,
} from "@laconic/runtime";
import { chooseDevice } from "@laconic/runtime/devices";
import { openModelFolder } from "@laconic/runtime/models";
import { jsonFlag, printResult, runFlags, type CommandContext } from "./common.ts";
import { loadConfig } from "@laconic/runtime/resolver";

export function planCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "plan",
      args: {
        config: { type: "positional", required: true, description: "run.config.ts, run.config.json or preset:NAME" },
        device: runFlags.device,
        memory: {
          type: "string",
          description: "Memory for each worker, unless the device says so itself",
          valueHint: "24GiB",
        },
        tflops: {
          type: "string",
          description: "Sustained rate to estimate from instead of a measurement",
          valueHint: "100",
        },
        "prompt-tokens": { type: "string", description: "Length of a prompt", valueHint: "512" },
        "completion-tokens": { type: "string", description: "Length of a reply", valueHint: "512" },
        ...jsonFlag,
      },
      overrides: true,
      run: async (args, rest) => {
        const words = args.device === undefined ? rest : [`device=${args.device}`, ...rest];
        const config = parseAppConfig(applyOverrides(await loadConfig(args.config), words));
        const options = {
          promptTokens: given(wholeNumber, "prompt-tokens", args["prompt-tokens"]),
          completionTokens: given(wholeNumber, "completion-tokens", args["completion-tokens"]),
          memoryBytes: args.memory === undefined ? null : parseBytes("memory", args.memory),
          tflops: given(positiveNumber, "tflops", args.tflops),
        };
        if (config.engine) {
          const { folder } = await openModelFolder(config.model, terminal, { weights: false });
          const plan = await planRemote(config, config.engine, folder, options);
          printResult(terminal, args.json, plan, describeRemote);
          return 0;
        }
        const device = await chooseDevice(config.device, config.workers, (line) => terminal.note(line));
        const { folder } = await openModelFolder(config.model, terminal);
        const plan = await spinWhile(terminal, `measuring the speed and memory of ${device.name}`, () =>
          planRun(config, folder, device, options),
        );
        printResult(terminal, args.json, plan, describe);
        return 0;
      },
    },
    exit,
  );
}

/** What a row shows of each phase; null leaves it out. */
type Row = readonly [name: string, training: keyof MemoryPlan | null, sampling: keyof MemoryPlan | null];

const parts: readonly Row[] = [
  ["weights", "weights", "weights"],
  ["frozen policies", "snapshots", "snapshots"],
  ["master weights", "masterWeights", "masterWeights"],
  ["optimizer moments", "optimizerMoments", "optimizerMoments"],
  ["gradients", "gradients", null],
  ["activations", "activations", null],
  ["head workspace", "headWorkspace", null],
  ["key-value cache", null, "keyValueCache"],
  ["sampling workspace", null, "samplingWorkspace"],
  ["library's own", "trainingOverhead", "samplingOverhead"],
];

function describe(plan: RunPlan): string {
  const { model, settings, memory } = plan;
  const { promptTokens, completionTokens } = settings;
  const row = (name: string, training: string, sampling: string): string =>
    `${name.padEnd(20)}${training.padStart(12)}${sampling.padStart(12)}`;
  const form = settings.lora ? `LoRA of rank ${settings.lora.rank}` : "all weights";
  return [
    `${model.type}, ${formatNumber(model.parameters)} parameters, ${formatNumber(model.trained)} trained (${form}); ${settings.dtype} on ${plan.device}${plan.device.startsWith("cuda") ? " (TF32 off)" : ""}`,
    `sequences of ${promptTokens} + ${completionTokens} tokens, ${settings.microBatch} per micro-batch${settings.recompute === "layer" ? ", layers recomputed" : ""}; ${settings.rollouts} replies at once`,
    "",
    row(plan.workers === 1 ? "" : `each of ${plan.workers} workers`, "training", "sampling"),
    ...parts.map(([name, training, sampling]) =>
      row(name, training ? formatBytes(memory[training]) : "", sampling ? formatBytes(memory[sampling]) : ""),
    ),
    row("in all", formatBytes(memory.training), formatBytes(memory.sampling)),
    "",
    fit(plan),
    time(plan),
    ...(plan.fleet ? ["", describeFleet(plan.fleet)] : []),
  ].join("\n");
}

function fit({ memory, memoryBytes, largest }: RunPlan): string {
  if (memoryBytes === null || largest === null) return "memory of the device unknown: give it with --memory 24GiB";
  const verdict = memory.peak <= memoryBytes ? "fits into" : "DOES NOT FIT into";
  if (largest.microBatch === 0) return `${verdict} ${formatBytes(memoryBytes)}: not even one sequence does`;
  return `${verdict} ${formatBytes(memoryBytes)}; at most ${largest.microBatch} sequences per micro-batch (memory.maxTokensPerMicroBatch=${largest.maxTokensPerMicroBatch}) and ${largest.rollouts} replies at once`;
}

function time({ stepSeconds, replies, steps, timing }: RunPlan): string {
  if (stepSeconds === null) return `time unknown: ${timing}`;
  const { sampling, oldLogProbs, update } = stepSeconds;
  const step = sampling + oldLogProbs + update;
  return `a step of ${replies} replies: ${formatDuration(step)} (sampling ${formatDuration(sampling)}, old log-probs ${formatDuration(oldLogProbs)}, update ${formatDuration(update)}); ${steps} steps: ${formatDuration(steps * step)}; ${timing}`;
}

function given(parse: (flag: string, text: string) => number, flag: string, text: string | undefined): number | null {
  return text === undefined ? null : parse(flag, text);
}
