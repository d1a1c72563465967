import { configError, refuseSetting, mapValues } from "@laconic/core";
import { tokenCountOf } from "@laconic/rewards";
import { relayTokenizer, type TeamTask } from "@laconic/tasks";
import { namedTask, type TaskSettings } from "@laconic/tasks/named";
import { checkTraining, isNamedBudget, type PartsOutline } from "@laconic/trainer";
import type { Progress } from "../progress.ts";
import { isReference } from "../resolver/reference.ts";
import { withSource, openActor, openTrain } from "../resolver/open-train.ts";
import { checkPlacement } from "./placement.ts";
import { modelFolders, modelOf, checkBases, frozenAgents, policiesOf } from "./policy-models.ts";
import type { AppConfig, RunTask } from "./run-settings.ts";
import { checkActor } from "./app-config.ts";
import { chooseDevice } from "../devices/choose-device.ts";
import { policyTokenizer, jsonIn, taughtTask } from "../models/policy-tokenizer.ts";
import type { RunTeam } from "./plan-models.ts";
import { findOpponentRuns } from "./other-runs.ts";
import { checkExamples } from "./supervised-examples.ts";
import { openRunTask, runTaskTitle } from "./run-task.ts";

function modelAt({ model, bases, teachers }: AppConfig, role: string): string {
  const [kind = "", name = ""] = role.split(/\.(.*)/su);
  return { bases, teachers }[kind]?.[name] ?? model;
}

/**
 * Checks models, task, policies and settings together, without data, weights or an engine.
 * @returns the run's number of concurrent models, and its team
 * @throws LaconicError `config_invalid`, `input_invalid`, `checkpoint_missing`, `device_unavailable`
 */
export async function checkRun(
  config: AppConfig,
  progress: Progress,
  { served = false }: { readonly served?: boolean } = {},
): Promise<{ readonly models: number; readonly team: RunTeam }> {
  checkServed(config, served);
  if (config.device !== "auto") await chooseDevice(config.device, config.workers, () => undefined, config);
  const { actor = null, ...folders } = await modelFolders(config, progress, { weights: false });
  for (const [role, folder] of Object.entries(folders))
    await checkPolicyTask(folder, modelAt(config, role), config.task);
  if (actor !== null) await checkPolicyTask(actor, modelOf(config.actor) ?? "", config.task);
  const { budget } = config.train;
  const task = await openRunTask(config.task, {
    // Custom tasks get the training's arguments, so that both share one instance.
    ...(isReference(config.task)
      ? { ...(isNamedBudget(budget) && { targetTokens: budget.targetTokens }) }
      : { testProblems: 0 }),
    modelFolder: folders["model"] ?? null,
    templateArguments: config.chatTemplateArguments,
  });
  try {
    const agentsOf = policiesOf(config, task);
    checkBases(config.bases, agentsOf);
    const frozen = frozenAgents(task);
    checkActor(config.actor, frozen.length > 0);
    checkPlacement(config.devices, {
      policies: Object.keys(agentsOf),
      hasLocalActor: frozen.length > 0 && (config.actor === null || modelOf(config.actor) !== null),
      hasTeachers: Object.keys(config.teachers).length > 0,
    });
    if (isReference(config.actor)) await openActor(config.actor);
    await checkExamples(config, agentsOf);
    const train = await openTrain(config.train);
    const tokenizerOf = (agent: string): TeamTask["tokenizer"] | Promise<TeamTask["tokenizer"]> => {
      const base = folders[`bases.${Object.keys(agentsOf).find((name) => agentsOf[name]?.includes(agent)) ?? ""}`];
      return base === undefined ? task.tokenizer : policyTokenizer(base, config.chatTemplateArguments);
    };
    checkTraining(
      {
        task: outlineOf(task, isReference(config.task)),
        policies: mapValues(agentsOf, (agents) => ({ agents })),
        teachers: config.teachers,
        opponents: Object.fromEntries((config.train.opponents?.runs ?? []).map((name) => [name, {}])),
        frozen: Object.fromEntries(frozen.map((agent) => [agent, true])),
      },
      train,
    );
    const { opponents } = config.train;
    if (opponents) await findOpponentRuns(opponents, tokenizerOf, progress);
    // Without an actor, frozen agents use one more model.
    const speakers = Object.keys(agentsOf).length + (config.actor === null && frozen.length > 0 ? 1 : 0);
    const others = Object.keys(config.teachers).length + (opponents?.runs.length ?? 0);
    return {
      models: speakers + others,
      team: { policies: Object.keys(agentsOf), frozenReplies: Math.min(1, frozen.length) },
    };
  } catch (error) {
    throw withSource(error, config);
  } finally {
    await task.close?.();
  }
}

function checkServed({ task, train }: Pick<AppConfig, "task" | "train">, served: boolean): void {
  const { isServed = false } = isReference(task) ? {} : namedTask(task as TaskSettings);
  const countsReadings = (cost: unknown): boolean =>
    (tokenCountOf(cost)?.kind ?? "tokens-written") !== "tokens-written";
  const [unread] = Object.entries(train.costs ?? {}).find(([, cost]) => countsReadings(cost)) ?? [];
  if (served && unread !== undefined)
    refuseSetting(`train.costs.${unread}`, "readers are unknown for agents of another program; charge written tokens");
  if (isServed === served) return;
  throw configError(
    served
      ? `task: ${runTaskTitle(task)} runs in Laconic: train it with laconic train; serve --train takes the task gateway`
      : "task: agents of a gateway belong to another program: train them with laconic serve --train",
    { key: "task" },
  );
}

/** Problems of named tasks are not loaded yet. */
function outlineOf({ topology, name, game, problems, pool }: TeamTask, isCustom: boolean): PartsOutline["task"] {
  return { topology, name, ...(game && { game }), ...(isCustom && { problems, ...(pool && { pool }) }) };
}

/** Warm start that policies need; null if any language model works. */
export function policyTask(task: RunTask): string | null {
  if (isReference(task)) return null;
  return namedTask(task as TaskSettings).world?.(task as TaskSettings) ?? null;
}

/**
 * Refuses a model that cannot read a task's prompts. Its replies would be random, and training would teach it silence.
 */
async function checkPolicyTask(folder: string, name: string, task: RunTask): Promise<void> {
  const [wanted, title] = [policyTask(task), runTaskTitle(task)];
  const refuse = (reason: string): never => refuseSetting("model", reason, { model: name, task: title });
  const remedy = wanted?.startsWith("relay/")
    ? `make one with: laconic relay warm-start --level ${wanted.slice("relay/".length)} --out FOLDER, and set model to FOLDER`
    : "use a language model, such as hub:Qwen/Qwen2.5-0.5B-Instruct";
  if (isReference(task)) return; // authors of a custom task choose its tokens
  const learned = await taughtTask(folder);
  if (learned !== null) {
    if (learned !== wanted) refuse(`"${name}" was trained on prompts of ${learned}, not of ${title}; ${remedy}`);
    return;
  }
  const size = (await jsonIn(folder, "config.json"))?.["vocab_size"];
  if (wanted !== null && typeof size === "number" && size !== relayTokenizer.vocabularySize)
    refuse(
      `"${name}" has a vocabulary of ${size}, but ${title} is written in ${relayTokenizer.vocabularySize} characters; ${remedy}`,
    );
}
