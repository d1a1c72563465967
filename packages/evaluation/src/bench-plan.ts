import {
  familyOf,
  baselineNamed,
  chooseShots,
  holdersOf,
  promptVersion,
  protocolFor,
  protocolName,
  replyCeiling,
  scriptNameOf,
  type Baseline,
  type Exemplar,
  type Protocol,
  type Script,
} from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { type AgentId, configError, inputError } from "@laconic/core";
import { sha256 } from "@laconic/core/files";
import {
  settingOf,
  type BenchJob,
  type BenchSet,
  type BenchSettings,
  type Partitioner,
  type EqualJob,
  type JobPartition,
} from "./bench-job.ts";
import { methodOptions, roleModelOf } from "./bench-parts.ts";
import { sampleKey, type SampleRecord } from "./sample-record.ts";

/**
 * Plans all samples by benchmark, method, setting, repeat and question. A partitioner adds dealt questions for
 * protocols that allow it; a team with its own deal plays only that. Questions that cannot be dealt are skipped, see
 * {@link unpartitioned}. A method of equal tokens plays the whole questions of each team.
 * @throws LaconicError `config_invalid` for a method of equal tokens without a team
 */
export function benchJobs(
  sets: readonly BenchSet[],
  settings: BenchSettings,
  methods: readonly Baseline[] = settings.methods.map(baselineNamed),
  partitioner: Partitioner | null = null,
): BenchJob[] {
  return sets.flatMap((set) => {
    const teams = methods
      .filter(({ equalTokens }) => !equalTokens)
      .flatMap((method) => playsOf(method, set, settings, partitioner));
    return methods.flatMap((method) => {
      const plays = method.equalTokens
        ? equalPlays(method, set, settings, teams)
        : teams.filter((play) => play.method === method);
      return plays.flatMap((play) => jobsOf(play, settings));
    });
  });
}

type Play = Omit<BenchJob, "problem" | "index" | "repeat" | "key">;

function playsOf(method: Baseline, set: BenchSet, settings: BenchSettings, partitioner: Partitioner | null): Play[] {
  const protocol = protocolOf(method, set);
  const script = scriptFor(protocol, set, settings);
  const exemplars = script ? [] : exemplarsFor(protocol, set, settings);
  const [problem] = set.problems;
  const agents = problem ? agentsOf({ method, set, problem, protocol, script, exemplars }, settings) : [];
  const dealer = method.deal && { seed: "", holders: [], ...method.dealt, give: method.deal };
  const holders = partitioner && protocol ? holdersOf(protocol, agents) : [];
  const dealt =
    partitioner && holders.length > 1 ? { seed: partitioner.seed, holders, give: partitioner.dealTo(holders) } : null;
  const ways: (JobPartition | null)[] = dealer ? [dealer] : [null, ...(dealt ? [dealt] : [])];
  return ways.map((partition) => ({
    set: partition ? dealtSet(set, partition) : set,
    method,
    protocol,
    partition,
    equalTo: null,
    script,
    exemplars,
    agents,
    config: configHash(set, method.identity ?? method.name, protocol, exemplars, settings, [
      ...(script ? [["script", script.name, script.sha256]] : []),
      ...(partition ? [["dealt", partition.seed, partition.holders]] : []),
      ...rolesAmong(agents, settings, method),
    ]),
  }));
}

function equalPlays(method: Baseline, set: BenchSet, settings: BenchSettings, teams: readonly Play[]): Play[] {
  const plays = teams.filter(({ agents }) => agents.length > 1);
  if (plays.length === 0 && set.problems.length > 0)
    throw configError(
      `${method.name} needs a team's tokens, but no method has several agents: add one, such as debate`,
      { method: method.name },
    );
  const protocol = protocolOf(method, set);
  const exemplars = exemplarsFor(protocol, set, settings);
  return plays.map((team) => {
    const equalTo: EqualJob = { method: team.method.name, setting: settingOf(team), config: team.config };
    // `equal-budget:votes@debate`
    const name = `${method.name}@${equalTo.method}${equalTo.setting === "dealt" ? "/dealt" : ""}`;
    return {
      set: { ...set, problems: team.set.problems },
      method: { ...method, name },
      protocol,
      partition: null,
      equalTo,
      script: null,
      exemplars,
      agents: ["solver"],
      config: configHash(set, name, protocol, exemplars, settings, [
        ["equal", team.config],
        ...rolesAmong(["solver"], settings, method),
      ]),
    };
  });
}

function jobsOf(play: Play, { repeats, shots = null }: BenchSettings): BenchJob[] {
  return Array.from({ length: repeats }, (_, repeat) =>
    play.set.problems.map((problem, index): BenchJob => {
      const { method, config } = play;
      const sample = { benchmark: play.set.benchmark, problem: problem.id, method: method.name, repeat, config };
      return {
        ...play,
        problem,
        index,
        exemplars: shownTo(problem, play, shots),
        repeat,
        key: sampleKey(sample),
      };
    }),
  ).flat();
}

function shownTo(
  problem: BenchmarkProblem,
  { set, protocol, exemplars }: Play,
  shots: number | null,
): readonly Exemplar[] {
  if (protocol?.shots.select !== "same-topic") return exemplars;
  return chooseShots(protocol.shots, exemplars, shots ?? undefined, String(problem.metadata?.[set.topic ?? ""]));
}

/** Null for an unpublished team. */
export function protocolOf({ protocols }: Baseline, { benchmark, problems: [problem] }: BenchSet): Protocol | null {
  if (!protocols) return null;
  return protocolFor(protocols, { benchmark, ...(problem && { family: familyOf(problem.grading.kind) }) });
}

/** Questions that a method does not play dealt. */
export interface Unpartitioned {
  readonly benchmark: string;
  readonly method: string;
  readonly questions: number;
  readonly of: number;
  /** Reason if all are skipped, else null. */
  readonly reason: string | null;
}

/** Questions skipped by {@link benchJobs} in the dealt setting. */
export function unpartitioned(
  sets: readonly BenchSet[],
  settings: BenchSettings,
  methods: readonly Baseline[],
  partitioner: Partitioner | null = null,
): Unpartitioned[] {
  return sets.flatMap((set) =>
    methods.flatMap((method): Unpartitioned[] => {
      const of = set.problems.length;
      const here = { benchmark: set.benchmark, method: method.name, of };
      const play = method.equalTokens
        ? undefined
        : playsOf(method, set, settings, partitioner).find(({ partition }) => partition !== null);
      if (play) {
        const questions = of - play.set.problems.length;
        return questions > 0 ? [{ ...here, questions, reason: null }] : [];
      }
      if (!partitioner) return [];
      const partition = protocolOf(method, set)?.partition;
      const unsaid = "The split among agents is not published.";
      return [{ ...here, questions: of, reason: partition?.kind === "whole" ? partition.reason : unsaid }];
    }),
  );
}

function dealtSet(set: BenchSet, { give }: JobPartition): BenchSet {
  const dealable = (problems: BenchSet["problems"]): BenchSet["problems"] =>
    problems.filter((problem) => give(problem) !== null);
  return { ...set, problems: dealable(set.problems), calibration: dealable(set.calibration) };
}

/** Published texts, unless `shots` overrides them. */
function scriptFor(
  protocol: Protocol | null,
  { benchmark, scripts = {} }: BenchSet,
  { shots = null }: BenchSettings,
): Script | null {
  const name = protocol && scriptNameOf(protocol, benchmark);
  return name !== null && shots === null ? (scripts[name] ?? null) : null;
}

function exemplarsFor(protocol: Protocol | null, set: BenchSet, settings: BenchSettings): readonly Exemplar[] {
  // Hashes all examples, because they differ by question.
  if (protocol?.shots.select === "same-topic") return set.exemplars;
  return protocol
    ? chooseShots(protocol.shots, set.exemplars, settings.shots ?? undefined)
    : set.exemplars.slice(0, settings.shots ?? 0);
}

function agentsOf(
  job: Pick<BenchJob, "method" | "set" | "problem" | "protocol" | "script" | "exemplars">,
  settings: BenchSettings,
): readonly AgentId[] {
  const runProgram = (): never => {
    throw inputError("no program is run to count slots");
  };
  return job.method.create(methodOptions(job, settings, { runProgram })).agents;
}

function rolesAmong(agents: readonly AgentId[], { roleModels = {} }: BenchSettings, { models = {} }: Baseline) {
  const used = agents.flatMap((agent) => {
    const model = Object.hasOwn(models, agent) ? undefined : roleModelOf(roleModels, agent);
    return model === undefined ? [] : [[agent, model]];
  });
  return used.length > 0 ? [["roles", used]] : [];
}

function configHash(
  { benchmark, split }: BenchSet,
  method: string,
  protocol: Protocol | null,
  exemplars: readonly Exemplar[],
  { model, seed, temperature, maxTokens }: BenchSettings,
  besides: readonly unknown[],
): string {
  const parts = [
    promptVersion,
    method,
    protocol && protocolName(protocol),
    benchmark,
    split,
    model,
    seed,
    temperature,
    maxTokens ?? replyCeiling(protocol),
    exemplars.map(({ question, answer }) => [question, answer]),
    ...besides,
  ];
  return sha256(JSON.stringify(parts)).slice(0, 16);
}

/** Samples without a score. */
export function openJobs(jobs: readonly BenchJob[], records: ReadonlyMap<string, SampleRecord>): BenchJob[] {
  return jobs.filter(({ key }) => records.get(key)?.status !== "scored");
}
