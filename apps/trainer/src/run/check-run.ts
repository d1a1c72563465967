import { checkTraining } from "@laconic/trainer";
import type { Terminal } from "../cli/terminal.ts";
import type { AppConfig } from "./run-settings.ts";
import { chooseDevice } from "./devices.ts";
import { openModelFolder } from "./model-folder.ts";
import { checkBases, policiesOf } from "./open-parts.ts";
import { openTask } from "./open-task.ts";
import { checkPolicyTask } from "./policy-task.ts";

/** Folders of the models that a configuration names, by role. A hub's models are downloaded where they are not here. */
export async function modelFolders(
  { model, bases, actor }: Pick<AppConfig, "model" | "bases" | "actor">,
  terminal: Terminal,
): Promise<Record<string, string>> {
  const named = Object.entries({
    model,
    ...Object.fromEntries(Object.entries(bases).map(([name, base]) => [`bases.${name}`, base])),
    ...(actor && "model" in actor && { actor: actor.model }),
  });
  const folders: Record<string, string> = {};
  for (const [role, name] of named) folders[role] = (await openModelFolder(name, terminal)).folder;
  return folders;
}

/**
 * Refuses a configuration that would be refused once it runs: its models, task, policies and settings are checked against
 * each other, without data, weights or an engine.
 * @throws LaconicError `config_invalid`, `input_invalid`, `checkpoint_missing`, `device_unavailable`
 */
export async function checkRun(config: AppConfig, terminal: Terminal): Promise<void> {
  if (config.device !== "auto") await chooseDevice(config.device, config.workers, () => undefined);
  const { actor = null, ...folders } = await modelFolders(config, terminal);
  for (const [role, folder] of Object.entries(folders))
    await checkPolicyTask(folder, config.bases[role.replace(/^bases\./u, "")] ?? config.model, config.task);
  if (actor !== null && config.actor && "model" in config.actor)
    await checkPolicyTask(actor, config.actor.model, config.task);
  const { topology, name, game, trainedAgents, close } = await openTask(config.task, {
    heldOut: 0,
    modelFolder: folders["model"] ?? null,
  });
  try {
    const agentsOf = policiesOf(config, { topology, ...(trainedAgents && { trainedAgents }) });
    checkBases(config.bases, agentsOf);
    const trained = new Set(Object.values(agentsOf).flat());
    checkTraining(
      {
        task: { topology, name, ...(game && { game }) },
        policies: Object.fromEntries(Object.entries(agentsOf).map(([policy, agents]) => [policy, { agents }])),
        frozen: Object.fromEntries(topology.agents.flatMap((agent) => (trained.has(agent) ? [] : [[agent, true]]))),
      },
      config.train,
    );
  } finally {
    await close?.();
  }
}
