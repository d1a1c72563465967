import { LaconicError, questionKey, randomFromSeed } from "@laconic/core";
import type { AnswerKind } from "@laconic/grading";
import type { BenchmarkProblem } from "../data/benchmark.ts";
import type { RowRefusal } from "../data/data-row.ts";
import { answerKindOf, checked, dataSettingsSchema, type DataSettings } from "./data-settings.ts";
import type { SourceOptions } from "./data-source.ts";
import { openPlaced, placeOf, type OpenedProblems, type PlacedProblem } from "./open-problems.ts";

/** Problems to learn on and others to measure with: no question is among both. */
export interface OpenedData {
  readonly train: readonly BenchmarkProblem[];
  readonly testProblems: readonly BenchmarkProblem[];
  /** What `answerForm` and `answerReading` take. */
  readonly answer: AnswerKind;
  /** Rows that were left out; none in strict mode. */
  readonly refused: readonly RowRefusal[];
  readonly files: OpenedProblems["files"];
  /** The settings, with the commits of data sets: they give the same problems again. */
  readonly settings: DataSettings;
}

/**
 * One's own training and test problems. Where a share is split off, rows that ask the same (`questionKey`) stay on one
 * side, and which side follows from question and seed, whatever the order of the rows.
 * @throws LaconicError `data_invalid` with `file` and `row`, also for a training row that asks what a test one does (lenient
 * mode leaves it out); `config_invalid` naming the setting; what downloads throw
 */
export async function openData(given: DataSettings, options: SourceOptions = {}): Promise<OpenedData> {
  const settings = checked(dataSettingsSchema, given, "data");
  const { train: source, testProblems, ...rows } = settings;
  if (typeof testProblems === "object" && "share" in testProblems) {
    const all = await openPlaced(source, { ...rows, ...options });
    const parts = splitOff(all.problems, testProblems.share, testProblems.seed ?? 0);
    return opened(parts.train, parts.testProblems, all.refused, all.files, { ...settings, train: all.source });
  }
  const test = await openPlaced(testProblems, { ...rows, ...options, name: "test" });
  const own = await openPlaced(source, { ...rows, ...options, name: "train" });
  const leaks = leaksInto(test.problems, own.problems);
  const [leak] = leaks;
  if (leak && settings.mode !== "lenient")
    throw new LaconicError(
      "data_invalid",
      `${placeOf(leak)}: ${leak.reason}${leaks.length > 1 ? ` (and ${leaks.length - 1} more rows)` : ""}: what is learned on measures nothing; mode lenient leaves such rows out of training`,
      { file: leak.file, row: leak.row, refused: leaks.length },
    );
  const left = new Set(leaks.map(({ problem }) => problem));
  const train = own.problems.filter(({ problem }) => !left.has(problem));
  if (train.length === 0) throw new LaconicError("data_invalid", "every training row asks what a test row asks");
  const refused = [...own.refused, ...test.refused, ...leaks.map(({ file, row, reason }) => ({ file, row, reason }))];
  const pinned = { ...settings, train: own.source, testProblems: test.source };
  return opened(train, test.problems, refused, [...own.files, ...test.files], pinned);
}

function opened(
  train: readonly PlacedProblem[],
  testProblems: readonly PlacedProblem[],
  refused: readonly RowRefusal[],
  files: OpenedProblems["files"],
  settings: DataSettings,
): OpenedData {
  const plain = (placed: readonly PlacedProblem[]): BenchmarkProblem[] => placed.map(({ problem }) => problem);
  const answer = answerKindOf(settings.grading, plain([...train, ...testProblems]));
  return { train: plain(train), testProblems: plain(testProblems), answer, refused, files, settings };
}

/** Training rows whose id or question is a test one's. */
function leaksInto(
  testProblems: readonly PlacedProblem[],
  train: readonly PlacedProblem[],
): (PlacedProblem & { readonly reason: string })[] {
  const ids = new Map(testProblems.map((placed) => [placed.problem.id, placed]));
  const questions = new Map(testProblems.map((placed) => [questionKey(placed.problem), placed]));
  return train.flatMap((placed) => {
    const { problem } = placed;
    const [same, twin] = [ids.get(problem.id), questions.get(questionKey(problem))];
    if (twin) return [{ ...placed, reason: `asks what ${placeOf(twin)} asks, which is kept for the test` }];
    return same
      ? [{ ...placed, reason: `the id ${problem.id} is that of ${placeOf(same)}, which is kept for the test` }]
      : [];
  });
}

/** Questions in an order that each question's own draw decides; the first ones are kept for the test. */
function splitOff(
  problems: readonly PlacedProblem[],
  share: number,
  seed: string | number,
): { readonly train: PlacedProblem[]; readonly testProblems: PlacedProblem[] } {
  const random = randomFromSeed(`held-out:${seed}`);
  const rows = new Map<string, number>();
  for (const { problem } of problems) {
    const key = questionKey(problem);
    rows.set(key, (rows.get(key) ?? 0) + 1);
  }
  const order = [...rows]
    .map(([key, count]) => ({ key, count, draw: random.split(key).uniform() }))
    .toSorted((a, b) => a.draw - b.draw || (a.key < b.key ? -1 : 1));
  const wanted = Math.round(share * problems.length);
  const held = new Set<string>();
  let count = 0;
  for (const { key, count: of } of order) {
    if (count >= wanted) break;
    held.add(key);
    count += of;
  }
  const isForEvaluation = ({ problem }: PlacedProblem): boolean => held.has(questionKey(problem));
  const [testProblems, train] = [
    problems.filter(isForEvaluation),
    problems.filter((placed) => !isForEvaluation(placed)),
  ];
  if (testProblems.length === 0 || train.length === 0)
    throw new LaconicError(
      "data_invalid",
      `a share of ${share} of ${problems.length} rows, ${rows.size} different questions, leaves nothing to ${testProblems.length === 0 ? "measure with" : "learn on"}`,
      { rows: problems.length, questions: rows.size, share },
    );
  return { train, testProblems };
}
