import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { inputError, LaconicError, type ModelResources, type ValueModel } from "@laconic/core";
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
  forwardPassBytes,
  type LargestBatches,
  type MemoryPlan,
  type MemorySettings,
  type ModelConfig,
  type PassSeconds,
  type SequenceLengths,
} from "@laconic/engine";
import type { CreateKernels } from "@laconic/engine/kernels";
import { needsOldPass, onlyPolicy, isNamedObjective, estimatorValue } from "@laconic/trainer";
import {
  describeFleet,
  planFleet,
  plannedLengths,
  plannedReplies,
  type FleetPlan,
  type GivenLengths,
} from "./plan-servers.ts";
import type { AppConfig } from "./run-settings.ts";
import { taskOutline } from "./run-task.ts";
import { planExamples, exampleSizeText, type PlannedExamples } from "./supervised-examples.ts";
import type { ChosenDevice } from "../devices/choose-device.ts";
import { isReference } from "../resolver/reference.ts";
import { openTrain } from "../resolver/open-train.ts";
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
  /** Memory of one worker; each has a replica. */
  readonly memory: MemoryPlan;
  /** Critics with separate layers, and reward models, besides `memory`. */
  readonly valueModels: readonly PlannedValueModel[];
  /** Peak per worker: `memory` with resident value models, or the largest value model while it learns. */
  readonly peak: number;
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
  const { train, lora, memory } = config;
  const task = await taskOutline(config, folder);
  const examples = await planExamples(config, task, model.maxPositions);
  const agents = task.trainedAgents ?? task.topology.agents;
  const replies = plannedReplies(config, agents);
  const lengths: SequenceLengths = {
    ...plannedLengths(options, model.maxPositions),
    // Mean, because sequences get minibatches at random.
    repliesPerPrompt: Math.ceil(train.episodesPerProblem / train.minibatches),
  };
  const length = lengths.promptTokens + lengths.completionTokens;
  const perStep = Math.ceil(replies / train.minibatches / device.workers);
  const settings: MemorySettings = {
    dtype: device.dtype,
    lora,
    recompute: memory.recompute,
    snapshots:
      (train.refreshOldPolicyEvery > 1 ? 1 : 0) +
      (isNamedObjective(train.objective) && train.objective.kl ? 1 : 0) +
      (train.opponents ? train.opponents.keep + train.opponents.runs.length : 0),
    ...lengths,
    microBatch: Math.max(1, Math.min(perStep, sequencesWithin(lengths, memory.maxTokensPerMicroBatch))),
    rollouts: Math.ceil(replies / device.workers),
    ...device.kernels,
  };
  const { seconds, deviceMemory, timing } = await timeOf(model, device, settings, options.tflops);
  const memoryBytes = options.memoryBytes ?? device.memory ?? deviceMemory;
  const policies = config.policies === "own" ? agents : [onlyPolicy];
  const valueModels = await planValueModels(config, policies, settings, options.openModel);
  const retained = valueModels.reduce((sum, { lasting }) => sum + lasting, 0);
  const largest = memoryBytes === null ? null : largestBatches(model, settings, Math.max(0, memoryBytes - retained));
  const plan = planMemory(model, settings);
  const lasting = plan.weights + plan.snapshots + plan.masterWeights + plan.optimizerMoments;
  const valuing = lasting + Math.max(0, ...valueModels.map(({ coming }) => coming));
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
    valueModels,
    peak: retained + Math.max(plan.peak, valuing),
    workers: device.workers,
    memoryBytes,
    largest,
    replies,
    steps: train.steps,
    stepSeconds:
      seconds &&
      withExampleSeconds(secondsOfStep(config, settings, seconds, largest), config, settings, seconds, examples),
    timing,
    examples,
    fleet: await planFleet(config, folder, replies, config.policies === "own" ? agents.length : 1),
  };
}

function secondsOfStep(
  { train }: AppConfig,
  settings: MemorySettings,
  seconds: PassSeconds,
  largest: LargestBatches | null,
): StepSeconds {
  const { rollouts, microBatch, completionTokens } = settings;
  const microBatches = Math.ceil(rollouts / microBatch);
  const rows = rowsOf(settings, microBatch);
  const prefill = (microBatches * seconds.forward * (rows - microBatch * completionTokens)) / rows;
  // Excess replies are sampled in waves.
  const waves = largest && largest.rollouts > 0 ? Math.ceil(rollouts / largest.rollouts) : 1;
  const decodeStep =
    waves === 1 ? seconds.decodeStep : seconds.decodeStep * Math.min(1, (largest?.rollouts ?? 1) / rollouts);
  return {
    sampling: prefill + waves * completionTokens * decodeStep,
    oldLogProbs: needsOldPass(train) ? microBatches * seconds.forward : 0,
    update: train.epochs * microBatches * seconds.training,
  };
}

/** Adds the time of supervised examples, if known. */
function withExampleSeconds(
  step: StepSeconds,
  { train }: AppConfig,
  settings: MemorySettings,
  { training }: PassSeconds,
  { beside }: PlannedExamples,
): StepSeconds {
  if (!train.supervised) return step;
  const meanTokens = beside.map(({ size }) => (size ? size.passed / Math.max(1, size.examples) : 0));
  const examples = train.epochs * train.minibatches * train.supervised.batch;
  const tokens = meanTokens.reduce((sum, meanToken) => sum + examples * meanToken, 0);
  return { ...step, update: step.update + (training * tokens) / rowsOf(settings, settings.microBatch) };
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

/** Device memory of a critic or reward model, in bytes. */
interface PlannedValueModel {
  readonly model: string;
  readonly of: "critic" | "reward";
  /** Weights, with exact copies and moments if trained. */
  readonly lasting: number;
  /** Gradients and activations of a pass. */
  readonly coming: number;
}

/** Model request of an estimator or reward. */
interface Asked {
  readonly model: string;
  readonly of: PlannedValueModel["of"];
  readonly trains: boolean;
}

/**
 * Memory of models that estimators and the reward open by name, one critic per policy. Heads on a policy's layers are
 * negligible. States have the length of a planned sequence.
 */
export async function planValueModels(
  { train }: Pick<AppConfig, "train">,
  policies: readonly string[],
  settings: MemorySettings,
  folderOf: (model: string) => Promise<string>,
): Promise<PlannedValueModel[]> {
  const opened = await openTrain(train);
  const asked: Asked[] = [];
  for (const name of policies) await estimatorValue(opened, name)?.open?.(recording("critic", asked));
  const { reward } = opened;
  if (reward && !isReference(reward)) await reward.open?.(recording("reward", asked));
  const planned: PlannedValueModel[] = [];
  for (const item of asked) {
    const json = await readJsonFile(join(await folderOf(item.model), "config.json"));
    planned.push({ model: item.model, of: item.of, ...bytesOf(json, settings, item.trains) });
  }
  return planned;
}

function bytesOf(
  json: Readonly<Record<string, unknown>>,
  settings: MemorySettings,
  trains: boolean,
): Pick<PlannedValueModel, "lasting" | "coming"> {
  const config = { ...parseModelConfig(json), scalarHead: true } as const;
  const tokens = settings.promptTokens + settings.completionTokens;
  const read = { ...settings, lora: null, snapshots: 0, rollouts: 0, repliesPerPrompt: 1, completionTokens: 1 };
  const plan: MemoryPlan = planMemory(config, { ...read, promptTokens: tokens - 1 });
  if (trains) {
    const lasting = plan.weights + plan.masterWeights + plan.optimizerMoments;
    return { lasting, coming: plan.training - lasting };
  }
  const sequences = Array.from({ length: settings.microBatch }, () => ({
    promptTokens: new Array<number>(tokens - 1).fill(0),
    completionTokens: [0],
  }));
  return { lasting: plan.weights, coming: forwardPassBytes(config, { ...read, shared: false }, sequences) };
}

/** Records requests; the returned model refuses all calls. */
function recording(of: Asked["of"], asked: Asked[]): ModelResources {
  const refuse = (): never => {
    throw inputError("a plan opens no model");
  };
  const model: ValueModel = {
    id: "planned",
    parameters: 0,
    contextLength: Infinity,
    weightVersion: 0,
    hasStoredHead: true,
    trainableParameters: 0,
    forward: refuse,
    forwardBackward: refuse,
    optimStep: refuse,
    save: refuse,
    load: refuse,
    dispose: async () => undefined,
  };
  return {
    async openValueModel(layers, { train = "all" } = {}) {
      if (typeof layers === "string") asked.push({ model: layers, of, trains: of === "critic" && train === "all" });
      return { model, encode: () => [] };
    },
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

/** Describes a plan as lines of text. */
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
  if (largest.microBatch === 0) return `${verdict} ${formatBytes(memoryBytes)}: too little for one sequence`;
  return `${verdict} ${formatBytes(memoryBytes)}; at most ${largest.microBatch} sequences per micro-batch (memory.maxTokensPerMicroBatch=${largest.maxTokensPerMicroBatch}) and ${largest.rollouts} concurrent replies`;
}

function time({ stepSeconds, replies, steps, timing }: RunPlan): string {
  if (stepSeconds === null) return `time unknown: ${timing}`;
  const { sampling, oldLogProbs, update } = stepSeconds;
  const step = sampling + oldLogProbs + update;
  return `a step of ${replies} replies: ${formatDuration(step)} (sampling ${formatDuration(sampling)}, old log-probs ${formatDuration(oldLogProbs)}, update ${formatDuration(update)}); ${steps} steps: ${formatDuration(steps * step)}; ${timing}`;
}
