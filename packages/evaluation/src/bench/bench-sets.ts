import { createHash } from "node:crypto";
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
import { answerLine, type AnswerKind } from "@laconic/grading";
import { exemplarsNamed, openExemplars } from "@laconic/benchmarks/exemplars";
import { LaconicError } from "@laconic/core";
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

/** Where questions come from. */
export interface BenchSources {
  readonly ownMethods: readonly Baseline[];
  readonly ownBoards: readonly Board[];
  readonly open: (benchmark: string) => OpenOptions;
  readonly hub: HubEnvironment;
  readonly note: (text: string) => void;
  /** Nothing will be asked: what is learned on questions that are not here is planned at the size of the test's. */
  readonly plan?: boolean;
}

/** Loads the questions of every benchmark, and worked examples where a training split is at hand. */
export async function benchSets(
  config: BenchConfig,
  { ownMethods, ownBoards, open, hub, note, plan = false }: BenchSources,
): Promise<BenchSet[]> {
  const { benchmarks, data, methods, limit, seed, shots } = config;
  const sets: BenchSet[] = [];
  const published = methods.map((method) => methodSpec(method)).filter(({ run }) => run === null);
  const all = [...published.map(({ name }) => baselineNamed(name)), ...ownMethods];
  const learns = all.some(({ calibrate }) => calibrate !== undefined);
  const shows = (benchmark: string, kind: AnswerKind["kind"]): boolean =>
    all.some(({ protocols }) => {
      const byProtocol = protocols ? protocolFor(protocols, { benchmark, family: familyOf(kind) }).shots.count : 0;
      return (shots ?? byProtocol) > 0;
    });
  for (const name of benchmarks) {
    const benchmark = benchmarkNamed(name);
    const loaded = await openQuestions(benchmark, open(name), config, note);
    const { length } = loaded.problems;
    if (limit !== null && limit > length)
      throw new LaconicError("config_invalid", `limit is ${limit}, and ${name} has ${length} questions here`, {
        key: "limit",
        benchmark: name,
      });
    const problems = limit === null ? loaded.problems : seededSubset(loaded.problems, { limit, seed });
    const showing = shows(name, benchmark.answer.kind);
    const pool = showing ? await poolOf(benchmark, { ...open(name), offline: true }) : [];
    if (showing && pool.length === 0 && benchmark.examplesFrom === undefined)
      note(`${name}: ${withoutExamples(benchmark)}`);
    const lender = showing && benchmark.examplesFrom !== undefined ? benchmarkNamed(benchmark.examplesFrom) : null;
    const lent = lender ? await poolOf(lender, { ...open(lender.name), offline: true }) : [];
    if (lender && lent.length === 0) note(`${name}: ${withoutExamples(lender)}`);
    const withoutTest = (shown: readonly BenchmarkProblem[]): readonly BenchmarkProblem[] =>
      withoutTestQuestions(shown, problems, name, note);
    const exemplars = showing ? exemplarsOf(withoutTest(lender ? lent : pool), seed, benchmark.topic) : [];
    const learnedOn = withoutTest(learns ? await calibrationOf(benchmark, open) : []);
    if (learns && learnedOn.length === 0) note(`${name}: ${withoutCalibration(benchmark)}`);
    const calibration = atMost(
      learnedOn.length === 0 && plan && calibrationSplit(benchmark) ? loaded.problems : learnedOn,
      calibrationQuestions,
      `calibration/${seed}`,
    );
    const scripts = shots === null ? await scriptsOf(all, benchmark, open(name).folder, note) : {};
    sets.push({
      benchmark: name,
      split: loaded.split,
      problems,
      exemplars,
      scripts,
      calibration,
      ...(benchmark.topic !== undefined && { topic: benchmark.topic }),
    });
  }
  if (data) {
    if ((shots ?? 0) > 0) note(`${data.name}: there is no training split, its methods run without examples`);
    sets.push(await openBenchData(data, hub, { limit, seed }));
  }
  return [...sets, ...ownBoards.map((board) => setOfBoard(board, { limit, seed }))];
}

/** All questions of a benchmark's default split, or those of a window of dates, with a name for what they are. */
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
  const split = releases.map((loaded) => splitName(loaded)).join("+");
  return { split: isDated ? `${split} ${windowName(window)}` : split, problems };
}

/** Of files that their user put there, and whose bytes are not known, with these: samples of other bytes are other samples. */
function splitName({ split, files }: LoadedSplit): string {
  const placed = files.flatMap(({ placed: own, sha256 }) => (own ? [sha256.slice(0, 12)] : []));
  return [split, ...placed].join("-");
}

/** Published texts of methods on a benchmark that are in the data folder; the others are named. */
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
    const source = exemplarsNamed(name);
    const opened = await openExemplars(source, { folder, offline: true }).catch((error: unknown) => {
      if (LaconicError.is(error) && error.detail["sha256"] !== undefined) throw error;
      return null;
    });
    if (opened === null) missing.push(name);
    else scripts[name] = { name, examples: source.examples, texts: opened.texts, sha256: textsHash(opened.texts) };
  }
  if (missing.length > 0)
    note(
      `${benchmark}: ${missing.join(", ")} not here: our words and examples are played, and no published figure is shown (laconic data get --exemplars)`,
    );
  return scripts;
}

function textsHash(texts: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex");
}

function poolSplit(benchmark: Benchmark): string | undefined {
  return Object.entries(benchmark.splits).find(([, split]) => split.pool)?.[0];
}

/** The split that examples and calibration questions come from; empty where the benchmark has none, or it is not here. */
async function poolOf(benchmark: Benchmark, open: OpenOptions): Promise<readonly BenchmarkProblem[]> {
  const split = poolSplit(benchmark);
  if (split === undefined) return [];
  try {
    return (await openSplit(benchmark, { ...open, split })).problems;
  } catch {
    return []; // the bench says what is missing when it comes to a method that needs it
  }
}

/** The split that methods learn on; undefined for a benchmark without one. */
function calibrationSplit({ name, splits, examplesFrom, calibrateFrom }: Benchmark): Benchmark["calibrateFrom"] {
  if (calibrateFrom) return calibrateFrom;
  const own = Object.entries(splits).find(([, { pool }]) => pool)?.[0];
  if (own !== undefined) return { benchmark: name, split: own };
  return examplesFrom === undefined ? undefined : calibrationSplit(benchmarkNamed(examplesFrom));
}

async function calibrationOf(benchmark: Benchmark, open: BenchSources["open"]): Promise<readonly BenchmarkProblem[]> {
  const from = calibrationSplit(benchmark);
  if (!from) return [];
  const options = { ...open(from.benchmark), split: from.split, offline: true };
  const loaded = await openSplit(benchmarkNamed(from.benchmark), options).catch(() => null);
  return loaded?.problems ?? [];
}

/** Problems to show or learn on, without those that are asked. */
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
  note(`${name}: ${equal.size} training examples are test questions and are left out, such as ${[...equal][0]}`);
  return pool.filter(({ id }) => !equal.has(id));
}

function withoutCalibration(benchmark: Benchmark): string {
  const from = calibrationSplit(benchmark);
  return from
    ? `what methods learn on, ${from.benchmark} ${from.split}, is not here: laconic data get ${from.benchmark} --split ${from.split}`
    : "there are no questions but the test's to learn on";
}

function withoutExamples(benchmark: Benchmark): string {
  const split = poolSplit(benchmark);
  return split === undefined
    ? "there is no training split, its methods run without examples"
    : `the split ${split} is not here, its methods run without examples (laconic data get ${benchmark.name} --split ${split})`;
}

/**
 * Worked examples in an order by seed, those of one topic in that of their file: methods choose from them. Golds of programs are
 * tests, no answers.
 */
function exemplarsOf(pool: readonly BenchmarkProblem[], seed: string, topic?: string): Exemplar[] {
  const answered = pool.filter(({ grading: { kind } }) => familyOf(kind) !== "code" && kind !== "writing");
  const shuffled = atMost(answered, answered.length, seed);
  return (topic === undefined ? shuffled : inFileOrder(answered, shuffled, topic)).map((problem) => ({
    question: questionText(problem),
    solution: solutionOf(problem),
    answer: problem.gold,
    answerLine: answerLine(problem.grading, problem.gold),
    ...(topic !== undefined && { topic: String(problem.metadata?.[topic]) }),
  }));
}

/** A topic's problems take the places that it has in a shuffle, in the order of their file. */
function inFileOrder(
  file: readonly BenchmarkProblem[],
  shuffled: readonly BenchmarkProblem[],
  topic: string,
): BenchmarkProblem[] {
  const waiting = new Map<unknown, BenchmarkProblem[]>();
  const topicOf = ({ metadata }: BenchmarkProblem): unknown => metadata?.[topic];
  for (const each of file) waiting.set(topicOf(each), [...(waiting.get(topicOf(each)) ?? []), each]);
  return shuffled.flatMap((each) => waiting.get(topicOf(each))?.shift() ?? []);
}

function atMost(problems: readonly BenchmarkProblem[], count: number, seed: string): BenchmarkProblem[] {
  const limit = Math.min(count, problems.length);
  return limit === 0 ? [] : seededSubset(problems, { limit, seed });
}

/** Questions that AgentPrune learns on: Q' of its paper. */
const calibrationQuestions = 10;

/** A worked solution without the calculator's marks of GSM8K. */
function solutionOf({ solution = "" }: BenchmarkProblem): string {
  return solution.replaceAll(/<<[^<>]*>>/gu, "");
}

/**
 * A dated benchmark's questions of a window, out of all its releases: the default one is fetched if need be, others count where they are here,
 * and are named where they are not.
 * @returns the releases that were read, newest first, and the questions by date
 * @throws LaconicError `config_invalid` for a window that holds nothing, naming the dates that there are; what `openSplit` throws
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
  throw new LaconicError(
    "config_invalid",
    `--from and --to: no question of ${name} is of ${windowName(window)}; those that are here (${here}) are of ${dated[0]?.date} to ${dated.at(-1)?.date}`,
    { key: from === null ? "to" : "from", benchmark: name },
  );
}
