import {
  type Benchmark,
  type BenchmarkProblem,
  type LoadedSplit,
  openSplit,
  type OpenOptions,
} from "@laconic/benchmarks";
import { LaconicError } from "@laconic/core";

/** First and last day, YYYY-MM-DD, both in the window; null leaves a side open. */
export interface DateWindow {
  readonly from: string | null;
  readonly to: string | null;
}

/** Whether either side is set. */
export function isWindow({ from, to }: DateWindow): boolean {
  return from !== null || to !== null;
}

/** `2025-01-01..2025-03-31`; an open side is empty. */
export function windowName({ from, to }: DateWindow): string {
  return `${from ?? ""}..${to ?? ""}`;
}

/**
 * A dated benchmark's questions of a window, out of all its releases: the default one is fetched if need be, others count where they are here,
 * and are named where they are not.
 * @returns the releases that were read, newest first, and the questions by date
 * @throws LaconicError `config_invalid` for a window that holds nothing, naming the dates that there are; what `openSplit` throws
 */
export async function openWindow(
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
