import { sha256Of } from "@laconic/trainer";
import { mapReferences } from "../../resolver/reference.ts";
import { sourcesOf } from "../../resolver/run-sources.ts";
import { openExamples } from "../../resolver/open-train.ts";
import type { WarmStartSettings } from "../run-settings.ts";
import { openRunTask } from "../run-task.ts";
import type { WarmStartedRun } from "./train-warm-start.ts";

/**
 * SHA-256 of what a warm start's examples are made of, wherever it lies: their file, for a function its modules and problems, and how
 * they become tokens. Null for those of a world.
 */
export async function digestOfExamples(
  warmStart: WarmStartSettings,
  { task, policies, memory, chatTemplateArguments }: WarmStartedRun,
  modelFolder: string,
): Promise<string | null> {
  if (warmStart.name !== "examples") return null;
  const { file: _, ...reference } = warmStart.examples;
  const isMade = typeof (await openExamples(warmStart.examples)) === "function";
  const sources = await sourcesOf(isMade ? [warmStart.examples, task] : warmStart.examples);
  const problems = isMade && {
    task: mapReferences(task, (each) => ({ ...each, file: "" })),
    pool: (await openRunTask(task, { modelFolder, templateArguments: chatTemplateArguments })).pool ?? null,
  };
  return sha256Of({
    reference,
    contents: Object.values(sources).toSorted(),
    problems,
    policies,
    memory,
    chatTemplateArguments,
  });
}
