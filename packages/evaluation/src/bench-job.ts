import type { Baseline, Exemplar, Protocol, Script } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import type { AgentId, Problem } from "@laconic/core";
import type { Deal, EqualTokens, InformationSetting, SampleRecord } from "./sample-record.ts";

/** Questions of one benchmark. */
export interface BenchSet {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: readonly BenchmarkProblem[];
  /** Examples of another split in seeded order. */
  readonly exemplars: readonly Exemplar[];
  /** Metadata key of the topic. */
  readonly topic?: string;
  /** Installed published texts. */
  readonly scripts?: Readonly<Record<string, Script>>;
  /** Calibration problems, from another split. */
  readonly calibration: readonly BenchmarkProblem[];
}

/** Settings that determine the results. */
export interface BenchSettings {
  /** Model id and server, for records. */
  readonly model: string;
  readonly methods: readonly string[];
  readonly repeats: number;
  readonly seed: string | number;
  /** Default (null): each paper's. */
  readonly temperature: number | null;
  /** Default (null): each protocol's limit. */
  readonly maxTokens: number | null;
  /** Number of worked examples. Default (null): each paper's. */
  readonly shots?: number | null;
  /** Model id and server by role. */
  readonly roleModels?: Readonly<Record<string, string>>;
}

/** Sample to take. */
export interface BenchJob {
  readonly set: BenchSet;
  readonly problem: BenchmarkProblem;
  readonly method: Baseline;
  readonly agents: readonly AgentId[];
  readonly protocol: Protocol | null;
  /** Null if all agents see the whole. */
  readonly partition: JobPartition | null;
  /** Team whose mean tokens limit the method. */
  readonly equalTo: EqualJob | null;
  /** Published texts; null for our wording and `exemplars`. */
  readonly script: Script | null;
  readonly exemplars: readonly Exemplar[];
  readonly index: number;
  readonly repeat: number;
  readonly config: string;
  readonly key: string;
}

/** Deal with its function. */
export interface JobPartition extends Deal {
  readonly give: <P extends Problem>(problem: P) => P | null;
}

/** Team to compare with. */
export interface EqualJob extends Pick<EqualTokens, "method" | "setting"> {
  readonly config: string;
}

/** Deals questions among agents. */
export interface Partitioner {
  readonly seed: string;
  readonly dealTo: (holders: readonly AgentId[]) => JobPartition["give"];
}

/** Information setting of a job. */
export function settingOf({ partition }: Pick<BenchJob, "partition">): InformationSetting {
  return partition ? "dealt" : "whole";
}

/**
 * Mean tokens per question of each team to compare with.
 * @param bound - open samples of equal tokens
 * @param jobs - teams with unscored samples here are skipped
 * @returns by config of the single agent
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
    const tokens =
      samples.reduce((sum, sample) => sum + sample.promptTokens + sample.completionTokens, 0) / samples.length;
    const { method, setting } = equalTo;
    measured.set(config, { method, setting, tokens, questions: samples.length });
  }
  return measured;
}
