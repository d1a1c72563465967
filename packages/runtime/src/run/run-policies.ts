import { join } from "node:path";
import type { ModelSource } from "@laconic/core";
import { modelPlace } from "@laconic/trainer";
import type { TeamTask } from "@laconic/tasks";
import { openModelFolder } from "../models/model-folder.ts";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import type { Progress } from "../progress.ts";
import { modelSource, policiesOf } from "./open-parts.ts";
import { findRun } from "./open-run.ts";
import { openRunTask } from "./run-task.ts";
import { expectWeightsHere } from "./remote/tinker-setting.ts";

/** A policy of another run, with the weights of its last checkpoint. */
export interface RunPolicy {
  readonly source: ModelSource;
  readonly tokenizer: TeamTask["tokenizer"];
  readonly agents: readonly string[];
  /** Where its checkpoint has it. */
  readonly folder: string;
}

/**
 * The policies of another run by name, and the step that they are of.
 * @throws LaconicError `run_missing`, `checkpoint_missing`, `config_invalid` for weights that lie on a server
 */
export async function runPolicies(
  directory: string,
  progress: Progress,
): Promise<{ readonly step: number; readonly policies: Readonly<Record<string, RunPolicy>> }> {
  const { config, checkpoint, state } = await findRun(directory);
  expectWeightsHere(config.engine, directory);
  const { folder: modelFolder } = await openModelFolder(config.model, progress);
  const { chatTemplateArguments: templateArguments } = config;
  const task = await openRunTask(config.task, { heldOut: 0, modelFolder, templateArguments });
  await task.close?.();
  const names = policiesOf(config, task);
  const policies: Record<string, RunPolicy> = {};
  for (const [name, agents] of Object.entries(names)) {
    const base = config.bases[name];
    const own = base === undefined ? modelFolder : (await openModelFolder(base, progress)).folder;
    const folder = join(checkpoint, modelPlace(names, name));
    const tokenizer = base === undefined ? task.tokenizer : await policyTokenizer(own, templateArguments);
    policies[name] = { source: modelSource(config, own, folder), tokenizer, agents, folder };
  }
  return { step: state.step, policies };
}
