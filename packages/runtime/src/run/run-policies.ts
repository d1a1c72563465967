import { join } from "node:path";
import { modelPlace } from "@laconic/trainer";
import { openModelFolder } from "../models/model-folder.ts";
import type { Progress } from "../progress.ts";
import { basesOf, modelSource, policiesOf, type RunPolicy } from "./open-parts.ts";
import { findRun } from "./open-run.ts";
import { openRunTask } from "./run-task.ts";
import { expectWeightsHere } from "./remote/tinker-setting.ts";

/**
 * The policies of another run by name, and the step that they are of.
 * @throws LaconicError `run_missing`, `checkpoint_missing`, `config_invalid` for weights that lie on a server
 */
export async function runPolicies(
  directory: string,
  progress: Progress,
): Promise<{ readonly step: number; readonly policies: Readonly<Record<string, RunPolicy>> }> {
  const { config, checkpoint, manifest, state } = await findRun(directory);
  expectWeightsHere(config.engine, directory);
  const { folder: modelFolder } = await openModelFolder(config.model, progress);
  const { chatTemplateArguments: templateArguments } = config;
  const task = await openRunTask(config.task, { testProblems: 0, modelFolder, templateArguments });
  await task.close?.();
  const names = policiesOf(config, task);
  const openModel = async (model: string): Promise<string> => (await openModelFolder(model, progress)).folder;
  const based = await basesOf(Object.keys(names), config.bases, task, { modelFolder, openModel, templateArguments });
  const policies: Record<string, RunPolicy> = {};
  for (const [name, { folder: base, tokenizer }] of Object.entries(based)) {
    const folder = join(checkpoint, modelPlace(manifest, name));
    const agents = names[name] as readonly string[];
    policies[name] = { source: modelSource(config, base ?? "", folder), tokenizer, agents, folder };
  }
  return { step: state.step, policies };
}
