import { join } from "node:path";
import {
  LaconicError,
  type ChatTokenizer,
  type Engine,
  type EngineCapabilities,
  type LanguageModel,
  type ModelSource,
  type Tokenizer,
  type TrainableModel,
} from "@laconic/core";
import { createLocalEngine, localPolicy, repeatableBatching, type Batching } from "@laconic/engine";
import {
  criticsOf,
  estimatorValue,
  isNamedBudget,
  learnedOf,
  loadWeights,
  modelPlace,
  onlyPolicy,
  withLearned,
  withReward,
  type FoundCheckpoint,
  type TrainConfig,
  type TrainedPolicy,
  type TrainingParts,
} from "@laconic/trainer";
import type { TeamTask } from "@laconic/tasks";
import { isReference } from "../resolver/reference.ts";
import { openActor, openTrain } from "../resolver/open-train.ts";
import type { ActorChoice } from "./chosen-actor.ts";
import { checkActor } from "./check-effects.ts";
import { openReward } from "./open-on-models.ts";
import type { AppConfig } from "./run-settings.ts";
import { expectGpus } from "../devices/probe-devices.ts";
import { type ChosenDevice } from "../devices/choose-device.ts";
import { openRunTask } from "./run-task.ts";
import { tokenLimits, type TinkerServer } from "./remote/tinker-server.ts";
import { servedModel, type Spending } from "../spending/spending.ts";
import { policyTokenizer } from "../models/policy-tokenizer.ts";

/** An engine with the models of a run on it, and the task they work on. */
export interface OpenedParts {
  readonly engine: Engine;
  readonly task: TeamTask;
  readonly parts: TrainingParts;
  /** Settings of the training, with the values that they refer to. */
  readonly train: TrainConfig;
  /** By policy. */
  readonly tokenizers: Readonly<Record<string, Tokenizer | ChatTokenizer>>;
  /**
   * Another model in an agent's place, on the same engine until it is closed. `begun` is the one that the agent's policy began with,
   * `trained` the run's first policy. An agent that does not learn keeps its temperature.
   */
  otherModel(agent: string, given: "begun" | "trained" | ActorChoice["speaks"]): Promise<LanguageModel>;
  /** Other runs that are opponents. */
  readonly opponentRuns: OpponentRuns;
  /** Folders of critics and reward models by their names: those of rewards, until estimators are opened too. */
  readonly valueModels: Map<string, string>;
  /** Closes engine and task. */
  close(): Promise<void>;
}

/** What opening takes beside the configuration. */
export interface RunResources {
  /** Hears what the engine answers by itself. */
  readonly onWarning: (message: string) => void;
  /** Of the run's model. */
  readonly modelFolder: string | null;
  /** The folder of another model. */
  readonly openModel: (name: string) => Promise<string>;
  /** A checkpoint of the run, whose team knows what it has learned; the team that it began with when absent. */
  readonly found?: Pick<FoundCheckpoint, "manifest" | "state"> & { readonly checkpoint: string };
  /** Policies begin with this instead. */
  readonly fresh?: ModelSource;
  readonly note?: (text: string) => void;
  /** The file of a remote engine's numbered requests. */
  readonly journal?: string;
  /** One that is open already, and stays so when what is opened closes. */
  readonly engine?: Engine;
  /** How requests join; as suits the engine by default. */
  readonly batching?: Batching;
  /** Instead of the configuration's actor. */
  readonly actor?: ActorChoice["speaks"];
  /** For an actor behind a server. */
  readonly spending?: Spending | null;
  /** Finds other runs that are opponents; without it they are not opened: training alone plays against them. */
  readonly opponents?: (tokenizerOf: (agent: string) => TeamTask["tokenizer"]) => Promise<OpponentRuns>;
  /** Problems of validation and test at most; 0 opens no data. Default 1000. */
  readonly testProblems?: number;
}

/** A policy of another run, with the weights of its last checkpoint. */
export interface RunPolicy {
  readonly source: ModelSource;
  readonly tokenizer: TeamTask["tokenizer"];
  readonly agents: readonly string[];
  /** Where its checkpoint has it. */
  readonly folder: string;
}

/** Other runs in the pool of opponents: the policy that plays each agent, by the run's name. */
export type OpponentRuns = Readonly<Record<string, Readonly<Record<string, RunPolicy>>>>;

type Parts = Pick<AppConfig, "task" | "train"> &
  Partial<Pick<AppConfig, "memory" | "policies" | "actor" | "lora" | "bases" | "teachers" | "chatTemplateArguments">>;

/** Agents by policy: one that all trained agents share, or one for each of them. */
export function policiesOf(
  { policies = "shared" }: Partial<Pick<AppConfig, "policies">>,
  task: Pick<TeamTask, "topology" | "trainedAgents">,
): Readonly<Record<string, readonly string[]>> {
  const agents = task.trainedAgents ?? task.topology.agents;
  return policies === "own" ? Object.fromEntries(agents.map((agent) => [agent, [agent]])) : { [onlyPolicy]: agents };
}

/**
 * Where a policy's model comes from: what the configuration names, or a folder of one of the run's checkpoints.
 * @param folder - of the configuration's model, or of its adapter's base
 */
export function modelSource(
  { lora = null, train }: Pick<Parts, "lora" | "train">,
  folder: string,
  saved?: string,
): ModelSource {
  const base = { kind: "folder", path: folder } as const;
  if (saved === undefined) return lora ? { kind: "adapter", base, lora, seed: train.seed } : base;
  return lora ? { kind: "adapter-folder", base, path: saved } : { kind: "folder", path: saved };
}

/**
 * Starts the engine and loads the models; close what is returned when done.
 * @throws LaconicError `config_invalid` for a base of a policy that does not exist, and what tasks and engines throw
 */
export async function openParts(config: Parts, place: Place, resources: RunResources): Promise<OpenedParts> {
  const { modelFolder, openModel, found, fresh, note = () => undefined, testProblems = 1000 } = resources;
  const { bases = {}, teachers: named = {}, chatTemplateArguments: templateArguments = {} } = config;
  const { budget } = config.train;
  const shown = isNamedBudget(budget) ? { targetTokens: budget.targetTokens } : {};
  const task = await openRunTask(config.task, { modelFolder, templateArguments, note, testProblems, ...shown });
  const engine =
    resources.engine ??
    (await openEngine(place, config, resources).catch(async (error: unknown) => {
      await task.close?.();
      throw error;
    }));
  // A server has the base's weights under a name of its own.
  const baseOf = (folder: string | null): string => ("kind" in place ? place.record.baseModel : (folder ?? ""));
  try {
    const names = policiesOf(config, task);
    checkBases(bases, names);
    const values = await openTrain(config.train);
    const based = await basesOf(Object.keys(names), bases, task, { modelFolder, openModel, templateArguments });
    const policies: Record<string, TrainedPolicy> = {};
    for (const [name, { folder, tokenizer }] of Object.entries(based)) {
      const saved = found && join(found.checkpoint, modelPlace(found.manifest, name));
      const model = await engine.createModel(fresh ?? modelSource(config, baseOf(folder), saved));
      const speak = speaker(model.id, tokenizer, engine.capabilities, resources.batching);
      policies[name] = { model, speak, agents: names[name] as readonly string[] };
    }
    const tokenizers = Object.fromEntries(Object.entries(based).map(([name, { tokenizer }]) => [name, tokenizer]));
    const teachers = await teachersOf(named, { engine, openModel });
    const trained = new Set(Object.values(names).flat());
    const others = task.topology.agents.filter((agent) => !trained.has(agent));
    if (resources.actor !== undefined) checkActor({ model: "" }, others.length > 0);
    const actor = others.length === 0 ? null : await actorOf(resources.actor ?? config.actor ?? null);
    const frozen =
      actor && Object.fromEntries(others.map((id) => [id, speakingAt(task.frozenTemperatures?.[id] ?? 0, actor)]));
    const valueModels = new Map<string, string>();
    const modelPlaces = { engine, openModel, templateArguments, valueModels };
    const train = await openReward(values, modelPlaces);
    const runs =
      (await resources.opponents?.((agent) => tokenizers[policyNameOf(names, agent)] ?? task.tokenizer)) ?? {};
    const opponents = await opponentsOf(runs, (source, tokenizer) => speaking(source, tokenizer));
    const given = { policies, ...(frozen && { frozen }), teachers, opponents };
    const parts = await learnedParts({ task: withReward(task, train), ...given }, train, found);
    const otherModel = otherModels(parts, task, bases, actorOf);
    return { engine, task: parts.task, parts, train, tokenizers, otherModel, opponentRuns: runs, valueModels, close };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(): Promise<void> {
    if (!resources.engine) await engine.close();
    await task.close?.();
  }

  async function speaking(source: ModelSource, tokenizer: TeamTask["tokenizer"]): Promise<LanguageModel> {
    const policy = await engine.createModel(source);
    return speaker(policy.id, tokenizer, engine.capabilities)(policy);
  }

  async function actorOf(given: AppConfig["actor"] | ActorChoice["speaks"]): Promise<LanguageModel> {
    if (isReference(given)) return openActor(given);
    if (given && "source" in given) return speaking(given.source, given.tokenizer);
    if (given && "api" in given) {
      const { concurrency = 32 } = given.api;
      return servedModel(given.api, concurrency, resources.spending);
    }
    // A model of its own, so that a resumed run's frozen agents are those of its beginning.
    const folder = given ? await openModel(given.model) : null;
    const first = fresh ?? modelSource(config, baseOf(modelFolder));
    const model = await engine.createModel(folder === null ? first : { kind: "folder", path: folder });
    const tokenizer = folder === null ? task.tokenizer : await policyTokenizer(folder, templateArguments);
    return speaker(model.id, tokenizer, engine.capabilities)(model);
  }
}

/** The parts as a checkpoint leaves them. An estimator that is opened on the engine is for training alone. */
async function learnedParts<P extends TrainingParts>(
  parts: P,
  train: TrainConfig,
  found: RunResources["found"],
): Promise<P> {
  if (!found) return parts;
  const { checkpoint, manifest, state } = found;
  const estimators = Object.keys(parts.policies).map((name) => {
    const estimator = estimatorValue(train, name);
    return { name, estimator: estimator?.open ? undefined : estimator };
  });
  await loadWeights(checkpoint, manifest, criticsOf(estimators));
  return withLearned(parts, learnedOf(state));
}

/** What each policy begins with: its own base, or the run's model, whose tokenizer is the task's. */
export async function basesOf(
  names: readonly string[],
  bases: Readonly<Record<string, string>>,
  task: TeamTask,
  {
    modelFolder,
    openModel,
    templateArguments,
  }: Pick<RunResources, "modelFolder" | "openModel"> & {
    readonly templateArguments: Readonly<Record<string, unknown>>;
  },
): Promise<Record<string, { readonly folder: string | null; readonly tokenizer: Tokenizer | ChatTokenizer }>> {
  const based: Awaited<ReturnType<typeof basesOf>> = {};
  for (const name of names) {
    const base = bases[name];
    const folder = base === undefined ? modelFolder : await openModel(base);
    const tokenizer = base === undefined ? task.tokenizer : await policyTokenizer(folder as string, templateArguments);
    based[name] = { folder, tokenizer };
  }
  return based;
}

/** @param open - a model that the configuration may name; null for the run's own as it began */
function otherModels(
  { policies }: Pick<TrainingParts, "policies">,
  { frozenTemperatures = {} }: TeamTask,
  bases: Readonly<Record<string, string>>,
  open: (given: AppConfig["actor"] | ActorChoice["speaks"]) => Promise<LanguageModel>,
): OpenedParts["otherModel"] {
  return async (agent, given) => {
    const [first] = Object.values(policies);
    const policy = Object.keys(policies).find((name) => policies[name]?.agents.includes(agent));
    const base = policy === undefined ? undefined : bases[policy];
    const begun = base === undefined ? null : { model: base };
    const model =
      given === "trained" && first ? first.speak(first.model) : await open(typeof given === "string" ? begun : given);
    return policy === undefined ? speakingAt(frozenTemperatures[agent] ?? 0, model) : model;
  };
}

/** The policy that speaks for an agent; empty for none. */
function policyNameOf(names: Readonly<Record<string, readonly string[]>>, agent: string): string {
  return Object.keys(names).find((name) => names[name]?.includes(agent)) ?? "";
}

/** Who speaks for each agent of a side in other runs; a policy that speaks for several is opened once. */
async function opponentsOf(
  runs: OpponentRuns,
  open: (source: ModelSource, tokenizer: TeamTask["tokenizer"]) => Promise<LanguageModel>,
): Promise<NonNullable<TrainingParts["opponents"]>> {
  const opened = new Map<string, LanguageModel>();
  const opponents: Record<string, Record<string, LanguageModel>> = {};
  for (const [name, agents] of Object.entries(runs)) {
    const own: Record<string, LanguageModel> = {};
    for (const [agent, { source, tokenizer, folder }] of Object.entries(agents)) {
      const model = opened.get(folder) ?? (await open(source, tokenizer));
      opened.set(folder, model);
      own[agent] = model;
    }
    opponents[name] = own;
  }
  return opponents;
}

/** Frozen models beside the policies, by name. */
async function teachersOf(
  named: Readonly<Record<string, string>>,
  { engine, openModel }: Pick<RunResources, "openModel"> & { readonly engine: Engine },
): Promise<Record<string, TrainableModel>> {
  const teachers: Record<string, TrainableModel> = {};
  for (const [name, model] of Object.entries(named))
    teachers[name] = await engine.createModel({ kind: "folder", path: await openModel(model) });
  return teachers;
}

/** Where a run's models are. */
export type Place = ChosenDevice | TinkerServer;

async function openEngine(
  place: Place,
  { memory: given }: Pick<Parts, "memory">,
  { onWarning, modelFolder, journal }: RunResources,
): Promise<Engine> {
  if ("kind" in place) {
    return place.open(await tokenLimits(modelFolder ?? ""), { onWarning, ...(journal !== undefined && { journal }) });
  }
  await expectGpus(place);
  const { cacheGb, ...memory } = given ?? {};
  return createLocalEngine({
    device: place.sources,
    workers: place.workers,
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

/** @throws LaconicError `config_invalid` for a base of a policy that does not exist */
export function checkBases(bases: Readonly<Record<string, string>>, policies: Readonly<Record<string, unknown>>): void {
  const stray = Object.keys(bases).find((name) => !Object.hasOwn(policies, name));
  if (stray !== undefined)
    throw new LaconicError(
      "config_invalid",
      `bases.${stray}: there is no such policy; this run has ${Object.keys(policies).join(", ")}`,
      { key: `bases.${stray}` },
    );
}

/** A model with a temperature of its own, whatever an episode has: AgentPO's actor is frozen at 0. */
function speakingAt(temperature: number, model: LanguageModel): LanguageModel {
  return {
    id: model.id,
    complete: (request) => model.complete({ ...request, sampling: { ...request.sampling, temperature } }),
  };
}
