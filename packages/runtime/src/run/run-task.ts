import { present, refuseSetting } from "@laconic/core";
import type { DefinedTask, TeamTask } from "@laconic/tasks";
import type { TaskResources, TeamChoice } from "@laconic/tasks/text";
import { openTask, pinnedTask, taskTitle } from "@laconic/tasks/named";
import { hubEnvironment } from "@laconic/hub";
import { seenInTraining, type SeenInTraining } from "@laconic/benchmarks";
import { isReference, referencePlace, referencesIn, referenceTitle, type Reference } from "../resolver/reference.ts";
import { resolveReference } from "../resolver/load-source.ts";
import { openedOnce } from "../resolver/shared-values.ts";
import type { AppConfig, RunTask, TaskSettings } from "./run-settings.ts";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import { dataFolder } from "../folders/folders.ts";

/**
 * Opens a run's task. A custom task stays open until the command ends, so that check and training share resources.
 * @throws LaconicError `config_invalid` with file and export of an invalid task or team, and opening errors
 */
export async function openRunTask(task: RunTask, input: Partial<TaskResources> = {}): Promise<TeamTask> {
  const all = taskResources(input);
  if (!isReference(task)) return openTask(await withTeams(task), all);
  const open = async (): Promise<object> => (await resolveReference(task, "task", all)) as object;
  const value = await openedOnce(JSON.stringify([task, all]), referencePlace(task), open);
  const opened = value as DefinedTask & Partial<Pick<TeamTask, "tokenizer">>;
  const { close: _, ...rest } = opened;
  return { ...rest, tokenizer: opened.tokenizer ?? (await modelsOwn(all)) };
}

/** Opens a task without data, and closes it: for its team and tokenizer. */
export async function taskOutline(
  { task, chatTemplateArguments: templateArguments }: Pick<AppConfig, "task" | "chatTemplateArguments">,
  modelFolder: string | null,
): Promise<TeamTask> {
  const outline = await openRunTask(task, { testProblems: 0, modelFolder, templateArguments });
  await outline.close?.();
  return outline;
}

/** Outline without published texts, which a plan does not need. */
export function plannedOutline(config: Parameters<typeof taskOutline>[0], modelFolder: string): Promise<TeamTask> {
  const { task } = config;
  return taskOutline(
    "prompts" in task ? { ...config, task: { ...task, prompts: "ours" } as RunTask } : config,
    modelFolder,
  );
}

/** Title such as `relay/one-fact`. */
export function runTaskTitle(task: RunTask): string {
  if (isReference(task)) return referenceTitle(task);
  if (referencesIn(task).length === 0) return taskTitle(task as TaskSettings);
  return taskTitle(mapTeams(task, (team) => ({ name: referenceTitle(team) }) as TeamChoice));
}

export async function pinnedRunTask(task: RunTask): Promise<RunTask> {
  if (isReference(task)) return task;
  if (!("team" in task)) return (await pinnedTask(task, taskResources({}))) as RunTask;
  const pinned = await pinnedTask({ ...task, team: "solo" }, taskResources({}));
  return { ...pinned, team: task.team } as RunTask;
}

export async function withTeams(task: Exclude<RunTask, Reference>): Promise<TaskSettings> {
  const references = referencesIn(task);
  const teams = await Promise.all(references.map((reference) => resolveReference(reference, "team")));
  return mapTeams(task, (team) => teams[references.indexOf(team)] as TeamChoice);
}

function mapTeams(task: Exclude<RunTask, Reference>, change: (team: Reference) => TeamChoice): TaskSettings {
  if (!("team" in task)) return task;
  const one = (team: unknown): TeamChoice => (isReference(team) ? change(team) : (team as TeamChoice));
  const { team } = task;
  return { ...task, team: Array.isArray(team) ? team.map(one) : one(team) };
}

async function modelsOwn({ modelFolder, templateArguments }: TaskResources): Promise<TeamTask["tokenizer"]> {
  if (modelFolder === null) refuseSetting("model", "this task needs a checkpoint with a tokenizer");
  return policyTokenizer(modelFolder, templateArguments);
}

function taskResources(input: Partial<TaskResources>): TaskResources {
  const data = { folder: dataFolder(), hub: hubEnvironment(process.env) };
  return { testProblems: 1000, modelFolder: null, templateArguments: {}, data, note: () => undefined, ...input };
}

type SeenProblems = Readonly<Partial<Record<"validation" | "test", SeenInTraining>>>;

/** Finds test and validation problems among the training problems. Generated problems are skipped. */
export function seenProblems({
  pool,
  validation,
  testProblems,
}: Pick<TeamTask, "pool" | "validation" | "testProblems">): SeenProblems {
  if (!pool) return {};
  return present({
    validation: validation && seenInTraining(pool, validation),
    test: seenInTraining(pool, testProblems),
  });
}

/** Warnings about problems that were seen in training. */
export function seenWarnings(problems: SeenProblems): string[] {
  return Object.entries(problems).map(
    ([split, { seen, of, first }]) =>
      `seen in training: ${seen} of ${of} ${split} problems, such as ${first}; accuracy on them does not measure generalisation`,
  );
}
