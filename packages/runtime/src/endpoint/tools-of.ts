import { hermesTools, type ToolFormat } from "@laconic/serve";
import { isReference } from "../resolver/reference.ts";
import type { RunTask } from "../run/run-settings.ts";

/** How the agents of a run call tools; null where they have none. */
export function toolsOf(task: RunTask): ToolFormat | null {
  if (isReference(task) || task.name !== "gateway") return null;
  const { tools = "told" } = task;
  return tools === "none" ? null : hermesTools({ tells: tools === "told" });
}
