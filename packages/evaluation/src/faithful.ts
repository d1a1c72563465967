import { departures, replyCeiling } from "@laconic/baselines";
import type { BenchJob, BenchSettings } from "./bench-job.ts";
import type { SampleRecord } from "./sample-record.ts";

/**
 * The row of published tables that a sample may stand beside, and what keeps it from one. Only a faithful pair of method and benchmark
 * has a row: its protocol, and the bench's settings, are the paper's. A team without a protocol, such as a trained one, has none, whatever it is called.
 */
export function standingOf(
  { protocol, partition, exemplars }: Pick<BenchJob, "protocol" | "partition" | "exemplars">,
  { temperature, maxTokens }: Pick<BenchSettings, "temperature" | "maxTokens">,
): Pick<SampleRecord, "published" | "differs"> {
  if (!protocol) return { published: null, differs: [] };
  const differs = [
    ...departures(protocol, { temperature, maxTokens: maxTokens ?? replyCeiling(protocol), shots: exemplars.length }),
    ...(partition
      ? ["What a question states is dealt among its agents: the published figures are of whole questions."]
      : []),
  ];
  return { published: differs.length === 0 ? protocol.published : null, differs };
}
