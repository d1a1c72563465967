import { baselineNamed, type Baseline, replyCeiling } from "@laconic/baselines";
import { configError, type LanguageModel, type Problem, type LaconicError, mapValues } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import { type TokenPrice, maxPrice, tokenCost } from "@laconic/core/ledger";
import { columnsOf, formatCount, formatUsd } from "@laconic/core/text";
import { judgeGrader, timerOf } from "@laconic/rewards";
import { estimate, type BenchEstimate, type CellEstimate } from "../bench-estimate.ts";
import type { BenchJob, BenchSettings, Partitioner } from "../bench-job.ts";
import { roleModelOf, type RoleModel } from "../bench-parts.ts";
import { benchJobs, unpartitioned, type Unpartitioned } from "../bench-plan.ts";
import { type BenchConfig, methodSpec, type BenchModel } from "./bench-config.ts";
import { describeSkipped } from "./bench-folder.ts";
import { benchSets, type BenchSources } from "./bench-sets.ts";

/** A run's team; its models are available once open. */
export interface TrainedTeam<Opened = never> {
  readonly method: Baseline;
  readonly asksServer: boolean;
  /** Server model without a known price. */
  readonly unpriced: string | null;
  /** Split of its training benchmark without training questions; null for the default split. */
  readonly scored: { readonly benchmark: string; readonly split: string } | null;
  /** @returns its training problems, if they are a list */
  open(opened: Opened): Promise<readonly Problem[]>;
  close(): Promise<void>;
}

interface BenchInputs<Team extends TrainedTeam> extends Omit<BenchSources, "splits"> {
  trainedTeam(name: string, run: string): Promise<Team>;
  readonly partitioner: Partitioner;
}

/** Bench ready to start. */
export interface PreparedBench<Team extends TrainedTeam = TrainedTeam> {
  readonly config: BenchConfig;
  readonly settings: BenchSettings;
  readonly jobs: readonly BenchJob[];
  readonly teams: readonly Team[];
  readonly skipped: readonly Unpartitioned[];
}

/**
 * Opens questions and methods, and notes the plan, without requests.
 * @throws LaconicError `config_invalid` for settings without effect, and errors of opening
 */
export async function prepareBench<Team extends TrainedTeam>(
  config: BenchConfig,
  inputs: BenchInputs<Team>,
): Promise<PreparedBench<Team>> {
  const { ownMethods, note } = inputs;
  const settings: BenchSettings = {
    ...config,
    model: `${config.baseUrl} ${config.model}`,
    roleModels: mapValues(config.roleModels, ({ model, baseUrl }) => `${baseUrl} ${model}`),
  };
  const teams: Team[] = [];
  const methods: Baseline[] = [];
  for (const { name, run } of config.methods.map(methodSpec)) {
    const team = run === null ? null : await inputs.trainedTeam(name, run);
    if (team) teams.push(team);
    methods.push(team?.method ?? baselineNamed(name));
  }
  methods.push(...ownMethods);
  const sets = await benchSets(config, { ...inputs, splits: scoredSplits(teams, note) });
  const partitioner = config.distribute ? inputs.partitioner : null;
  const cells = config.cells && new Set(config.cells);
  const all = benchJobs(sets, settings, methods, partitioner).filter(
    ({ method, set }) => cells?.has(`${method.name}/${set.benchmark}`) ?? true,
  );
  checkRoles(all, config);
  if (config.judge && all.every(({ problem }) => problem.grading.kind !== "text"))
    throw refusedFlag("judge", "no question has a free answer; remove it");
  const jobs = withCalibration(all, note);
  const skipped = unpartitioned(sets, settings, methods, partitioner);
  for (const line of [...describeSkipped(skipped), ...planLines(jobs, settings, config)]) note(line);
  return { config, settings, jobs, teams, skipped };
}

/** @throws LaconicError `config_invalid` for teams without a common split */
function scoredSplits(teams: readonly TrainedTeam[], note: (text: string) => void): ReadonlyMap<string, string> {
  const splits = new Map<string, string>();
  for (const { method, scored } of teams) {
    if (scored === null) continue;
    const { benchmark, split } = scored;
    const other = splits.get(benchmark);
    if (other !== undefined && other !== split)
      throw configError(
        `${method.name} is scored on ${benchmark} ${split}, another team on ${other}; play them in two benches`,
        { benchmark, split, other },
      );
    if (other === undefined)
      note(`${benchmark}: split ${split} for all methods, since ${method.name} was trained on other questions`);
    splits.set(benchmark, split);
  }
  return splits;
}

/** Models whose prices a spend cap needs. */
export function paidModels({ config, teams }: Pick<PreparedBench, "config" | "teams">): readonly {
  readonly model: string;
  readonly price: TokenPrice | null;
  readonly flag: string;
}[] {
  if (config.maxUsd === null) return [];
  const { model, price, roleModels, judge } = config;
  return [
    { model, price, flag: "price" },
    ...Object.entries(roleModels).map(([slot, benchModel]) => ({
      model: `${slot}'s ${benchModel.model}`,
      price: benchModel.price,
      flag: "role-price",
    })),
    ...teams.flatMap(({ unpriced }) =>
      unpriced === null ? [] : [{ model: unpriced, price: null, flag: "actor-price" }],
    ),
    ...(judge ? [{ model: judge.model, price: judge.price, flag: "judge-price" }] : []),
  ];
}

function withCalibration(jobs: readonly BenchJob[], note: (text: string) => void): BenchJob[] {
  const lacks = ({ method, set }: BenchJob) => method.calibrate !== undefined && set.calibration.length === 0;
  const left = jobs.filter(lacks);
  const named = (names: readonly string[]) => [...new Set(names)].join(", ");
  if (left.length > 0)
    note(
      `skipped: ${named(left.map(({ method }) => method.name))} on ${named(left.map(({ set }) => set.benchmark))}; no questions outside the test found`,
    );
  return jobs.filter((job) => !lacks(job));
}

/** Opens a server's model. Default key: the bench's. */
export type OpenModel = (model: BenchModel & { readonly apiKey?: string }) => LanguageModel;

/** Reads a variable of the environment; undefined if empty. */
export type Environment = (name: string) => string | undefined;

/** @throws LaconicError `config_invalid` for an unknown role */
function checkRoles(jobs: readonly BenchJob[], { roleModels }: Pick<BenchConfig, "roleModels">): void {
  const agents = new Set(
    jobs.flatMap((job) => job.agents.filter((agent) => !Object.hasOwn(job.method.models ?? {}, agent))),
  );
  const stray = Object.keys(roleModels).find((slot) =>
    [...agents].every((agent) => roleModelOf({ [slot]: true }, agent) === undefined),
  );
  if (stray === undefined) return;
  const names = [...agents].join(", ");
  throw refusedFlag("role-model", `no method has a role ${stray} without a model; use one of: ${names}`);
}

/** Opens the role models. Other servers use $OPENAI_API_KEY_ROLE, such as `OPENAI_API_KEY_ACTOR`. */
export function openRoleModels(
  { roleModels, baseUrl }: Pick<BenchConfig, "roleModels" | "baseUrl">,
  openModel: OpenModel,
  environment: Environment,
): Record<string, RoleModel> {
  return mapValues(roleModels, (named, slot) => ({
    price: named.price,
    model: openModel({ ...named, ...keyOf(slot, named, baseUrl, environment) }),
  }));
}

const rubric = "Does the answer say what the reference says, and nothing that contradicts it?";

/** Opens the judge, if any. Another server uses $OPENAI_API_KEY_JUDGE. */
export function openJudge(
  { judge, baseUrl }: Pick<BenchConfig, "judge" | "baseUrl">,
  openModel: OpenModel,
  environment: Environment,
): ReturnType<typeof judgeGrader> | null {
  if (!judge) return null;
  const model = openModel({ ...judge, ...keyOf("judge", judge, baseUrl, environment) });
  return judgeGrader({ model, rubric, deadline: { seconds: 120, timer: timerOf(globalThis) } });
}

/** The bench's key is sent to no other server. */
function keyOf(
  slot: string,
  { baseUrl }: BenchModel,
  benchUrl: string,
  environment: Environment,
): { readonly apiKey?: string } {
  const slotKey = environment(`OPENAI_API_KEY_${slot.toUpperCase().replaceAll("-", "_")}`);
  if (slotKey !== undefined) return { apiKey: slotKey };
  return new URL(baseUrl).origin === new URL(benchUrl).origin ? {} : { apiKey: "none" };
}

function refusedFlag(flag: string, reason: string): LaconicError {
  return configError(`--${flag}: ${reason}`, { flag });
}

function planLines(
  jobs: readonly BenchJob[],
  settings: BenchSettings,
  { price, maxUsd, judge }: Pick<BenchConfig, "price" | "maxUsd" | "judge">,
): string[] {
  const plan = estimate(jobs, settings);
  const { questions, samples, calls, calibrationCalls, promptTokens, likelyPromptTokens, completionTokens } = plan;
  const learning = calibrationCalls > 0 ? ` (${formatCount(calibrationCalls)} for calibration)` : "";
  const dollars = price && dollarsOf(plan, price);
  const cost = dollars ? `, at most ${dollars.most}` : "";
  const likely = `four bytes per token: ${formatCount(likelyPromptTokens)}${dollars ? `, ${dollars.likely}` : ""}`;
  const cap = maxUsd === null ? "" : `; stops at $${maxUsd}`;
  const judged = jobs.filter(({ problem }) => problem.grading.kind === "text").length;
  const ceilings = new Map<number, Set<string>>();
  for (const { method, protocol } of jobs) {
    const ceiling = method.replyTokens ?? settings.maxTokens ?? replyCeiling(protocol);
    ceilings.set(ceiling, (ceilings.get(ceiling) ?? new Set()).add(method.name));
  }
  return [
    `${formatCount(questions)} questions, ${formatCount(samples)} samples, at most ${formatCount(calls)} calls${learning}, ${formatCount(promptTokens)} prompt and ${formatCount(completionTokens)} completion tokens${cost} (prompts at ${likely})${cap}`,
    `max tokens per reply: ${[...ceilings].map(([ceiling, names]) => `${ceiling} (${[...names].join(", ")})`).join("; ")}`,
    ...(judge ? [`plus at most ${2 * judged} requests to the judge ${judge.model}: in the cap, not in tables`] : []),
  ];
}

/** Lines per method and benchmark. */
export function gridLines(cells: readonly CellEstimate[], price: BenchConfig["price"]): string[] {
  const rows = cells.map((cell) => [
    cell.benchmark,
    cell.method,
    formatCount(cell.samples),
    formatCount(cell.calls),
    ...(price ? Object.values(dollarsOf(cell, price)) : []),
    cell.published === null ? (cell.differs.length === 0 ? "-" : "no") : "yes",
  ]);
  const dollars = price ? ["at most", "likely prompts"] : [];
  const heads = ["benchmark", "method", "samples", "calls", ...dollars, "as published"];
  const grid = columnsOf([heads, ...rows]);
  const lines = departureLines(cells.map((cell) => ({ ...cell, row: cell.method })));
  return lines.length > 0 ? [...grid, "Not as published:", ...lines] : grid;
}

/** Departures, each once with its rows; benchmarks are named unless all of a row depart. */
export function departureLines(
  cells: readonly { readonly row: string; readonly benchmark: string; readonly differs: readonly string[] }[],
): string[] {
  const all = cells.flatMap(({ row, benchmark, differs }) => differs.map((reason) => ({ row, benchmark, reason })));
  return grouped(all, ({ reason }) => reason).map((same) => {
    const rows = grouped(same, ({ row }) => row).map((members) => {
      const [{ row }] = members;
      if (members.length === cells.filter((cell) => cell.row === row).length) return row;
      return `${row} (${[...new Set(members.map(({ benchmark }) => benchmark))].join(", ")})`;
    });
    return `  ${same[0].reason} ${rows.join(", ")}`;
  });
}

function dollarsOf(
  { promptTokens, likelyPromptTokens, completionTokens }: BenchEstimate,
  price: TokenPrice,
): { readonly most: string; readonly likely: string } {
  return {
    most: formatUsd(tokenCost(maxPrice(price), { promptTokens, completionTokens })),
    likely: formatUsd(tokenCost(price, { promptTokens: likelyPromptTokens, completionTokens })),
  };
}
