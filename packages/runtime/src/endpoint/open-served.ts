import { access } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import {
  LaconicError,
  type ChatTokenizer,
  type Engine,
  type ModelSource,
  type Tokenizer,
  type TrainableModel,
} from "@laconic/core";
import { hermesTools, type ToolFormat } from "@laconic/serve";
import { relayTask } from "@laconic/tasks";
import { loadTokenizer } from "@laconic/tokenizers";
import { modelPlace, runFiles } from "@laconic/trainer";
import { openModelFolder } from "../models/model-folder.ts";
import type { Progress } from "../progress.ts";
import { isReference } from "../resolver/reference.ts";
import { modelSource, policiesOf } from "../run/open-parts.ts";
import { checkModelsOf, openRun, type FoundRun } from "../run/open-run.ts";
import { expectWeightsHere } from "../run/remote/tinker-setting.ts";
import { checkInputs, tokenizerInput } from "../run/run-inputs.ts";
import type { RunTask } from "../run/run-settings.ts";
import { openRunTask } from "../run/run-task.ts";

/** What is served: weights, and the tokenizer they were trained with. */
export interface Served {
  readonly name: string;
  readonly model: TrainableModel;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** Of a run that was trained with tools. */
  readonly tools?: ToolFormat | null;
}

/** What is chosen of a run or a model. */
export interface ServedChoice {
  /** Of a run that trains several; the first where it is not named. */
  readonly policy: string | undefined;
  readonly which: "latest" | "best";
  readonly templateArguments: Readonly<Record<string, unknown>>;
}

type ServedSource = Omit<Served, "model"> & { readonly source: ModelSource };

/**
 * Opens weights to serve: of a run folder, a model folder, `hub:owner/name` or `shipped`.
 * @throws LaconicError `config_invalid` for a choice that what is served does not have
 */
export async function openServed(
  given: string,
  choice: ServedChoice,
  engine: Engine,
  progress: Progress,
): Promise<Served> {
  const opened = async ({ source, ...served }: ServedSource): Promise<Served> => ({
    ...served,
    model: await engine.createModel(source),
  });
  const run = resolve(given);
  const isRun = async (): Promise<boolean> =>
    access(join(run, runFiles.checkpoints)).then(
      () => true,
      () => false,
    );
  if (given === "shipped" || given.startsWith("hub:") || !(await isRun()))
    return opened(await servedFolder(given, choice, progress));
  return openRun(run, choice.which, async (found) => opened(await servedRun(run, found, choice, progress)));
}

/** How the agents of a run call tools; null where they have none. */
export function toolsOf(task: RunTask): ToolFormat | null {
  if (isReference(task) || task.name !== "gateway") return null;
  const { tools = "told" } = task;
  return tools === "none" ? null : hermesTools({ tells: tools === "told" });
}

async function servedFolder(
  given: string,
  { policy, which, templateArguments }: ServedChoice,
  progress: Progress,
): Promise<ServedSource> {
  const stray = policy !== undefined ? "--policy" : which === "best" ? "--best" : null;
  if (stray !== null)
    throw new LaconicError("config_invalid", `${stray} chooses in a run; ${given} is a model without choices`, {
      key: stray,
    });
  const { folder, name } = await openModelFolder(given, progress);
  const tokenizer =
    given === "shipped" ? shippedTokenizer(templateArguments) : await loadTokenizer(folder, { templateArguments });
  return { name, source: { kind: "folder", path: folder }, tokenizer };
}

async function servedRun(
  run: string,
  { config, checkpoint }: FoundRun,
  choice: ServedChoice,
  progress: Progress,
): Promise<ServedSource> {
  expectWeightsHere(config.engine, run);
  await checkModelsOf(run, config, progress);
  const { folder } = await openModelFolder(config.model, progress);
  const templateArguments = { ...config.chatTemplateArguments, ...choice.templateArguments };
  const task = await openRunTask(config.task, { heldOut: 0, modelFolder: folder, templateArguments });
  await task.close?.();
  await checkInputs(run, "tokenizer", tokenizerInput(task.tokenizer));
  const policies = policiesOf(config, task);
  const policy = choice.policy ?? Object.keys(policies)[0];
  if (policy === undefined || !Object.hasOwn(policies, policy))
    throw new LaconicError("config_invalid", `--policy is ${policy}; the run has ${Object.keys(policies).join(", ")}`, {
      key: "policy",
    });
  const base = config.bases[policy];
  const own = base === undefined ? folder : (await openModelFolder(base, progress)).folder;
  return {
    name: basename(run),
    source: modelSource(config, own, join(checkpoint, modelPlace(policies, policy))),
    tokenizer: base === undefined ? task.tokenizer : await loadTokenizer(own, { templateArguments }),
    tools: toolsOf(config.task),
  };
}

/** @throws LaconicError `config_invalid` for arguments: its prompts are no chats. */
function shippedTokenizer(templateArguments: Readonly<Record<string, unknown>>): Tokenizer {
  if (Object.keys(templateArguments).length > 0)
    throw new LaconicError("config_invalid", "--chat-template-arguments: shipped has no chat template", {
      key: "chat-template-arguments",
    });
  return relayTask({ level: "one-fact" }).tokenizer;
}
