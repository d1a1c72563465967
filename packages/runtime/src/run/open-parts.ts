import { join } from "node:path";
import {
  type ChatTokenizer,
  configError,
  type Engine,
  type EngineCapabilities,
  type LanguageModel,
  type ModelResources,
  type ModelSource,
  type Tokenizer,
  type TrainableModel,
  type ValueModelOptions,
  type ValueSource,
  mapValues,
  present,
} from "@laconic/core";
import { DisposalStack } from "@laconic/core/async";
import { createLocalEngine, localPolicy, repeatableBatching, type Batching } from "@laconic/engine";
import type { TeamTask } from "@laconic/tasks";
import {
  criticsOf,
  estimatorValue,
  isNamedBudget,
  learnedOf,
  loadWeights,
  modelPlace,
  withLearned,
  withReward,
  isValueSource,
  type FoundCheckpoint,
  type TrainConfig,
  type TrainedPolicy,
  type TrainingParts,
} from "@laconic/trainer";
import { chooseDevice, expectGpus, type ChosenDevice } from "../devices/choose-device.ts";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import { openActor, openTrain } from "../resolver/open-train.ts";
import { isReference } from "../resolver/reference.ts";
import { servedModel, type Spending } from "../spending/spending.ts";
import { checkActor } from "./app-config.ts";
import {
  basesOf,
  checkBases,
  frozenAgents,
  modelSource,
  policiesOf,
  type ActorChoice,
  type OpponentRuns,
} from "./policy-models.ts";
import { enginesByDevice } from "./placement.ts";
import type { AppConfig } from "./run-settings.ts";
import { openRunTask } from "./run-task.ts";
import { tokenLimits, type TinkerServer } from "./tinker-server.ts";

/** Opened parts of a run. */
export interface OpenedParts {
  readonly engine: Engine;
  /** Engines of policies on other devices. */
  readonly engines: Readonly<Record<string, Engine>>;
  readonly task: TeamTask;
  readonly parts: TrainingParts;
  /** Settings with resolved references. */
  readonly train: TrainConfig;
  readonly tokenizers: Readonly<Record<string, Tokenizer | ChatTokenizer>>;
  /**
   * Opens another model for an agent, closed with the engine. `begun`: initial model of the agent's policy. `trained`:
   * the run's first policy. An agent that does not learn keeps its temperature.
   */
  otherModel(agent: string, choice: "begun" | "trained" | ActorChoice["speaks"]): Promise<LanguageModel>;
  readonly opponentRuns: OpponentRuns;
  /** Critics and reward models by name. Critics are added with the estimators. */
  readonly valueModels: Map<string, string>;
  close(): Promise<void>;
}

export interface RunResources {
  readonly onWarning: (message: string) => void;
  readonly modelFolder: string | null;
  readonly openModel: (name: string) => Promise<string>;
  /** Checkpoint with weights and learned state. Default: the initial team. */
  readonly savedRun?: Pick<FoundCheckpoint, "manifest" | "state"> & { readonly checkpoint: string };
  readonly fresh?: ModelSource;
  readonly note?: (text: string) => void;
  /** File for numbered requests of a remote engine. */
  readonly journal?: string;
  /** Stays open after `close`. */
  readonly engine?: Engine;
  /** Default: depends on the engine. */
  readonly batching?: Batching;
  readonly actor?: ActorChoice["speaks"];
  readonly spending?: Spending | null;
  /** Finds opponent runs; absent outside training. */
  readonly opponents?: (tokenizerOf: (agent: string) => TeamTask["tokenizer"]) => Promise<OpponentRuns>;
  /** Max validation and test problems; 0 loads no data. Default 1,000. */
  readonly testProblems?: number;
}

type Parts = Pick<AppConfig, "task" | "train"> & Partial<AppConfig>;

export type Place = ChosenDevice | TinkerServer;

/**
 * Starts the engine and loads the models.
 * @throws LaconicError `config_invalid` for a base of an unknown policy, and errors of tasks and engines
 */
export async function openParts(config: Parts, location: Place, resources: RunResources): Promise<OpenedParts> {
  const closing = new DisposalStack();
  try {
    return await openAll(config, location, resources, closing);
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

async function openAll(
  config: Parts,
  location: Place,
  resources: RunResources,
  closing: DisposalStack,
): Promise<OpenedParts> {
  const { modelFolder, openModel, savedRun, fresh, note = () => undefined, testProblems = 1000 } = resources;
  const { bases = {}, devices = {}, chatTemplateArguments: templateArguments = {} } = config;
  const { budget } = config.train;
  const shown = isNamedBudget(budget) ? { targetTokens: budget.targetTokens } : {};
  const task = await openRunTask(config.task, { modelFolder, templateArguments, note, testProblems, ...shown });
  closing.defer(() => task.close?.());
  const { engine, engineOn } = await openEngines(config, location, resources, closing);
  const agentsOf = policiesOf(config, task);
  checkBases(bases, agentsOf);
  const values = await openTrain(config.train);
  const based = await basesOf(Object.keys(agentsOf), config, task, modelFolder, openModel);
  // A server has another name for the base model.
  const sourceOf = (folder: string | null, saved?: string): ModelSource =>
    fresh ?? modelSource(config, "kind" in location ? location.record.baseModel : (folder ?? ""), saved);
  const policies: Record<string, TrainedPolicy> = {};
  const engines: Record<string, Engine> = {};
  for (const [name, { folder, tokenizer }] of Object.entries(based)) {
    const saved = savedRun && join(savedRun.checkpoint, modelPlace(savedRun.manifest, name));
    const device = devices.policies?.[name];
    const engineOfPolicy = await engineOn(device);
    const model = await engineOfPolicy.createModel(sourceOf(folder, saved));
    const speak = speaker(model.id, tokenizer, engineOfPolicy.capabilities, resources.batching);
    policies[name] = { model, speak, agents: agentsOf[name]!, ...(device && { device }) };
    engines[name] = engineOfPolicy;
  }
  const tokenizers = mapValues(based, ({ tokenizer }) => tokenizer);
  const teachers = await openTeachers(config.teachers ?? {}, await engineOn(devices.teachers), openModel);
  const frozenOn = await engineOn(devices.actor);
  const speaking = (source: ModelSource, tokenizer: TeamTask["tokenizer"]): Promise<LanguageModel> =>
    openSpeaking(frozenOn, source, tokenizer);
  const openSpeaker = async (input: AppConfig["actor"] | ActorChoice["speaks"]): Promise<LanguageModel> => {
    if (isReference(input)) return openActor(input);
    // A separate model keeps the initial weights after a resume.
    if (input === null) return speaking(sourceOf(modelFolder), task.tokenizer);
    if ("source" in input) return speaking(input.source, input.tokenizer);
    if ("api" in input) return servedModel(input.api, input.api.concurrency ?? 32, resources.spending);
    const path = await openModel(input.model);
    return speaking({ kind: "folder", path }, await policyTokenizer(path, templateArguments));
  };
  const trained = new Set(Object.values(agentsOf).flat());
  const others = frozenAgents(task);
  if (resources.actor !== undefined) checkActor({ model: "" }, others.length > 0);
  const actor = others.length === 0 ? null : await openSpeaker(resources.actor ?? config.actor ?? null);
  const frozen =
    actor && Object.fromEntries(others.map((id) => [id, speakingAt(task.frozenTemperatures?.[id] ?? 0, actor)]));
  const valueModels = new Map<string, string>();
  const train = await openReward(values, { engine, openModel, templateArguments, valueModels });
  const policyOf = (agent: string): string =>
    Object.keys(agentsOf).find((name) => agentsOf[name]?.includes(agent)) ?? "";
  const opponentRuns = (await resources.opponents?.((agent) => tokenizers[policyOf(agent)] ?? task.tokenizer)) ?? {};
  const opponents = await openOpponents(opponentRuns, engine);
  const parts = await withCheckpoint(
    { task: withReward(task, train), policies, ...(frozen && { frozen }), teachers, opponents },
    train,
    savedRun,
  );
  const otherModel: OpenedParts["otherModel"] = async (agent, input) => {
    const [first] = Object.values(policies);
    const base = bases[policyOf(agent)];
    const begun = base === undefined ? null : { model: base };
    const isTrained = input === "trained" && first !== undefined;
    const model = isTrained ? first.speak(first.model) : await openSpeaker(typeof input === "string" ? begun : input);
    return trained.has(agent) ? model : speakingAt(task.frozenTemperatures?.[agent] ?? 0, model);
  };
  const close = (): Promise<void> => closing.disposeAsync();
  return { engine, engines, task: parts.task, parts, train, tokenizers, otherModel, opponentRuns, valueModels, close };
}

async function openSpeaking(engine: Engine, source: ModelSource, tokenizer: PolicyTokenizer): Promise<LanguageModel> {
  const model = await engine.createModel(source);
  return speaker(model.id, tokenizer, engine.capabilities)(model);
}

async function openTeachers(
  teachers: Readonly<Record<string, string>>,
  engine: Engine,
  openModel: RunResources["openModel"],
): Promise<Record<string, TrainableModel>> {
  const opened: Record<string, TrainableModel> = {};
  for (const [name, model] of Object.entries(teachers))
    opened[name] = await engine.createModel({ kind: "folder", path: await openModel(model) });
  return opened;
}

/** Applies a checkpoint. Estimators on the engine are only for training. */
async function withCheckpoint<P extends TrainingParts>(
  parts: P,
  train: TrainConfig,
  match: RunResources["savedRun"],
): Promise<P> {
  if (!match) return parts;
  const { checkpoint, manifest, state } = match;
  const estimators = Object.keys(parts.policies).map((name) => {
    const estimator = estimatorValue(train, name);
    return { name, estimator: estimator?.open ? undefined : estimator };
  });
  await loadWeights(checkpoint, manifest, criticsOf(estimators));
  return withLearned(parts, learnedOf(state));
}

async function openOpponents(runs: OpponentRuns, engine: Engine): Promise<NonNullable<TrainingParts["opponents"]>> {
  const opened = new Map<string, LanguageModel>();
  const opponents: Record<string, Record<string, LanguageModel>> = {};
  for (const [name, agents] of Object.entries(runs)) {
    const models: Record<string, LanguageModel> = {};
    for (const [agent, { source, tokenizer, folder }] of Object.entries(agents)) {
      const model = opened.get(folder) ?? (await openSpeaking(engine, source, tokenizer));
      opened.set(folder, model);
      models[agent] = model;
    }
    opponents[name] = models;
  }
  return opponents;
}

async function openEngines(
  config: Parts,
  location: Place,
  resources: RunResources,
  closing: DisposalStack,
): Promise<{ readonly engine: Engine; readonly engineOn: ReturnType<typeof enginesByDevice> }> {
  const open = async (place: Place): Promise<Engine> => {
    const opened = await openEngine(place, config, resources);
    closing.defer(() => opened.close());
    return opened;
  };
  const { note = () => undefined } = resources;
  const engine = resources.engine ?? (await open(location));
  const engineOn = enginesByDevice(engine, async (device) => open(await chooseDevice(device, "auto", note, config)));
  return { engine, engineOn };
}

async function openEngine(
  location: Place,
  { memory: settings }: Pick<Parts, "memory">,
  { onWarning, modelFolder, journal }: RunResources,
): Promise<Engine> {
  if ("kind" in location)
    return location.open(await tokenLimits(modelFolder ?? ""), { onWarning, ...present({ journal }) });
  await expectGpus(location);
  const { cacheGb, ...memory } = settings ?? {};
  return createLocalEngine({
    device: location.sources,
    workers: location.workers,
    onWarning,
    ...memory,
    ...(cacheGb !== undefined && { cacheBytes: 1e9 * cacheGb }),
  });
}

function speaker(
  id: string,
  tokenizer: Tokenizer | ChatTokenizer,
  capabilities: EngineCapabilities,
  batching: Batching = repeatableBatching(capabilities),
): TrainedPolicy["speak"] {
  return (sampler) => localPolicy({ id, sampler, tokenizer, batching });
}

/** Fixes the temperature; AgentPO's actor is frozen at 0. */
function speakingAt(temperature: number, model: LanguageModel): LanguageModel {
  return {
    id: model.id,
    complete: (request) => model.complete({ ...request, sampling: { ...request.sampling, temperature } }),
  };
}

interface ModelPlace {
  readonly engine: Engine;
  readonly openModel: (model: string) => Promise<string>;
  readonly templateArguments: AppConfig["chatTemplateArguments"];
  readonly valueModels?: Map<string, string>;
}

type PolicyTokenizer = Tokenizer | ChatTokenizer;

/** Opens estimators with a model on the run's engine; each policy has a separate trainable one. */
export async function openEstimators(
  train: TrainConfig,
  policies: Readonly<Record<string, Pick<TrainedPolicy, "model">>>,
  location: ModelPlace & Pick<OpenedParts, "engines" | "tokenizers">,
): Promise<TrainConfig> {
  const settings: Record<string, TrainConfig["policies"][string]> = { ...train.policies };
  for (const [name, { model }] of Object.entries(policies)) {
    const estimator = estimatorValue(train, name);
    const owner = { policy: model, tokenizer: location.tokenizers[name] as PolicyTokenizer };
    if (estimator?.open)
      settings[name] = {
        ...settings[name],
        advantage: await estimator.open(
          resourcesOf({ ...location, engine: location.engines[name] ?? location.engine }, owner),
        ),
      };
  }
  return { ...train, policies: settings };
}

/** Opens a reward with a model. Throws as {@link openEstimators} does. */
export async function openReward(train: TrainConfig, location: ModelPlace): Promise<TrainConfig> {
  const { reward } = train;
  if (!reward || isValueSource(reward) || !reward.open) return train;
  return { ...train, reward: await reward.open(resourcesOf(location, null)) };
}

function resourcesOf(
  { engine, openModel, templateArguments, valueModels }: ModelPlace,
  owner: { readonly policy: TrainedPolicy["model"]; readonly tokenizer: PolicyTokenizer } | null,
): ModelResources {
  return {
    async openValueModel(layers, options) {
      if (typeof layers === "string") {
        const path = await openModel(layers);
        valueModels?.set(layers, path);
        return openValueModel(
          engine,
          { kind: "folder", path },
          options,
          await policyTokenizer(path, templateArguments),
        );
      }
      if (owner) return openValueModel(engine, { kind: "trunk", policy: owner.policy }, options, owner.tokenizer);
      throw configError("a reward belongs to no policy and has no layers to share; name a model");
    },
  };
}

async function openValueModel(
  engine: Engine,
  source: ValueSource,
  options: ValueModelOptions | undefined,
  tokenizer: PolicyTokenizer,
): ReturnType<ModelResources["openValueModel"]> {
  return { model: await engine.createValueModel(source, options), encode: (text) => tokenizer.encode(text) };
}
