import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { LaconicError } from "@laconic/core";
import {
  adapterShapes,
  elementCount,
  largestBatches,
  measurePasses,
  parameterShapes,
  parseModelConfig,
  readJsonFile,
  planMemory,
  rowsOf,
  sequencesWithin,
  type LargestBatches,
  type MemoryPlan,
  type MemorySettings,
  type ModelConfig,
  type PassSeconds,
  type SequenceLengths,
} from "@laconic/engine";
import type { CreateKernels } from "@laconic/engine/kernels";
import { needsOldPass } from "@laconic/trainer";
import {
  describeFleet,
  planFleet,
  plannedLengths,
  plannedReplies,
  type FleetPlan,
  type GivenLengths,
} from "./plan-servers.ts";
import {
  planActor,
  plannedPolicy,
  planOtherModels,
  planValueModels,
  snapshotsOf,
  totalBytes,
  type PlannedModel,
} from "./plan-models.ts";
import { frozenAgents, policiesOf } from "./policy-models.ts";
import type { AppConfig } from "./run-settings.ts";
import { plannedOutline } from "./run-task.ts";
import { planExamples, exampleSizeText, type PlannedExamples } from "./supervised-examples.ts";
import type { ChosenDevice } from "../devices/choose-device.ts";
import { formatBytes, formatDuration, formatNumber, formatPercent } from "@laconic/core/text";

interface PlanOptions extends GivenLengths {
  /** Bytes per worker; null to ask the device. */
  readonly memoryBytes: number | null;
  /** Sustained rate; null to measure the device. */
  readonly tflops: number | null;
  readonly openModel: (model: string) => Promise<string>;
}

interface StepSeconds {
  readonly sampling: number;
  readonly actor: number;
  /** Old policy's pass; 0 if the sampler's log-probs are used. */
  readonly oldLogProbs: number;
  readonly update: number;
}

/** Planned memory, tokens and time of a run. */
export interface RunPlan {
  readonly model: { readonly type: string; readonly parameters: number; readonly trained: number };
  readonly device: string;
  readonly settings: MemorySettings;
  /** Fraction of tokens saved by shared prompts. */
  readonly sharedTokenFraction: number;
  /** Memory of the first policy on one worker; each has a replica. */
  readonly memory: MemoryPlan;
  /** The run's other models. */
  readonly otherModels: readonly PlannedModel[];
  /** All models per worker: they learn in turn and sample at the same time. */
  readonly training: number;
  readonly sampling: number;
  readonly workers: number;
  /** Bytes per worker; null if unknown. */
  readonly memoryBytes: number | null;
  readonly largest: LargestBatches | null;
  readonly replies: number;
  readonly steps: number;
  /** Time of a step; null without a working device or a rate. */
  readonly stepSeconds: StepSeconds | null;
  readonly timing: string;
  /** Examples before and during training. */
  readonly examples: PlannedExamples;
  /** Plan of sampling servers; null without any. */
  readonly fleet: FleetPlan | null;
}

/** Plans memory, and time from a measurement or rate. Reads only the model's configuration. */
export async function planRun(
  config: AppConfig,
  folder: string,
  device: ChosenDevice,
  options: PlanOptions,
): Promise<RunPlan> {
  const model = parseModelConfig(await readJsonFile(join(folder, "config.json")));
  const { train, lora } = config;
  const task = await plannedOutline(config, folder);
  const examples = await planExamples(config, task, model.maxPositions);
  const agents = task.trainedAgents ?? task.topology.agents;
  const policies = Object.keys(policiesOf(config, task));
  const replies = plannedReplies(config, agents);
  const lengths: SequenceLengths = {
    ...plannedLengths(options, model.maxPositions),
    // Mean, because sequences get minibatches at random.
    repliesPerPrompt: Math.ceil(train.episodesPerProblem / train.minibatches),
  };
  const length = lengths.promptTokens + lengths.completionTokens;
  const rollouts = Math.ceil(replies / policies.length / device.workers);
  const settings = settingsOf(config, device, lengths, rollouts);
  const { seconds, deviceMemory, timing } = await timeOf(model, device, settings, options.tflops);
  const memoryBytes = options.memoryBytes ?? device.memory ?? deviceMemory;
  const team = {
    policies,
    frozen: frozenAgents(task),
    episodes: Math.ceil((train.problemsPerStep * train.episodesPerProblem) / device.workers),
  };
  const otherModels = [
    ...(await planOtherModels(config, team, settings, options.openModel)),
    ...(await planValueModels(train, policies, settings, options.openModel)),
  ];
  const actor = await planActor(config, team, settings, options.openModel);
  const actorSeconds = actor && (await timeOf(actor.shape, device, actor.settings, options.tflops)).seconds;
  const plan = planMemory(model, settings);
  const first = plannedPolicy("", config.model, plan);
  const total = totalBytes([first, ...otherModels]);
  const largest =
    memoryBytes === null
      ? null
      : largestBatches(model, settings, Math.max(0, memoryBytes - total.lasting + first.lasting));
  const parameters = elementCount(parameterShapes(model));
  return {
    model: {
      type: model.modelType,
      parameters,
      trained: elementCount(lora ? adapterShapes(model, lora) : parameterShapes(model)),
    },
    device: device.name,
    settings,
    sharedTokenFraction: 1 - rowsOf(settings, settings.microBatch) / (settings.microBatch * length),
    memory: plan,
    otherModels,
    training: total.training,
    sampling: total.sampling,
    workers: device.workers,
    memoryBytes,
    largest,
    replies,
    steps: train.steps,
    stepSeconds: seconds && {
      ...secondsOfStep(config, settings, seconds, { largest, policies: policies.length, examples }),
      actor: actor && actorSeconds ? samplingSeconds(actor.settings, actorSeconds, null) : 0,
    },
    timing,
    examples,
    fleet: await planFleet(config, folder, replies, policies.length),
  };
}

/** Each policy's settings on one worker. */
function settingsOf(
  { lora, memory, train }: AppConfig,
  { dtype, kernels }: ChosenDevice,
  lengths: SequenceLengths,
  rollouts: number,
): MemorySettings {
  const perStep = Math.ceil(rollouts / train.minibatches);
  return {
    dtype,
    lora,
    recompute: memory.recompute,
    snapshots: snapshotsOf(train),
    ...lengths,
    microBatch: Math.max(1, Math.min(perStep, sequencesWithin(lengths, memory.maxTokensPerMicroBatch))),
    rollouts,
    ...kernels,
  };
}

/** Policies sample and learn in turn. */
function secondsOfStep(
  { train }: AppConfig,
  settings: MemorySettings,
  seconds: PassSeconds,
  { largest, policies, examples }: Pick<RunPlan, "largest" | "examples"> & { readonly policies: number },
): Omit<StepSeconds, "actor"> {
  const microBatches = Math.ceil(settings.rollouts / settings.microBatch);
  const update = policies * train.epochs * microBatches * seconds.training;
  return {
    sampling: policies * samplingSeconds(settings, seconds, largest),
    oldLogProbs: needsOldPass(train) ? policies * microBatches * seconds.forward : 0,
    update: update + (seconds.training * exampleTokens(train, examples)) / rowsOf(settings, settings.microBatch),
  };
}

/** Tokens of supervised examples in a step. */
function exampleTokens({ supervised, epochs, minibatches }: AppConfig["train"], { beside }: PlannedExamples): number {
  if (!supervised) return 0;
  const means = beside.map(({ size }) => (size ? size.passed / Math.max(1, size.examples) : 0));
  return epochs * minibatches * supervised.batch * means.reduce((sum, mean) => sum + mean, 0);
}

function samplingSeconds(
  { rollouts, microBatch, completionTokens, ...lengths }: MemorySettings,
  seconds: PassSeconds,
  largest: LargestBatches | null,
): number {
  const rows = rowsOf({ completionTokens, ...lengths }, microBatch);
  const prefill = (Math.ceil(rollouts / microBatch) * seconds.forward * (rows - microBatch * completionTokens)) / rows;
  // Excess replies are sampled in waves.
  const waves = largest && largest.rollouts > 0 ? Math.ceil(rollouts / largest.rollouts) : 1;
  const decodeStep =
    waves === 1 ? seconds.decodeStep : seconds.decodeStep * Math.min(1, (largest?.rollouts ?? 1) / rollouts);
  return prefill + waves * completionTokens * decodeStep;
}

async function timeOf(
  model: ModelConfig,
  { source, name, workers }: ChosenDevice,
  settings: MemorySettings,
  tflops: number | null,
): Promise<{ readonly seconds: PassSeconds | null; readonly deviceMemory: number | null; readonly timing: string }> {
  let kernels;
  try {
    const { createKernels } = (await import(source.module)) as { createKernels: CreateKernels };
    kernels = await createKernels(source.options, { sharing: workers });
  } catch (error) {
    if (tflops === null)
      return { seconds: null, deviceMemory: null, timing: `${name} does not work here; --tflops gives an estimate` };
    if (!LaconicError.is(error)) throw error;
  }
  try {
    const deviceMemory = kernels?.memory()?.free ?? null;
    if (tflops !== null || !kernels)
      return { seconds: rated(model, settings, tflops ?? 1), deviceMemory, timing: `at ${tflops} TFLOP/s` };
    const seconds = await measurePasses(kernels, model, settings, () => performance.now() / 1000);
    return { seconds, deviceMemory, timing: `measured on ${kernels.backend}, one worker` };
  } finally {
    kernels?.dispose();
  }
}

/** 2 operations per weight and token forward, 4 backward (2 for an adapter), without attention products. */
function rated(model: ModelConfig, settings: MemorySettings, tflops: number): PassSeconds {
  const parameters =
    elementCount(parameterShapes(model)) - (model.tiedHead ? 0 : model.vocabularySize * model.hiddenSize);
  const forward = (2 * parameters) / (tflops * 1e12);
  const backward = settings.lora ? forward : 2 * forward;
  const again = settings.recompute === "layer" ? forward : 0;
  const tokens = rowsOf(settings, settings.microBatch);
  return {
    training: tokens * (forward + backward + again),
    forward: tokens * forward,
    decodeStep: settings.rollouts * forward,
  };
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
    ...plan.otherModels.map(({ role, lasting, training, sampling }) =>
      row(role, formatBytes(lasting + training), formatBytes(lasting + sampling)),
    ),
    row("in all", formatBytes(plan.training), formatBytes(plan.sampling)),
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

function fit({ training, sampling, memoryBytes, largest }: RunPlan): string {
  if (memoryBytes === null || largest === null) return "memory of the device unknown: give it with --memory 24GiB";
  const verdict = Math.max(training, sampling) <= memoryBytes ? "fits into" : "DOES NOT FIT into";
  if (largest.microBatch === 0) return `${verdict} ${formatBytes(memoryBytes)}: too little for one sequence`;
  return `${verdict} ${formatBytes(memoryBytes)}; at most ${largest.microBatch} sequences per micro-batch (memory.maxTokensPerMicroBatch=${largest.maxTokensPerMicroBatch}) and ${largest.rollouts} concurrent replies`;
}

function time({ stepSeconds, replies, steps, timing }: RunPlan): string {
  if (stepSeconds === null) return `time unknown: ${timing}`;
  const { sampling, actor, oldLogProbs, update } = stepSeconds;
  const step = sampling + actor + oldLogProbs + update;
  const ofActor = actor > 0 ? `the actor's ${formatDuration(actor)}, ` : "";
  return `a step of ${replies} replies: ${formatDuration(step)} (sampling ${formatDuration(sampling)}, ${ofActor}old log-probs ${formatDuration(oldLogProbs)}, update ${formatDuration(update)}); ${steps} steps: ${formatDuration(steps * step)}; ${timing}`;
}
