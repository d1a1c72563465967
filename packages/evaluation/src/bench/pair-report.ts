import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PairRecord } from "../pairs/pair-record.ts";
import { pairTables, summarisePairs, type PairSummary } from "../pairs/pair-tables.ts";
import { csvOf, markdownOf } from "../tables.ts";

/** Writes the tables of teams on tasks beside their samples: Markdown and CSV. */
export async function writePairReport(
  directory: string,
  records: Iterable<PairRecord>,
  order: { readonly tasks: readonly string[]; readonly methods: readonly string[] },
): Promise<{ readonly summaries: readonly PairSummary[]; readonly markdown: string }> {
  const { tasks, methods } = order;
  const sorted = [...records].toSorted(
    (a, b) => tasks.indexOf(a.task) - tasks.indexOf(b.task) || methods.indexOf(a.method) - methods.indexOf(b.method),
  );
  const summaries = summarisePairs(sorted);
  const tables = pairTables(summaries);
  const markdown = tables.map((table) => markdownOf(table)).join("\n\n");
  await writeFile(join(directory, "report.md"), `${markdown}\n`);
  await writeFile(join(directory, "tables.csv"), `${tables.map((table) => csvOf(table)).join("\n\n")}\n`);
  return { summaries, markdown };
}
