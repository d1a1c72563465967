import {
  adapterShapes,
  elementCount,
  parameterShapes,
  rowsOf,
  type LargestBatches,
  type MemoryPlan,
  type MemorySettings,
  type PassSeconds,
} from "@laconic/engine";
import { counted, formatBytes, formatDuration, formatNumber, formatPercent } from "@laconic/core/text";
import { needsOldPass } from "@laconic/trainer";
import type { AssumedSpeed } from "../devices/cards.ts";
import type { ChosenDevice } from "../devices/choose-device.ts";
import type { PlannedEpisode } from "./plan-episode.ts";
import { fitInto, outlineRun, sequencesOf, type RunMemory } from "./plan-fit.ts";
import { deviceOf, planActor } from "./plan-models.ts";
import { describeFleet, planFleet, plannedReplies, type FleetPlan, type GivenLengths } from "./plan-servers.ts";
import { exchangeSeconds, samplingSeconds, transferSeconds, timeOf } from "./plan-time.ts";
import type { AppConfig } from "./run-settings.ts";
import { planExamples, exampleSizeText, type PlannedExamples } from "./supervised-examples.ts";

interface PlanOptions extends GivenLengths {
  /** Bytes per worker; null to ask the device. */
  readonly memoryBytes: number | null;
  /** Null to measure the device. */
  readonly assumed: AssumedSpeed | null;
  readonly openModel: (model: string) => Promise<string>;
}

interface StepSeconds {
  readonly sampling: number;
  readonly actor: number;
  /** Old policy's pass; 0 if the sampler's log-probs are used. */
  readonly oldLogProbs: number;
  readonly update: number;
  /** Optimizer state from and to the host. */
  readonly transfer: number;
  /** Adding the workers' gradients. */
  readonly exchange: number;
}

/** Planned memory, tokens and time of a run. */
export interface RunPlan extends Omit<RunMemory, "besides"> {
  readonly model: { readonly type: string; readonly parameters: number; readonly trained: number };
  readonly device: string;
  /** Fraction of tokens saved by shared prompts. */
  readonly sharedTokenFraction: number;
  readonly workers: number;
  /** Bytes per worker; null if unknown. */
  readonly memoryBytes: number | null;
  readonly largest: LargestBatches | null;
  /** Settings with which a run that does not fit would fit; null if none is known, empty if it fits. */
  readonly fitting: readonly string[] | null;
  /** Calls of an episode that wait for each other. */
  readonly waves: PlannedEpisode["waves"];
  readonly replies: number;
  readonly steps: number;
  /** Time of a step; null without a working device or a rate. */
  readonly stepSeconds: StepSeconds | null;
  readonly timing: string;
  /** Lengths are the longest ones, so time is an upper bound. */
  readonly isBound: boolean;
  readonly examples: PlannedExamples;
  /** Plan of sampling servers; null without any. */
  readonly fleet: FleetPlan | null;
}

/** Plans memory, and time from a measurement or an assumed speed. Reads only the models' configurations. */
export async function planRun(
  config: AppConfig,
  folder: string,
  device: ChosenDevice,
  options: PlanOptions,
): Promise<RunPlan> {
  const outline = await outlineRun(config, folder, device, options);
  const { model, episode, team } = outline;
  const { train, lora } = config;
  const examples = await planExamples(config, outline.task, model.maxPositions);
  const planned = await outline.memoryOf(config);
  const { besides: _, ...memory } = planned;
  const { settings } = memory;
  const { seconds, deviceMemory, timing } = await timeOf(model, device, settings, options.assumed);
  const memoryBytes = options.memoryBytes ?? device.memory ?? deviceMemory;
  const fitted = memoryBytes === null ? null : await fitInto(config, planned, outline, memoryBytes);
  const largest = fitted?.largest ?? null;
  const actor = await planActor(config, team, settings, options.openModel);
  const actorSeconds = actor && (await timeOf(actor.shape, device, actor.settings, options.assumed)).seconds;
  const trained = elementCount(lora ? adapterShapes(model, lora) : parameterShapes(model));
  const inTurn = mostInTurn(config, team.policies);
  const replies = plannedReplies(config, team.trainedCalls);
  const updates = inTurn * train.epochs * train.minibatches;
  const microBatches = inTurn * Math.ceil(sequencesOf(team.rows) / settings.microBatch);
  const sampling =
    seconds && inTurn * Math.max(...team.rows.map((rows) => samplingSeconds({ settings, seconds, rows }, largest)));
  return {
    model: { type: model.modelType, parameters: elementCount(parameterShapes(model)), trained },
    device: device.name,
    ...memory,
    sharedTokenFraction: sharedFraction(settings),
    workers: device.workers,
    memoryBytes,
    largest,
    fitting: fitted?.fitting ?? null,
    waves: episode.waves,
    replies,
    steps: train.steps,
    stepSeconds: seconds && {
      sampling: sampling ?? 0,
      actor:
        actor && actorSeconds
          ? samplingSeconds({ settings: actor.settings, seconds: actorSeconds, rows: team.frozenRows }, null)
          : 0,
      ...learningSeconds(train, microBatches, settings, seconds, examples),
      transfer: transferSeconds(memory.memory, updates),
      exchange: exchangeSeconds(device.workers, trained, updates),
    },
    timing,
    isBound: options.promptTokens === null || options.completionTokens === null,
    examples,
    fleet: planFleet(config, model, replies, team.policies.length),
  };
}

function sharedFraction(settings: MemorySettings): number {
  const { microBatch, promptTokens, completionTokens } = settings;
  return 1 - rowsOf(settings, microBatch) / (microBatch * (promptTokens + completionTokens));
}

/** Most policies on one device, which sample and learn in turn. */
function mostInTurn(config: AppConfig, policies: readonly string[]): number {
  const devices = policies.map((policy) => deviceOf(config, policy));
  return Math.max(...devices.map((device) => devices.filter((other) => other === device).length));
}

function learningSeconds(
  train: AppConfig["train"],
  microBatches: number,
  settings: MemorySettings,
  seconds: PassSeconds,
  examples: PlannedExamples,
): Pick<StepSeconds, "oldLogProbs" | "update"> {
  const ofExamples = (seconds.training * exampleTokens(train, examples)) / rowsOf(settings, settings.microBatch);
  return {
    oldLogProbs: needsOldPass(train) ? microBatches * seconds.forward : 0,
    update: train.epochs * microBatches * seconds.training + ofExamples,
  };
}

function exampleTokens({ supervised, epochs, minibatches }: AppConfig["train"], { beside }: PlannedExamples): number {
  if (!supervised) return 0;
  const means = beside.map(({ size }) => (size ? size.passed / Math.max(1, size.examples) : 0));
  return epochs * minibatches * supervised.batch * means.reduce((sum, mean) => sum + mean, 0);
}

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
  ["library", "trainingOverhead", "samplingOverhead"],
];

/** A plan as text. */
export function describeRun(plan: RunPlan): string {
  const { model, settings, memory } = plan;
  const { promptTokens, completionTokens } = settings;
  const row = (name: string, training: string, sampling: string): string =>
    `${name.padEnd(20)}${training.padStart(12)}${sampling.padStart(12)}`;
  const form = settings.lora ? `LoRA of rank ${settings.lora.rank}` : "all weights";
  return [
    `${model.type}, ${formatNumber(model.parameters)} parameters, ${formatNumber(model.trained)} trained (${form}); ${settings.dtype} on ${plan.device}${plan.device.startsWith("cuda") ? " (TF32 off)" : ""}`,
    `sequences of ${promptTokens} + ${completionTokens} tokens, ${settings.microBatch} per micro-batch${settings.recompute === "layer" ? ", layers recomputed" : ""}; ${settings.rollouts} concurrent replies`,
    `updates pass each prompt once for its ${settings.repliesPerPrompt} replies of a minibatch: ${formatPercent(plan.sharedTokenFraction)} fewer tokens`,
    "",
    row(plan.workers === 1 ? "" : `each of ${plan.workers} workers`, "training", "sampling"),
    ...parts.map(([name, training, sampling]) =>
      row(name, training ? formatBytes(memory[training]) : "", sampling ? formatBytes(memory[sampling]) : ""),
    ),
    ...(plan.otherModels.length > 0
      ? [row("first policy", formatBytes(memory.training), formatBytes(memory.sampling))]
      : []),
    ...plan.otherModels.map(({ role, device, lasting, training, sampling }) =>
      row(device ? `${role}, ${device}` : role, formatBytes(lasting + training), formatBytes(lasting + sampling)),
    ),
    row("in all", formatBytes(plan.training), formatBytes(plan.sampling)),
    ...Object.entries(plan.elsewhere).map(([device, { training, sampling }]) =>
      row(`in all, ${device}`, formatBytes(training), formatBytes(sampling)),
    ),
    ...(memory.host > 0 ? [`optimizer state of a policy in the host's memory: ${formatBytes(memory.host)}`] : []),
    ...(plan.otherModels.length > 0 ? ["models learn in turn: only the largest work space of training counts"] : []),
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

function fit({ training, sampling, elsewhere, memoryBytes, largest, fitting }: RunPlan): string {
  if (memoryBytes === null || largest === null) return "memory of the device unknown: give it with --memory 24GiB";
  const isFitting = [{ training, sampling }, ...Object.values(elsewhere)].every(
    (bytes) => Math.max(bytes.training, bytes.sampling) <= memoryBytes,
  );
  const verdict = isFitting ? "fits into" : "DOES NOT FIT into";
  const advice = !isFitting && fitting && fitting.length > 0 ? `; would fit: ${fitting.join(" ")} (train --fit)` : "";
  if (largest.microBatch === 0) return `${verdict} ${formatBytes(memoryBytes)}: too little for one sequence${advice}`;
  if (!isFitting) return `${verdict} ${formatBytes(memoryBytes)}${advice}`;
  return `${verdict} ${formatBytes(memoryBytes)}; at most ${largest.microBatch} sequences per micro-batch (memory.maxTokensPerMicroBatch=${largest.maxTokensPerMicroBatch}) and ${largest.rollouts} concurrent replies`;
}

function time({ stepSeconds, replies, waves, steps, timing, isBound }: RunPlan): string {
  if (stepSeconds === null) return `time unknown: ${timing}`;
  const names: Readonly<Record<keyof StepSeconds, string>> = {
    sampling: `sampling in ${counted(waves.length, "turn")}`,
    actor: "the actor's replies",
    oldLogProbs: "old log-probs",
    update: "update",
    transfer: "optimizer state from the host",
    exchange: "adding gradients of the workers",
  };
  const step = Object.values(stepSeconds).reduce((sum, seconds: number) => sum + seconds, 0);
  const taken = (Object.keys(names) as (keyof StepSeconds)[]).filter((name) => stepSeconds[name] > 0.005 * step);
  const durations = taken.map((name) => `${names[name]} ${formatDuration(stepSeconds[name])}`);
  const bound = isBound ? "at most " : "";
  return `a step of ${replies} replies: ${bound}${formatDuration(step)} (${durations.join(", ")}); ${steps} steps: ${formatDuration(steps * step)}; ${timing}${isBound ? "; typical lengths give less: --prompt-tokens, --completion-tokens" : ""}`;
}
