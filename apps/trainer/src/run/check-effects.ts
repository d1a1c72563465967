import { LaconicError } from "@laconic/core";
import type { TeamName } from "@laconic/tasks/text";
import type { AppConfig, TaskSettings } from "./run-settings.ts";
import { checkDeviceName } from "./devices.ts";

/**
 * Refuses settings that nothing here would act on, before anything is opened.
 * @throws LaconicError `device_unavailable` for a device that does not exist, `config_invalid` for an actor nobody needs
 */
export function checkEffects({ task, actor, device }: Pick<AppConfig, "task" | "actor" | "device">): void {
  checkDeviceName(device);
  if (actor !== null && !hasFrozenAgents(task))
    throw new LaconicError(
      "config_invalid",
      "actor: has no effect, because every agent of this task learns; remove it",
      {
        key: "actor",
      },
    );
}

const frozenTeams: readonly TeamName[] = ["hint", "critic", "debate", "roles"];

function hasFrozenAgents(task: TaskSettings): boolean {
  if (task.name === "relay-hint" || task.name === "relay-critic") return true;
  return (
    (task.name === "benchmark" || task.name === "data") && [task.team].flat().some((team) => frozenTeams.includes(team))
  );
}
