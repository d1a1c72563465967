import { resolve } from "node:path";
import type { Baseline } from "@laconic/baselines";
import type { TrainedTeam } from "@laconic/evaluation/bench";
import { LaconicError, type LanguageModel } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import { learnedOf, livePolicies, modelsOf, withLearned, evaluationSampling, isNamedBudget } from "@laconic/trainer";
import {
  benchmarkTeam,
  dealSeed,
  dealTo,
  teamDefaults,
  type BenchmarkTaskSettings,
  type TeamForms,
  type TextTeam,
} from "@laconic/tasks/text";
import { openModelFolder } from "../models/model-folder.ts";
import type { Progress } from "../progress.ts";
import { isReference } from "../resolver/reference.ts";
import { closeAtEnd } from "../resolver/shared-values.ts";
import { actorChoice } from "../run/actor-choice.ts";
import { findRun, openFoundRun, trustedConfigOf, type FoundRun } from "../run/open-run.ts";
import type { AppConfig } from "../run/run-settings.ts";
import { openRunTask, runTaskTitle, withTeams } from "../run/run-task.ts";
import { knownPrice, type Spending } from "../spending/spending.ts";

/** What a run's team is on the questions of a bench. */
interface QuestionTeam extends Pick<Baseline, "create" | "deal" | "dealt" | "maxCalls"> {
  /** Most tokens of one reply; absent where the team says so to nobody but its agents. */
  readonly replyTokens?: number;
}

/** How a trained team is asked. */
export interface TrainedTeamChoice {
  /** Who speaks for the agents that do not learn, instead of the training's. */
  readonly actor?: string | null;
  /** Of a server's model that speaks for them, where it is not a public one. */
  readonly actorPrice?: TokenPrice | null;
  /** All benchmarks come from modules: they may be of the world that the team was trained in. */
  readonly ownBoards?: boolean;
}

/**
 * The team of a run over questions, with the weights of its last checkpoint.
 * @throws LaconicError `run_missing`; `config_invalid` for a run whose team answers no other questions than its own
 */
export async function trainedTeam(
  name: string,
  run: string,
  progress: Progress,
  { actor: actorText = null, actorPrice = null, ownBoards = false }: TrainedTeamChoice = {},
): Promise<TrainedTeam<Omit<Spending, "price">>> {
  checkAnswers(await trustedConfigOf(resolve(run)), run, ownBoards);
  const found = await findRun(resolve(run));
  const { directory, config, state } = found;
  const team = await questionTeam(found, progress);
  const actor = actorText === null ? null : await actorChoice(actorText, progress);
  const swapped = actor ? `, actor ${actor.title}` : "";
  const models: Record<string, LanguageModel> = {};
  const prices: Record<string, TokenPrice | null> = {};
  let closed: () => Promise<void> = async () => undefined;
  const speaks = actor?.speaks ?? config.actor;
  const api = speaks !== null && "api" in speaks ? speaks.api : null;
  const price = api ? (actorPrice ?? (await knownPrice(api.model))) : null;
  return {
    asksServer: api !== null,
    unpriced: api && !price ? api.model : null,
    method: {
      name,
      title: name,
      source: `${directory}, step ${state.step}${swapped}`,
      calls: "as its team speaks",
      temperature: evaluationSampling(config.train).temperature,
      identity: `${directory}@${state.step}${swapped}`,
      models,
      prices,
      ...team,
    },
    async open(booked) {
      const { parts, close } = await openFoundRun(found, progress, {
        testProblems: 0,
        ...(actor && { actor: actor.speaks }),
        spending: { ...booked, price },
      });
      // Models on this machine cost nothing.
      if (api)
        Object.assign(prices, Object.fromEntries(Object.keys(parts.frozen ?? {}).map((agent) => [agent, price])));
      Object.assign(models, modelsOf(parts, livePolicies(parts)));
      closed = close;
      return parts.task.pool ?? [];
    },
    close: () => closed(),
  };
}

/** @throws LaconicError `config_invalid` for a team that answers no questions but its own */
function checkAnswers({ task }: AppConfig, run: string, ownBoards: boolean): void {
  if (isReference(task) || ["benchmark", "data"].includes(task.name)) return;
  if (ownBoards && task.name !== "gateway") return;
  throw new LaconicError(
    "config_invalid",
    `${run}: a team trained on ${task.name} answers no benchmark, only problems of its world: --benchmarks ./board.ts`,
    { run },
  );
}

async function questionTeam(found: FoundRun, progress: Progress): Promise<QuestionTeam> {
  const { task, train } = found.config;
  if (isReference(task) || (task.name !== "benchmark" && task.name !== "data")) return ownTeam(found, progress);
  const { rounds, replyTokens, actorTokens } = { ...teamDefaults, ...task };
  const settings = (await withTeams(task)) as BenchmarkTaskSettings;
  const teamFor = (forms: Omit<TeamForms, "targetTokens">): TextTeam =>
    benchmarkTeam(settings, {
      ...forms,
      targetTokens: isNamedBudget(train.budget) ? train.budget.targetTokens : undefined,
    });
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
    maxCalls: () => topology.agents.length * rounds,
  };
}

/** A team of a module, or of a world, is asked as it is: its prompts say how an answer is written. */
async function ownTeam({ config, state }: FoundRun, progress: Progress): Promise<QuestionTeam> {
  const { folder } = await openModelFolder(config.model, progress);
  const task = await openRunTask(config.task, {
    testProblems: 0,
    modelFolder: folder,
    templateArguments: config.chatTemplateArguments,
  });
  // Its topology may speak with what the task holds open.
  closeAtEnd(task, runTaskTitle(config.task));
  const { topology } = withLearned({ task }, learnedOf(state)).task;
  const turns = config.train.limits.maxTurns ?? topology.agents.length;
  return { create: () => topology, maxCalls: () => turns };
}
