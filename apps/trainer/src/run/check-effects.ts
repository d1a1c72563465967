import { LaconicError } from "@laconic/core";
import { namedTask } from "@laconic/tasks/named";
import type { AppConfig } from "./run-settings.ts";
import { checkDeviceName } from "./devices.ts";

type Checked = Pick<AppConfig, "task" | "actor" | "device"> & { readonly train: Readonly<Record<string, unknown>> };

/**
 * Refuses settings that nothing here would act on, before anything is opened.
 * @throws LaconicError `device_unavailable` for a device that does not exist, `config_invalid` for an actor nobody needs and
 * for a budget to show where there is none
 */
export function checkEffects({ task, actor, device, train }: Checked): void {
  checkDeviceName(device);
  if (task.name === "benchmark" && task.showBudget && !train["budget"])
    throw new LaconicError(
      "config_invalid",
      "task.showBudget: has no effect, because the run has no budget for the team; set train.budget, or remove it",
      { key: "task.showBudget" },
    );
  if (actor !== null && !namedTask(task).hasFrozenAgents(task))
    throw new LaconicError(
      "config_invalid",
      "actor: has no effect, because every agent of this task learns; remove it",
      {
        key: "actor",
      },
    );
}
