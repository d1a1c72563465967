import { disposing, type DisposalStack } from "@laconic/core/async";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { runPairs, type PairSummary, type PairBoard, type PairMethod } from "@laconic/evaluation";
import {
  inBenchFolder,
  makeBenchFolder,
  pairMethod,
  pairSettingsFile,
  taskRecords,
  writePairReport,
  type PairConfig,
} from "@laconic/evaluation/bench";
import { taskTitle, type TaskSettings } from "@laconic/tasks/named";
import { configError, type LanguageModel, nameHint } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";
import { livePolicies, modelsOf, rewardOf, evaluationSampling } from "@laconic/trainer";
import { keepBenchMade } from "./own-values.ts";
import type { Progress } from "../progress.ts";
import type { Interrupts } from "../start/open-folder.ts";
import { openAccount, knownPrice, servedModel, type Spending } from "../spending/spending.ts";
import { chooseDevice } from "../devices/choose-device.ts";
import { isReference } from "../resolver/reference.ts";
import { parseAppConfig } from "../run/app-config.ts";
import { openParts } from "../run/open-parts.ts";
import { findRun, openFoundRun, runResources, type FoundRun } from "../run/open-run.ts";
import type { RunTask } from "../run/run-settings.ts";
import { openRunTask, runTaskTitle } from "../run/run-task.ts";

/** Outcome of a bench over tasks. */
export interface TaskOutcome {
  readonly stopped: string | null;
  readonly summaries: readonly PairSummary[];
  readonly markdown: string;
  /** US dollars; absent without paid calls. */
  readonly spentUsd?: number;
}

/** Limits of a bench over tasks. */
export interface TaskLimits extends Pick<Spending, "deadlineMs"> {
  readonly maxErrors: number;
  readonly interrupts: () => Interrupts;
}

/** Plays tasks and records their episodes. */
export async function playTasks(
  directory: string,
  config: PairConfig<TaskSettings>,
  { maxErrors, interrupts, ...deadline }: TaskLimits,
  progress: Progress,
): Promise<TaskOutcome> {
  const { repeats, seed, concurrency, tasks, methods } = config;
  await makeBenchFolder(directory);
  return inBenchFolder(
    directory,
    taskRecords(config),
    (spentUsd) => openAccount(directory, config.maxUsd, spentUsd, progress),
    (file, account) =>
      disposing(async (closing) => {
        const boards = await openPairs(config, { account, ...deadline }, closing, progress);
        await writeFile(join(directory, pairSettingsFile), `${JSON.stringify(config, null, 2)}\n`);
        await keepBenchMade(directory, config, progress);
        const { signal, dispose } = interrupts();
        closing.defer(dispose);
        const clock = (): number => performance.now();
        const options = { repeats, seed, concurrency, maxErrors, clock, signal };
        const stopped = await runPairs(boards, file, options);
        const report = await writePairReport(directory, file.records.values(), {
          tasks: tasks.map(taskTitle),
          methods: methods.map((method) => pairMethod(method).name),
        });
        const isPaid = config.price !== null && config.baseUrl !== null;
        return { stopped, ...report, ...(isPaid && { spentUsd: account.spentUsd }) };
      }),
  );
}

/**
 * Opens each task with its baselines' model, and the compared runs.
 * @param booked - account and timeout for calls to servers
 */
async function openPairs(
  config: PairConfig<TaskSettings>,
  booked: Omit<Spending, "price">,
  closing: DisposalStack,
  progress: Progress,
): Promise<PairBoard[]> {
  const titles = config.tasks.map(taskTitle);
  const trained = await trainedIn(config, titles);
  const boards: PairBoard[] = [];
  for (const settings of config.tasks) {
    const { task, model } = await openBase(settings, config, booked, closing, progress);
    const methods = baselineMethods(task, settings, config, model);
    for (const { name, run } of trained) {
      if (runTaskTitle(run.config.task) !== taskTitle(settings)) continue;
      // All teams use the bench's problems, not the run's.
      const { actor } = run.config;
      const price = actor !== null && "api" in actor ? await knownPrice(actor.api.model) : null;
      const spending = { ...booked, price };
      const { parts, close } = await openFoundRun(run, progress, { testProblems: 0, spending });
      closing.defer(close);
      methods.push({
        name,
        topology: parts.task.topology,
        models: modelsOf(parts, livePolicies(parts)),
        sampling: evaluationSampling(run.config.train),
        config: JSON.stringify([run.directory, run.state.step, config.seed, run.config.train.sampling]),
      });
    }
    const problems = task.testProblems.slice(0, config.problems);
    boards.push({ task: taskTitle(settings), problems, reward: rewardOf(task), methods });
  }
  return boards;
}

async function trainedIn(
  { methods }: PairConfig,
  titles: readonly string[],
): Promise<{ readonly name: string; readonly run: FoundRun }[]> {
  const trained: { readonly name: string; readonly run: FoundRun }[] = [];
  for (const method of methods) {
    const { name, run } = pairMethod(method);
    if (run === null) continue;
    const foundRun = await findRun(resolve(run));
    const title = runTaskTitle(foundRun.config.task);
    if (!titles.includes(title))
      throw configError(`${method}: the run's task is ${title}, not of ${titles.join(", ")}`, { method });
    trained.push({ name, run: foundRun });
  }
  return trained;
}

function baselineMethods(
  { baselines = {}, name }: TeamTask,
  settings: TaskSettings,
  { methods, model: modelName, baseUrl, seed, temperature, topP }: PairConfig,
  model: LanguageModel,
): PairMethod[] {
  const knownNames = Object.keys(baselines);
  if (knownNames.length === 0)
    throw configError(`${name} has no baselines: it is not a task for pairs`, { task: name });
  const sampling = { temperature, ...(topP < 1 && { topP }) };
  return methods
    .filter((method) => pairMethod(method).run === null)
    .map((method): PairMethod => {
      const topology = Object.hasOwn(baselines, method) ? baselines[method] : undefined;
      if (!topology) {
        const reason = `not a baseline of ${name} or a trained team (NAME=RUN); ${nameHint(method, knownNames)}`;
        throw configError(`--methods ${method}: ${reason}`, { method });
      }
      return {
        name: method,
        topology,
        models: Object.fromEntries(topology.agents.map((agent) => [agent, model])),
        sampling,
        config: JSON.stringify([settings, modelName, baseUrl, seed, sampling]),
      };
    });
}

/** @returns the task, and the model of all its agents */
async function openBase(
  settings: TaskSettings,
  config: PairConfig<TaskSettings>,
  booked: Omit<Spending, "price">,
  closing: DisposalStack,
  progress: Progress,
): Promise<{ readonly task: TeamTask; readonly model: LanguageModel }> {
  const { model, baseUrl, chatTemplateArguments, problems, concurrency, price } = config;
  if (baseUrl !== null) {
    const task = await openRunTask(settings as RunTask, { testProblems: problems, remote: true });
    closing.defer(() => task.close?.());
    return { task, model: await servedModel({ model, baseUrl }, concurrency, { ...booked, price }) };
  }
  const app = parseAppConfig({ task: settings, model, device: config.device, chatTemplateArguments });
  const device = await chooseDevice(app.device, app.workers, progress.note, app);
  const resources = await runResources(model, progress);
  const { parts, task, close } = await openParts(app, device, { ...resources, testProblems: problems });
  closing.defer(close);
  const [speaker] = Object.values(modelsOf(parts, livePolicies(parts)));
  if (!speaker) throw configError(`${task.name} has no agents`, { task: task.name });
  return { task, model: speaker };
}

/** Task of a run, for a bench. @throws LaconicError `config_invalid` for a task of a module */
export function taskOfRun({ config: { task } }: FoundRun, run: string): TaskSettings {
  if (!isReference(task)) return task as TaskSettings;
  throw configError(`${run}: its task comes from a module and has no baselines`, { run });
}
