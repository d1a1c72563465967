import { join, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { modelPlace, nodeFileSystem, runFiles } from "@laconic/trainer";
import { defaultBaseUrl } from "../spending/base-url.ts";
import { namedModel } from "../spending/named-model.ts";
import type { Progress } from "../progress.ts";
import type { ActorChoice } from "./chosen-actor.ts";
import { openModelFolder } from "../models/model-folder.ts";
import { findRun } from "./open-run.ts";
import { modelSource, policiesOf } from "./open-parts.ts";
import { openRunTask } from "./run-task.ts";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import { expectWeightsHere } from "./remote/tinker-setting.ts";

/**
 * `hub:OWNER/NAME`, a model folder, another run (its last checkpoint), or `api:NAME@URL`.
 * @throws LaconicError `config_invalid` for a run with several policies, and what opening a model throws
 */
export async function actorChoice(text: string, progress: Progress): Promise<ActorChoice> {
  if (text.startsWith("api:")) {
    const api = namedModel(text.slice("api:".length), defaultBaseUrl(), "actor");
    return { title: `api:${api.model}@${api.baseUrl}`, speaks: { api } };
  }
  if (await nodeFileSystem.exists(join(resolve(text), runFiles.manifest))) return policyOf(resolve(text), progress);
  const { folder, pinned } = await openModelFolder(text, progress);
  return { title: text.startsWith("hub:") || text === "shipped" ? pinned : folder, speaks: { model: pinned } };
}

async function policyOf(directory: string, progress: Progress): Promise<ActorChoice> {
  const { config, checkpoint, state } = await findRun(directory);
  expectWeightsHere(config.engine, directory);
  const { folder: modelFolder } = await openModelFolder(config.model, progress);
  const task = await openRunTask(config.task, {
    heldOut: 0,
    modelFolder,
    templateArguments: config.chatTemplateArguments,
  });
  await task.close?.();
  const names = policiesOf(config, task);
  const [name, ...others] = Object.keys(names);
  if (name === undefined || others.length > 0)
    throw new LaconicError(
      "config_invalid",
      `--actor ${directory}: its agents have policies of their own (${Object.keys(names).join(", ")}), and an actor is one model`,
      { directory },
    );
  const base = config.bases[name];
  const folder = base === undefined ? modelFolder : (await openModelFolder(base, progress)).folder;
  const source = modelSource(config, folder, join(checkpoint, modelPlace(names, name)));
  const tokenizer = base === undefined ? task.tokenizer : await policyTokenizer(folder, config.chatTemplateArguments);
  return { title: `${directory}, step ${state.step}`, speaks: { source, tokenizer } };
}
