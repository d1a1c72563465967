import { baselineNamed, type Baseline } from "@laconic/baselines";
import type { OpenOptions } from "@laconic/benchmarks";
import type { Problem } from "@laconic/core";
import type { TokenPrice } from "@laconic/core/ledger";
import type { HubEnvironment } from "@laconic/hub";
import type { BenchJob, BenchSettings, Partitioner } from "../bench-job.ts";
import { benchJobs, unpartitioned, type Unpartitioned } from "../bench-plan.ts";
import type { BenchConfig } from "./bench-config.ts";
import { checkJudge, checkRoles, roleIds } from "./bench-models.ts";
import { benchSets } from "./bench-sets.ts";
import { methodSpec } from "./method-spec.ts";
import type { Board } from "./own-values.ts";
import { planLines } from "./plan-lines.ts";
import { describeSkipped } from "./skipped-file.ts";

/** A run's team as a method: it brings its own models, once it is opened. */
export interface TrainedTeam<Opened = never> {
  readonly method: Baseline;
  /** Its agents that do not learn speak with a server's model. */
  readonly asksServer: boolean;
  /** The server's model, where nobody knows its price. */
  readonly unpriced: string | null;
  /**
   * @param opened - what its server's calls are booked on
   * @returns the problems that it was trained on, where they are a list
   */
  open(opened: Opened): Promise<readonly Problem[]>;
  close(): Promise<void>;
}

/** What a bench is prepared from beside its settings: what opens runs, files and values is the caller's. */
export interface BenchInputs<Team extends TrainedTeam> {
  trainedTeam(name: string, run: string): Promise<Team>;
  readonly ownMethods: readonly Baseline[];
  readonly ownBoards: readonly Board[];
  /** Where a benchmark's files come from. */
  open(benchmark: string): OpenOptions;
  readonly hub: HubEnvironment;
  /** Deals what questions state among agents. */
  readonly partitioner: Partitioner;
  note(text: string): void;
  /** Nothing will be asked: questions to learn on need not be here. */
  readonly plan?: boolean;
}

/** A bench that could start. */
export interface PreparedBench<Team extends TrainedTeam = TrainedTeam> {
  readonly config: BenchConfig;
  readonly settings: BenchSettings;
  readonly jobs: readonly BenchJob[];
  readonly teams: readonly Team[];
  readonly skipped: readonly Unpartitioned[];
}

/**
 * Opens questions and methods, and says what the bench takes; nothing is asked.
 * @throws LaconicError `config_invalid` for settings without effect, and what opening throws
 */
export async function prepareBench<Team extends TrainedTeam>(
  config: BenchConfig,
  inputs: BenchInputs<Team>,
): Promise<PreparedBench<Team>> {
  const { ownMethods, note } = inputs;
  const sets = await benchSets(config, inputs);
  const settings: BenchSettings = {
    ...config,
    model: `${config.baseUrl} ${config.model}`,
    roleModels: roleIds(config),
  };
  const teams: Team[] = [];
  const methods: Baseline[] = [];
  for (const { name, run } of config.methods.map((method) => methodSpec(method))) {
    const team = run === null ? null : await inputs.trainedTeam(name, run);
    if (team) teams.push(team);
    methods.push(team?.method ?? baselineNamed(name));
  }
  methods.push(...ownMethods);
  const partitioner = config.distribute ? inputs.partitioner : null;
  const all = benchJobs(sets, settings, methods, partitioner);
  checkRoles(all, config);
  checkJudge(all, config);
  const jobs = withWhatTheyLearnOn(all, note);
  const skipped = unpartitioned(sets, settings, methods, partitioner);
  for (const line of [...describeSkipped(skipped), ...planLines(jobs, settings, config)]) note(line);
  return { config, settings, jobs, teams, skipped };
}

/** The models that a cap has to know the price of, with the flag that gives it. */
export function paidModels({ config, teams }: Pick<PreparedBench, "config" | "teams">): readonly {
  readonly model: string;
  readonly price: TokenPrice | null;
  readonly flag: string;
}[] {
  if (config.maxUsd === null) return [];
  const { model, price, roleModels, judge } = config;
  return [
    { model, price, flag: "price" },
    ...Object.entries(roleModels).map(([slot, each]) => ({
      model: `${slot}'s ${each.model}`,
      price: each.price,
      flag: "role-price",
    })),
    ...teams.flatMap(({ unpriced }) =>
      unpriced === null ? [] : [{ model: unpriced, price: null, flag: "actor-price" }],
    ),
    ...(judge ? [{ model: judge.model, price: judge.price, flag: "judge-price" }] : []),
  ];
}

/** Leaves out methods that learn first, on benchmarks without questions for that: a test's own are never used. */
function withWhatTheyLearnOn(jobs: readonly BenchJob[], note: (text: string) => void): BenchJob[] {
  const lacks = ({ method, set }: BenchJob): boolean => method.calibrate !== undefined && set.calibration.length === 0;
  const left = jobs.filter((job) => lacks(job));
  const named = (names: readonly string[]): string => [...new Set(names)].join(", ");
  if (left.length > 0)
    note(
      `left out: ${named(left.map(({ method }) => method.name))} on ${named(left.map(({ set }) => set.benchmark))}; they learn on questions that are not the test's, and none are here`,
    );
  return jobs.filter((job) => !lacks(job));
}
