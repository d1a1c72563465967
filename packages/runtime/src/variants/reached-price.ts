import { meanOf } from "@laconic/core/numeric";
import { runFiles } from "@laconic/core/run-folder";
import { folderSource, readRows } from "@laconic/trainer/reading";
import { runFolder } from "./run-variants.ts";

/** Share of a run's steps, the last ones, over which its price is averaged. */
const lastShare = 0.1;

/**
 * The price of a token that Eq. 5 reached in a variant's runs: of each the mean over its last tenth of steps, and the mean over seeds.
 * Null where no run had a budget of tokens.
 */
export async function reachedPrice(folder: string, variant: string, seeds: readonly number[]): Promise<number | null> {
  const reached: number[] = [];
  for (const seed of seeds) {
    const rows = await readRows(folderSource(runFolder(folder, variant, seed)), runFiles.metrics);
    const prices = rows.flatMap((row) => {
      const price = row["budget/tokens/lambda"];
      return typeof price === "number" ? [price] : [];
    });
    const last = prices.slice(-Math.max(1, Math.round(lastShare * prices.length)));
    const mean = meanOf(last);
    if (mean !== null) reached.push(mean);
  }
  return meanOf(reached);
}
