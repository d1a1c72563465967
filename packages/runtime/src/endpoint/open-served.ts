import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import {
  type ChatTokenizer,
  configError,
  type Engine,
  type ModelSource,
  type Tokenizer,
  type TrainableModel,
} from "@laconic/core";
import { localPolicy } from "@laconic/engine";
import { hermesTools, type CompletionServerOptions, type ServedModel, type ToolFormat } from "@laconic/serve";
import { relayTokenizer } from "@laconic/tasks";
import { loadTokenizer } from "@laconic/hub/tokenizers";
import { livePolicies, modelsOf, runFiles, evaluationSampling } from "@laconic/trainer";
import type { ChosenDevice } from "../devices/choose-device.ts";
import { isModelName, openModelFolder } from "../models/model-folder.ts";
import type { Progress } from "../progress.ts";
import { isReference } from "../resolver/reference.ts";
import { actorServers, checkServers } from "../run/check-trust.ts";
import { openParts } from "../run/open-parts.ts";
import { policiesOfRun } from "../run/other-runs.ts";
import {
  checkModelsOf,
  noteSources,
  openRun,
  runResources,
  checkInputs,
  tokenizerInput,
  type FoundRun,
  type RunChoice,
} from "../run/open-run.ts";
import { expectWeightsHere } from "../run/server-settings.ts";
import type { RunTask } from "../run/run-settings.ts";
import { actorSpending, type ActorCap } from "../spending/spending.ts";

/** Served models and teams. `close` leaves the engine open. */
export interface Served {
  readonly models: CompletionServerOptions["models"];
  close(): Promise<void>;
}

/** Choice of a model or run to serve. */
export interface ServedChoice extends RunChoice {
  /** Single policy of a run. Default: the whole team. */
  readonly policy: string | undefined;
  readonly templateArguments: Readonly<Record<string, unknown>>;
  readonly cap: ActorCap;
}

interface ServedPlace {
  readonly engine: Engine;
  readonly device: ChosenDevice;
}

interface ServedSource {
  readonly name: string;
  readonly source: ModelSource;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** Tool format; null for a run trained without tools. Default: Hermes format. */
  readonly tools?: ToolFormat | null;
}

/**
 * Opens a run folder (its team and each trained agent), a model folder, `hub:owner/name` or `shipped`. A run trained
 * through the endpoint serves only its policy.
 * @throws LaconicError `config_invalid` for a missing choice
 */
export async function openServed(
  input: string,
  choice: ServedChoice,
  servedPlace: ServedPlace,
  progress: Progress,
): Promise<Served> {
  const alone = async ({ source, ...served }: ServedSource): Promise<Served> => {
    await actorSpending(null, choice.cap); // refuses limits without effect
    const model = await servedPlace.engine.createModel(source);
    return { models: [servedModel({ ...served, model })], close: () => Promise.resolve() };
  };
  const run = resolve(input);
  const isRun = !isModelName(input) && existsSync(join(run, runFiles.checkpoints));
  if (!isRun) return alone(await servedFolder(input, choice, progress));
  return openRun(run, choice, async (foundRun) => {
    noteSources(foundRun, progress);
    const { task } = foundRun.config;
    return !isGateway(task) && choice.policy === undefined
      ? servedTeam(run, foundRun, choice, servedPlace, progress)
      : alone(await servedRun(run, foundRun, choice, progress));
  });
}

function servedModel({
  name,
  model,
  tokenizer,
  tools,
}: Omit<ServedSource, "source"> & { readonly model: TrainableModel }): ServedModel {
  return {
    name,
    policy: localPolicy({ id: name, sampler: model, tokenizer, batching: "continuous" }),
    tokenizer,
    contextLength: model.contextLength,
    scorer: model,
    // Most chat models were trained to call tools.
    ...(tools !== null && "encodeChat" in tokenizer && { tools: tools ?? hermesTools() }),
  };
}

/** Tool format; null without tools. */
export function toolsOf(task: RunTask): ToolFormat | null {
  if (!isGateway(task)) return null;
  const { tools = "told" } = task;
  return tools === "none" ? null : hermesTools({ tells: tools === "told" });
}

function isGateway(task: RunTask): task is Extract<RunTask, { readonly name: "gateway" }> {
  return !isReference(task) && task.name === "gateway";
}

async function servedFolder(
  input: string,
  { policy, which, sources, templateArguments }: ServedChoice,
  progress: Progress,
): Promise<ServedSource> {
  const stray = [
    policy !== undefined && "--policy",
    which === "best" && "--best",
    sources === "current" && "--sources",
  ].find((item) => item !== false);
  if (stray !== undefined)
    throw configError(`${stray} has no effect: ${input} is a model, not a run; remove it`, { key: stray });
  const isShipped = input === "shipped";
  if (isShipped && Object.keys(templateArguments).length > 0)
    throw configError("--chat-template-arguments: shipped has no chat template", { key: "chat-template-arguments" });
  const { folder, name } = await openModelFolder(input, progress);
  const tokenizer = isShipped ? relayTokenizer : await loadTokenizer(folder, { templateArguments });
  return { name, source: { kind: "folder", path: folder }, tokenizer };
}

async function servedRun(
  run: string,
  foundRun: FoundRun,
  choice: ServedChoice,
  progress: Progress,
): Promise<ServedSource> {
  const { config } = foundRun;
  expectWeightsHere(config.engine, run);
  await checkModelsOf(run, config, progress);
  const templateArguments = { ...config.chatTemplateArguments, ...choice.templateArguments };
  const { task, policies } = await policiesOfRun(foundRun, progress, templateArguments);
  await checkInputs(run, "tokenizer", tokenizerInput(task.tokenizer));
  const names = Object.keys(policies);
  const { policy = names[0] ?? "" } = choice;
  const chosen = Object.hasOwn(policies, policy) ? policies[policy] : undefined;
  if (!chosen) throw configError(`--policy is ${policy}; the run has ${names.join(", ")}`, { key: "policy" });
  const { source, tokenizer } = chosen;
  const tools = isGateway(config.task) && { tools: toolsOf(config.task) };
  return { name: basename(run), source, tokenizer, ...tools };
}

/** Serves the team under the run's name, and each trained agent as `RUN/AGENT`. */
async function servedTeam(
  run: string,
  foundRun: FoundRun,
  { templateArguments, cap }: ServedChoice,
  { engine, device }: ServedPlace,
  progress: Progress,
): Promise<Served> {
  const { made, config } = foundRun;
  expectWeightsHere(config.engine, run);
  await checkServers(made, actorServers(config.actor));
  await checkModelsOf(run, config, progress);
  const chatTemplateArguments = { ...config.chatTemplateArguments, ...templateArguments };
  const { task, parts, tokenizers, close } = await openParts({ ...config, chatTemplateArguments }, device, {
    ...(await runResources(config.model, progress)),
    engine,
    savedRun: foundRun,
    batching: "continuous",
    testProblems: 0,
    spending: await actorSpending(config.actor, cap),
  });
  try {
    await checkInputs(run, "tokenizer", tokenizerInput(task.tokenizer));
    const { topology, problemOf } = task;
    const name = basename(run);
    const team = {
      name,
      topology,
      models: modelsOf(parts, livePolicies(parts)),
      sampling: evaluationSampling(config.train),
      ...(problemOf && { problemOf }),
    };
    const seats = Object.entries(parts.policies).flatMap(([policy, { model, agents }]) => {
      const tokenizer = tokenizers[policy] ?? task.tokenizer;
      return agents.map((agent) => servedModel({ name: `${name}/${agent}`, model, tokenizer }));
    });
    return { models: [team, ...seats], close };
  } catch (error) {
    await close();
    throw error;
  }
}
