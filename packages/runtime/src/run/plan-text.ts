import { formatBytes, formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import type { MemoryPlan } from "@laconic/engine";
import { describeFleet } from "./plan-servers.ts";
import type { RunPlan } from "./plan-run.ts";
import { exampleSizeText } from "./supervised-examples.ts";

/** Parts of a row; null for an empty cell. */
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

/** Describes a plan as lines of text. */
export function describeRun(plan: RunPlan): string {
  const { model, settings, memory } = plan;
  const { promptTokens, completionTokens } = settings;
  const row = (name: string, training: string, sampling: string): string =>
    `${name.padEnd(20)}${training.padStart(12)}${sampling.padStart(12)}`;
  const form = settings.lora ? `LoRA of rank ${settings.lora.rank}` : "all weights";
  return [
    `${model.type}, ${formatNumber(model.parameters)} parameters, ${formatNumber(model.trained)} trained (${form}); ${settings.dtype} on ${plan.device}${plan.device.startsWith("cuda") ? " (TF32 off)" : ""}`,
    `sequences of ${promptTokens} + ${completionTokens} tokens, ${settings.microBatch} per micro-batch${settings.recompute === "layer" ? ", layers recomputed" : ""}; ${settings.rollouts} replies at once`,
    `updates pass each prompt once for its ${settings.repliesPerPrompt} replies of a minibatch: ${formatPercent(plan.sharedTokenFraction)} fewer tokens`,
    "",
    row(plan.workers === 1 ? "" : `each of ${plan.workers} workers`, "training", "sampling"),
    ...parts.map(([name, training, sampling]) =>
      row(name, training ? formatBytes(memory[training]) : "", sampling ? formatBytes(memory[sampling]) : ""),
    ),
    row("in all", formatBytes(memory.training), formatBytes(memory.sampling)),
    ...plan.valueModels.map(
      ({ model: name, of, lasting, coming }) =>
        `${of} ${name}: ${formatBytes(lasting)}, and ${formatBytes(coming)} while it ${of === "critic" ? "learns" : "judges"}`,
    ),
    ...(plan.valueModels.length > 0 ? [`with them at most ${formatBytes(plan.peak)}`] : []),
    "",
    fit(plan),
    time(plan),
    ...examplesText(plan.examples),
    ...(plan.fleet ? ["", describeFleet(plan.fleet)] : []),
  ].join("\n");
}

function examplesText({ before, beside }: RunPlan["examples"]): string[] {
  return [
    ...(before ? [`warm start: ${before.steps} steps of ${before.batch} of ${exampleSizeText(before.size)}`] : []),
    ...beside.map(({ text }) => text),
  ];
}

function fit({ peak, memoryBytes, largest }: RunPlan): string {
  if (memoryBytes === null || largest === null) return "memory of the device unknown: give it with --memory 24GiB";
  const verdict = peak <= memoryBytes ? "fits into" : "DOES NOT FIT into";
  if (largest.microBatch === 0) return `${verdict} ${formatBytes(memoryBytes)}: not even one sequence does`;
  return `${verdict} ${formatBytes(memoryBytes)}; at most ${largest.microBatch} sequences per micro-batch (memory.maxTokensPerMicroBatch=${largest.maxTokensPerMicroBatch}) and ${largest.rollouts} replies at once`;
}

function time({ stepSeconds, replies, steps, timing }: RunPlan): string {
  if (stepSeconds === null) return `time unknown: ${timing}`;
  const { sampling, oldLogProbs, update } = stepSeconds;
  const step = sampling + oldLogProbs + update;
  return `a step of ${replies} replies: ${formatDuration(step)} (sampling ${formatDuration(sampling)}, old log-probs ${formatDuration(oldLogProbs)}, update ${formatDuration(update)}); ${steps} steps: ${formatDuration(steps * step)}; ${timing}`;
}
