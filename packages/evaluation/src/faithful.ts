import { departures } from "@laconic/baselines";
import type { BenchJob, BenchSettings } from "./bench-plan.ts";
import type { SampleRecord } from "./sample-record.ts";

/**
 * The row of published tables that a sample may stand beside, and what keeps it from one. Only a faithful pair of method and benchmark
 * has a row: its protocol, and the bench's settings, are the paper's. A team without a protocol, such as a trained one, has the row of its name.
 */
export function standingOf(
  { method, protocol, exemplars }: Pick<BenchJob, "method" | "protocol" | "exemplars">,
  { temperature, maxTokens }: Pick<BenchSettings, "temperature" | "maxTokens">,
): Pick<SampleRecord, "published" | "differs"> {
  if (!protocol) return { published: method.name, differs: [] };
  const differs = departures(protocol, { temperature, maxTokens, shots: exemplars.length });
  return { published: differs.length === 0 ? protocol.published : null, differs };
}
