import { LaconicError } from "@laconic/core";
import { namedTask, type TaskSettings } from "@laconic/tasks/named";
import { isReference, referencesIn } from "../resolver/reference.ts";
import type { AppConfig } from "./run-settings.ts";
import { checkDeviceName } from "../devices/known-devices.ts";

type Checked = Pick<AppConfig, "task" | "actor" | "device"> & { readonly train: Readonly<Record<string, unknown>> };

/**
 * Refuses settings that nothing here would act on, before anything is opened.
 * @throws LaconicError `device_unavailable` for a device that does not exist, `config_invalid` for an actor nobody needs and
 * for a budget to show where there is none
 */
export function checkEffects({ task, actor, device, train }: Checked): void {
  checkDeviceName(device);
  if (!isReference(task) && task.name === "benchmark" && task.showBudget && !train["budget"])
    throw new LaconicError(
      "config_invalid",
      "task.showBudget: has no effect, because the run has no budget for the team; set train.budget, or remove it",
      { key: "task.showBudget" },
    );
  // Who learns in a task or team of a module is known once it is opened.
  if (referencesIn(task).length > 0) return;
  const settings = task as TaskSettings;
  checkActor(actor, namedTask(settings).hasFrozenAgents?.(settings) ?? false);
}

/** @throws LaconicError `config_invalid` for an actor where every agent learns */
export function checkActor(actor: AppConfig["actor"], hasFrozen: boolean): void {
  if (actor === null || hasFrozen) return;
  throw new LaconicError("config_invalid", "actor: has no effect, because every agent of this task learns; remove it", {
    key: "actor",
  });
}
