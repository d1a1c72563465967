import { resolve } from "node:path";
import type { Baseline } from "@laconic/baselines";
import { LaconicError, type LanguageModel, type TokenPrice } from "@laconic/core";
import { livePolicies, modelsOf } from "@laconic/trainer";
import type { Terminal } from "../cli/terminal.ts";
import {
  benchmarkTeam,
  dealSeed,
  dealTo,
  type BenchmarkTaskSettings,
  type TeamForms,
  type TextTeam,
} from "@laconic/tasks/text";
import { knownPrice } from "./known-price.ts";
import { isReference } from "../door/reference.ts";
import { actorChoice } from "../run/actor-choice.ts";
import type { ActorChoice } from "../run/chosen-actor.ts";
import { openModelFolder } from "../run/model-folder.ts";
import { configOfRun, findRun, openFoundRun } from "../run/open-run.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { openRunTask, withTeams } from "../run/run-task.ts";

/** A run's team as a method: it brings its own models, once they are opened. */
export interface TrainedTeam {
  readonly method: Baseline;
  /** Its agents that do not learn speak with a server's model. */
  readonly asksServer: boolean;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** What a run's team is on the questions of a bench. */
interface QuestionTeam extends Pick<Baseline, "create" | "deal" | "dealt" | "mostCalls"> {
  /** Most tokens of one reply; absent where the team says so to nobody but its agents. */
  readonly replyTokens?: number;
}

/**
 * The team of a run over questions, with the weights of its last checkpoint.
 * @param actorText - who speaks for the agents that do not learn, instead of the training's
 * @throws LaconicError `run_missing`; `config_invalid` for a run whose team answers no other questions than its own
 */
export async function trainedTeam(
  name: string,
  run: string,
  terminal: Terminal,
  actorText: string | null = null,
): Promise<TrainedTeam> {
  const team = await questionTeam(await configOfRun(resolve(run)), run, terminal);
  const found = await findRun(resolve(run));
  const { directory, config, state } = found;
  const actor = actorText === null ? null : await actorChoice(actorText, terminal);
  const swapped = actor ? `, actor ${actor.title}` : "";
  const models: Record<string, LanguageModel> = {};
  const prices: Record<string, TokenPrice | null> = {};
  let closed: () => Promise<void> = async () => undefined;
  const speaks = actor?.speaks ?? config.actor;
  return {
    asksServer: speaks !== null && "api" in speaks,
    method: {
      name,
      title: name,
      source: `${directory}, step ${state.step}${swapped}`,
      calls: "as its team speaks",
      temperature: config.train.sampling.temperature,
      identity: `${directory}@${state.step}${swapped}`,
      models,
      prices,
      ...team,
    },
    async open() {
      const { parts, close } = await openFoundRun(found, terminal, {
        heldOut: 0,
        ...(actor && { actor: actor.speaks }),
      });
      Object.assign(prices, await pricesOf(Object.keys(parts.frozen ?? {}), speaks));
      Object.assign(models, modelsOf(parts, livePolicies(parts)));
      closed = close;
    },
    close: () => closed(),
  };
}

/** Of frozen agents behind a server; models on this machine cost nothing. */
async function pricesOf(
  frozen: readonly string[],
  actor: AppConfig["actor"] | ActorChoice["speaks"],
): Promise<Record<string, TokenPrice | null>> {
  if (actor === null || !("api" in actor)) return {};
  const price = await knownPrice(actor.api.model);
  return Object.fromEntries(frozen.map((agent) => [agent, price]));
}

async function questionTeam(config: AppConfig, run: string, terminal: Terminal): Promise<QuestionTeam> {
  const { task, train } = config;
  if (isReference(task)) return ownTeam(config, terminal);
  if (task.name !== "benchmark" && task.name !== "data")
    throw new LaconicError("config_invalid", `${run}: a team trained on ${task.name} answers no benchmark`, { run });
  const { rounds = 2, replyTokens = 768, actorTokens = 2048 } = task;
  const settings = (await withTeams(task)) as BenchmarkTaskSettings;
  const teamFor = (forms: Omit<TeamForms, "targetTokens">): TextTeam =>
    benchmarkTeam(settings, { ...forms, targetTokens: train.budget?.targetTokens });
  const { topology, holders } = teamFor({ answerForm: "", read: (reply) => reply });
  return {
    replyTokens: Math.max(replyTokens, actorTokens),
    create: ({ answerForm, reader, family, benchmark }) =>
      teamFor({
        answerForm,
        read: (reply) => reader.read(reply),
        same: (a, b) => reader.same(a, b),
        ...(family !== undefined && { family }),
        ...(benchmark !== undefined && { benchmark }),
      }).topology,
    // What a question states is dealt as in training.
    ...(holders.length > 0 && { deal: dealTo(holders), dealt: { seed: dealSeed, holders } }),
    mostCalls: () => topology.agents.length * rounds,
  };
}

/** A team of the user's own is asked as it is: its prompts say how an answer is written. */
async function ownTeam(config: AppConfig, terminal: Terminal): Promise<QuestionTeam> {
  const { folder } = await openModelFolder(config.model, terminal);
  const { topology, close } = await openRunTask(config.task, {
    heldOut: 0,
    modelFolder: folder,
    templateArguments: config.chatTemplateArguments,
  });
  await close?.();
  const turns = config.train.limits.maxTurns ?? topology.agents.length;
  return { create: () => topology, mostCalls: () => turns };
}
