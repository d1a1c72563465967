import type { Baseline, Exemplar, Protocol, Script } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import type { AgentId, Problem } from "@laconic/core";
import type { Deal, EqualTokens, InformationSetting, SampleRecord } from "./sample-record.ts";

/** Questions of one benchmark. */
export interface BenchSet {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: readonly BenchmarkProblem[];
  /** Examples of another split in seeded order; protocols choose among them. */
  readonly exemplars: readonly Exemplar[];
  /** Metadata key of a problem's topic. */
  readonly topic?: string;
  /** Installed published texts by name. */
  readonly scripts?: Readonly<Record<string, Script>>;
  /** Problems for methods that calibrate, from another split. */
  readonly calibration: readonly BenchmarkProblem[];
}

/** Settings that determine the results of a bench. */
export interface BenchSettings {
  /** Model id and server, for records. */
  readonly model: string;
  readonly methods: readonly string[];
  readonly repeats: number;
  readonly seed: string | number;
  /** Null uses each paper's. */
  readonly temperature: number | null;
  /** Max reply tokens; null uses each protocol's limit. */
  readonly maxTokens: number | null;
  /** Number of worked examples; null uses each paper's. */
  readonly shots?: number | null;
  /** Model id and server by role. */
  readonly roleModels?: Readonly<Record<string, string>>;
}

/** One sample to take. */
export interface BenchJob {
  readonly set: BenchSet;
  readonly problem: BenchmarkProblem;
  readonly method: Baseline;
  readonly agents: readonly AgentId[];
  /** Null for an unpublished team. */
  readonly protocol: Protocol | null;
  /** Deal of the question; null if all agents see the whole. */
  readonly partition: JobPartition | null;
  /** Team whose mean tokens a single agent may use, for a method of equal tokens. */
  readonly equalTo: EqualJob | null;
  /** Published texts of the requests; null for our wording and `exemplars`. */
  readonly script: Script | null;
  readonly exemplars: readonly Exemplar[];
  /** Index of the problem in the set, from 0. */
  readonly place: number;
  readonly repeat: number;
  readonly config: string;
  readonly key: string;
}

/** Deal with its function. */
export interface JobPartition extends Deal {
  readonly give: <P extends Problem>(problem: P) => P | null;
}

/** Team to compare a single agent with. */
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
 * Mean tokens per question of each team that a single agent is compared with.
 * @param bound - open samples of equal tokens
 * @param jobs - teams with an unscored sample here are skipped
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
    const tokens = samples.reduce((sum, each) => sum + each.promptTokens + each.completionTokens, 0) / samples.length;
    const { method, setting } = equalTo;
    measured.set(config, { method, setting, tokens, questions: samples.length });
  }
  return measured;
}
