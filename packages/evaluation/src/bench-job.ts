import type { Baseline, Exemplar, Protocol, Script } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import type { AgentId, Problem } from "@laconic/core";
import type { Deal, EqualTokens, InformationSetting, SampleRecord } from "./sample-record.ts";

/** Questions of one benchmark. */
export interface BenchSet {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: readonly BenchmarkProblem[];
  /** All of another split, in an order by seed; each method chooses as its protocol says. */
  readonly exemplars: readonly Exemplar[];
  /** Metadata key of a problem's topic. */
  readonly topic?: string;
  /** Installed published texts, by their names in protocols. */
  readonly scripts?: Readonly<Record<string, Script>>;
  /** For methods that learn before they are scored; from another split too. */
  readonly calibration: readonly BenchmarkProblem[];
}

/** Settings that decide what a bench computes. */
export interface BenchSettings {
  /** Id of the model and of its server, for the records. */
  readonly model: string;
  readonly methods: readonly string[];
  readonly repeats: number;
  readonly seed: string | number;
  /** Null takes each paper's. */
  readonly temperature: number | null;
  /** Of a reply; null takes each protocol's ceiling. */
  readonly maxTokens: number | null;
  /** Worked examples of every method; null or absent takes each paper's. */
  readonly shots?: number | null;
  /** Ids of the models of single roles, and of their servers. */
  readonly roleModels?: Readonly<Record<string, string>>;
}

/** One sample to take. */
export interface BenchJob {
  readonly set: BenchSet;
  readonly problem: BenchmarkProblem;
  readonly method: Baseline;
  readonly agents: readonly AgentId[];
  /** How the method is played; null for a team that is not published. */
  readonly protocol: Protocol | null;
  /** How the question is dealt among its agents; null where all see the whole. */
  readonly partition: JobPartition | null;
  /** For a method of equal tokens: the team whose tokens it may take, once the team's samples are there. */
  readonly equalTo: EqualJob | null;
  /** The published texts that its requests are written with; null for our words and `exemplars`. */
  readonly script: Script | null;
  readonly exemplars: readonly Exemplar[];
  /** Index of the problem in the set, from 0. */
  readonly place: number;
  readonly repeat: number;
  readonly config: string;
  readonly key: string;
}

/** A deal, and how it is made. */
export interface JobPartition extends Deal {
  readonly give: <P extends Problem>(problem: P) => P | null;
}

/** A team that a single agent is compared with. */
export interface EqualJob extends Pick<EqualTokens, "method" | "setting"> {
  readonly config: string;
}

/** Deals questions among agents. */
export interface Partitioner {
  readonly seed: string;
  readonly dealTo: (holders: readonly AgentId[]) => JobPartition["give"];
}

/** Whether agents see whole questions. */
export function settingOf({ partition }: Pick<BenchJob, "partition">): InformationSetting {
  return partition ? "dealt" : "whole";
}

/**
 * Mean tokens of a question, prompt and completion, of each team that a single agent is compared with.
 * @param bound - samples of equal tokens that are still to be taken
 * @param jobs - of this run: a team with an unscored sample is left out
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
