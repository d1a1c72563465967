import type { BenchJob } from "./bench-job.ts";
import type { EqualTokens, SampleRecord } from "./sample-record.ts";

/**
 * What each team took that a single agent is measured against: the mean tokens of a question, prompt and completion, over all its samples.
 * @param bound - samples of equal tokens that are still to be taken
 * @param jobs - all that were to be taken in this run: a team one of whose samples has no score yet is left out
 * @returns by config of the single agent's samples
 */
export function measuredTokens(
  bound: readonly BenchJob[],
  jobs: readonly BenchJob[],
  records: ReadonlyMap<string, SampleRecord>,
): Map<string, EqualTokens> {
  const unscored = new Set(jobs.filter(({ key }) => records.get(key)?.status !== "scored").map(({ config }) => config));
  const measured = new Map<string, EqualTokens>();
  for (const { config, equalTo } of bound) {
    if (equalTo === null || measured.has(config) || unscored.has(equalTo.config)) continue;
    const samples = [...records.values()].filter(
      (record) => record.config === equalTo.config && record.status === "scored",
    );
    if (samples.length === 0) continue;
    const tokens = samples.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0) / samples.length;
    const { method, setting } = equalTo;
    measured.set(config, { method, setting, tokens, questions: samples.length });
  }
  return measured;
}
