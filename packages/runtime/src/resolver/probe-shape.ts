import { resolve } from "node:path";
import { LaconicError, type AgentId, type Problem } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { checkProblems } from "@laconic/tasks";
import * as z from "zod";
import { partsOfFileText, referenceTitle } from "./reference.ts";
import { resolveReference } from "./resolve.ts";

/** A problem with what a benchmark's or a user's problem holds beside. */
const rowSchema = z.looseObject({
  id: z.string().min(1),
  question: z.string(),
  gold: z.string(),
  views: z.record(z.string(), z.string()).exactOptional(),
  group: z.string().min(1).exactOptional(),
  family: z.string().min(1).exactOptional(),
});

/**
 * Problems of a user's own by family, in the order of the file: a list that a module exports, or a function that gives one. A
 * problem's `family` names its family, or its `group`; those without either are of one that is called as the file.
 * @param text - none when null; such as `./problems.ts` or `./problems.ts#hard`
 * @throws LaconicError `config_invalid` naming file and export; `data_invalid` naming what is no problem
 */
export async function probeProblems(text: string | null): Promise<ReadonlyMap<string, readonly Problem[]>> {
  const families = new Map<string, Problem[]>();
  if (text === null) return families;
  const { file, export: name } = partsOfFileText(text);
  const reference = { file: resolve(file), export: name };
  const rows = (await resolveReference(reference, "problems", {})) as readonly unknown[];
  if (rows.length === 0) throw new LaconicError("data_invalid", `${text}: the list is empty`, { file });
  for (const [i, row] of rows.entries()) {
    const parsed = rowSchema.safeParse(row, { error: issueWords });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const key = issue?.path.join(".") ?? "";
      throw new LaconicError("data_invalid", `${text}, problem ${i}${key && `, ${key}`}: ${issue?.message}`, { file });
    }
    const { family: column, ...problem } = parsed.data;
    const family = column ?? problem.group ?? referenceTitle(reference);
    families.set(family, [...(families.get(family) ?? []), problem]);
  }
  return families;
}

/**
 * Refuses problems that a team cannot be given.
 * @throws LaconicError `data_invalid` naming the problem, for an id that comes twice and a view of an agent that there is not
 */
export function checkProbeProblems(
  file: string,
  families: ReadonlyMap<string, readonly Problem[]>,
  agents: readonly AgentId[],
): void {
  for (const [family, problems] of families)
    try {
      checkProblems(`${file}, family ${family}, problem`, problems, agents);
    } catch (error) {
      throw new LaconicError("data_invalid", (error as Error).message, { file, family }, error);
    }
}
