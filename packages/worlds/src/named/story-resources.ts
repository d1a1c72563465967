import type { TeamTask } from "@laconic/tasks";
import type { TaskResources } from "../task-resources.ts";

/** What every story world takes of a run: its model's tokenizer, loaded here and not before, and the number of held-out problems. */
export async function storyResources(
  resources: TaskResources,
): Promise<{ readonly tokenizer: TeamTask["tokenizer"]; readonly heldOut: number }> {
  const { tokenizerOf } = await import("../text/tokenizer-of.ts");
  return { tokenizer: await tokenizerOf(resources), heldOut: resources.heldOut };
}
