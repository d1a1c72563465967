import {
  baselineNamed,
  familyOf,
  protocolFor,
  scriptNameOf,
  type Baseline,
  type Exemplar,
  type Script,
} from "@laconic/baselines";
import {
  benchmarkNamed,
  contamination,
  openSplit,
  questionText,
  seededSubset,
  type Benchmark,
  type BenchmarkProblem,
  type LoadedSplit,
  type OpenOptions,
} from "@laconic/benchmarks";
import { answerLine } from "@laconic/grading";
import { installedTexts } from "@laconic/benchmarks/exemplars";
import { configError, LaconicError } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import type { HubEnvironment } from "@laconic/hub";
import type { BenchSet } from "../bench-job.ts";
import { openBenchData } from "./bench-data.ts";
import {
  isWindow,
  windowName,
  type BenchConfig,
  type DateWindow,
  methodSpec,
  setOfBoard,
  type Board,
} from "./bench-config.ts";

export interface BenchSources {
  readonly ownMethods: readonly Baseline[];
  readonly ownBoards: readonly Board[];
  readonly open: (benchmark: string) => OpenOptions;
  readonly hub: HubEnvironment;
  /** Splits by benchmark. Default: the benchmark's. */
  readonly splits?: ReadonlyMap<string, string>;
  readonly note: (text: string) => void;
}

export async function benchSets(config: BenchConfig, sources: BenchSources): Promise<BenchSet[]> {
  const { benchmarks, data, methods, limit, seed, shots } = config;
  const { ownMethods, ownBoards, hub, note } = sources;
  const published = methods.map(methodSpec).filter(({ run }) => run === null);
  const all = [...published.map(({ name }) => baselineNamed(name)), ...ownMethods];
  const sets: BenchSet[] = [];
  for (const name of benchmarks) sets.push(await benchmarkSet(benchmarkNamed(name), all, config, sources));
  if (data) {
    if ((shots ?? 0) > 0) note(`${data.name}: no training split; its methods run without examples`);
    sets.push(await openBenchData(data, hub, { limit, seed }));
  }
  return [...sets, ...ownBoards.map((board) => setOfBoard(board, { limit, seed }))];
}

async function benchmarkSet(
  benchmark: Benchmark,
  methods: readonly Baseline[],
  config: BenchConfig,
  { open, note, splits }: BenchSources,
): Promise<BenchSet> {
  const { name, topic, examplesFrom, answer } = benchmark;
  const { limit, seed, shots } = config;
  const split = splits?.get(name);
  const loaded = await openQuestions(benchmark, { ...open(name), ...(split !== undefined && { split }) }, config, note);
  const { length } = loaded.problems;
  if (limit !== null && limit > length)
    throw configError(`limit is ${limit}, but ${name} has ${length} questions`, { key: "limit", benchmark: name });
  const problems = limit === null ? loaded.problems : seededSubset(loaded.problems, { limit, seed });
  const withoutTest = (pool: readonly BenchmarkProblem[]): readonly BenchmarkProblem[] =>
    withoutTestQuestions(pool, problems, name, note);
  const shows = methods.some(({ protocols }) => {
    const byProtocol = protocols
      ? protocolFor(protocols, { benchmark: name, family: familyOf(answer.kind) }).shots.count
      : 0;
    return (shots ?? byProtocol) > 0;
  });
  const lender = examplesFrom === undefined ? benchmark : benchmarkNamed(examplesFrom);
  const pool = shows ? await poolOf(lender, poolSplit(lender), open) : [];
  if (shows && pool.length === 0) note(`${name}: ${withoutExamples(lender)}`);
  const exemplars = exemplarsOf(withoutTest(pool), seed, topic);
  const learns = methods.some(({ calibrate }) => calibrate !== undefined);
  const from = calibrationSplit(benchmark);
  const learnedOn = withoutTest(learns && from ? await poolOf(benchmarkNamed(from.benchmark), from.split, open) : []);
  if (learns && learnedOn.length === 0)
    note(
      from
        ? `${name}: training data of methods, ${from.benchmark} ${from.split}, not found: laconic data get ${from.benchmark} --split ${from.split}`
        : `${name}: no questions outside the test to learn from`,
    );
  return {
    benchmark: name,
    split: loaded.split,
    problems,
    exemplars,
    scripts: shots === null ? await scriptsOf(methods, benchmark, open(name).folder, note) : {},
    calibration: atMost(learnedOn, calibrationQuestions, `calibration/${seed}`),
    ...(topic !== undefined && { topic }),
  };
}

async function openQuestions(
  benchmark: Benchmark,
  open: OpenOptions,
  window: DateWindow,
  note: (text: string) => void,
): Promise<Pick<BenchSet, "split" | "problems">> {
  const isDated = isWindow(window) && benchmark.date !== undefined;
  const { releases, problems } = isDated
    ? await openWindow(benchmark, open, window, note)
    : await openSplit(benchmark, open).then((loaded) => ({ releases: [loaded], problems: loaded.problems }));
  for (const { warnings } of releases) for (const warning of warnings) note(`${benchmark.name}: ${warning}`);
  // Names contain the hash of unknown custom files.
  const names = releases.map(({ split, files }) =>
    [split, ...files.flatMap(({ placed, sha256 }) => (placed ? [sha256.slice(0, 12)] : []))].join("-"),
  );
  return { split: isDated ? `${names.join("+")} ${windowName(window)}` : names.join("+"), problems };
}

async function scriptsOf(
  methods: readonly Baseline[],
  { name: benchmark, answer }: Benchmark,
  folder: string,
  note: (text: string) => void,
): Promise<Record<string, Script>> {
  const names = new Set(
    methods.flatMap(({ protocols }) => {
      const protocol = protocols && protocolFor(protocols, { benchmark, family: familyOf(answer.kind) });
      return (protocol && scriptNameOf(protocol, benchmark)) ?? [];
    }),
  );
  const scripts: Record<string, Script> = {};
  const missing: string[] = [];
  for (const name of names) {
    const script = await installedTexts(name, folder).catch((error: unknown) => {
      if (LaconicError.is(error) && error.detail["sha256"] !== undefined) throw error;
      return null;
    });
    if (script === null) missing.push(name);
    else scripts[name] = script;
  }
  if (missing.length > 0)
    note(
      `${benchmark}: ${missing.join(", ")} not found: our prompts and examples are used, and no published figure is shown (laconic data get --exemplars)`,
    );
  return scripts;
}

function poolSplit(benchmark: Benchmark): string | undefined {
  return Object.entries(benchmark.splits).find(([, split]) => split.pool)?.[0];
}

/** Empty if missing. */
async function poolOf(
  benchmark: Benchmark,
  split: string | undefined,
  open: BenchSources["open"],
): Promise<readonly BenchmarkProblem[]> {
  if (split === undefined) return [];
  const options = { ...open(benchmark.name), split, offline: true };
  return openSplit(benchmark, options).then(
    ({ problems }) => problems,
    () => [],
  );
}

function calibrationSplit(benchmark: Benchmark): Benchmark["calibrateFrom"] {
  const { name, examplesFrom, calibrateFrom } = benchmark;
  if (calibrateFrom) return calibrateFrom;
  const split = poolSplit(benchmark);
  if (split !== undefined) return { benchmark: name, split };
  return examplesFrom === undefined ? undefined : calibrationSplit(benchmarkNamed(examplesFrom));
}

function withoutTestQuestions(
  pool: readonly BenchmarkProblem[],
  asked: readonly BenchmarkProblem[],
  name: string,
  note: (text: string) => void,
): readonly BenchmarkProblem[] {
  const equal = new Set(
    contamination(pool, asked)
      .filter(({ kind }) => kind === "equal")
      .map((overlap) => overlap.pool),
  );
  if (equal.size === 0) return pool;
  note(`${name}: skipped ${equal.size} training examples that are test questions, such as ${[...equal][0]}`);
  return pool.filter(({ id }) => !equal.has(id));
}

function withoutExamples(benchmark: Benchmark): string {
  const split = poolSplit(benchmark);
  return split === undefined
    ? "no training split; its methods run without examples"
    : `split ${split} not found; its methods run without examples (laconic data get ${benchmark.name} --split ${split})`;
}

/** Worked examples in seeded order, topics in file order. Programs are excluded: their golds are tests. */
function exemplarsOf(pool: readonly BenchmarkProblem[], seed: string, topic?: string): Exemplar[] {
  const answered = pool.filter(({ grading: { kind } }) => familyOf(kind) !== "code" && kind !== "writing");
  const shuffled = atMost(answered, answered.length, seed);
  const topicOf = ({ metadata }: BenchmarkProblem) => String(metadata?.[topic ?? ""]);
  // Keeps each topic's positions in the shuffle, in file order.
  const waiting = new Map<string, BenchmarkProblem[]>(
    grouped(answered, topicOf).map((same) => [topicOf(same[0]), same]),
  );
  const ordered =
    topic === undefined ? shuffled : shuffled.flatMap((problem) => waiting.get(topicOf(problem))?.shift() ?? []);
  return ordered.map((problem) => ({
    question: questionText(problem),
    // Removes GSM8K's calculator annotations.
    solution: (problem.solution ?? "").replaceAll(/<<[^<>]*>>/gu, ""),
    answer: problem.gold,
    answerLine: answerLine(problem.grading, problem.gold),
    ...(topic !== undefined && { topic: topicOf(problem) }),
  }));
}

function atMost(problems: readonly BenchmarkProblem[], count: number, seed: string): BenchmarkProblem[] {
  const limit = Math.min(count, problems.length);
  return limit === 0 ? [] : seededSubset(problems, { limit, seed });
}

/** Q' of AgentPrune's paper. */
const calibrationQuestions = 10;

/**
 * Questions of a date window from all releases; only the default one is downloaded.
 * @returns releases, newest first, and questions by date
 * @throws LaconicError `config_invalid` for an empty window, and errors of `openSplit`
 */
async function openWindow(
  benchmark: Benchmark,
  open: OpenOptions,
  window: DateWindow,
  note: (text: string) => void,
): Promise<{ readonly releases: readonly LoadedSplit[]; readonly problems: readonly BenchmarkProblem[] }> {
  const { name, splits, defaultSplit } = benchmark;
  const releases: LoadedSplit[] = [];
  for (const [split, { pool }] of Object.entries(splits)) {
    if (pool) continue;
    const isDefault = split === defaultSplit;
    const options = { ...open, split, ...(!isDefault && { offline: true }) };
    const loaded = await openSplit(benchmark, options).catch((error: unknown) => {
      if (isDefault) throw error;
      const reason = LaconicError.is(error) ? error.message : String(error);
      note(`${name}: ${split} is not in the window (laconic data get ${name} --split ${split}): ${reason}`);
      return null;
    });
    if (loaded) releases.push(loaded);
  }
  const byId = new Map(releases.flatMap(({ problems }) => problems.map((problem) => [problem.id, problem])));
  const dated = [...byId.values()]
    .map((problem) => ({ problem, date: String(problem.metadata?.[benchmark.date ?? ""]) }))
    .toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  const { from, to } = window;
  const problems = dated.flatMap(({ problem, date }) =>
    (from === null || date >= from) && (to === null || date <= to) ? [problem] : [],
  );
  if (problems.length > 0) return { releases, problems };
  const here = releases.map(({ split }) => split).join(", ");
  throw configError(
    `--from and --to: no question of ${name} is in ${windowName(window)}; the local files (${here}) cover ${dated[0]?.date} to ${dated.at(-1)?.date}`,
    { key: from === null ? "to" : "from", benchmark: name },
  );
}
