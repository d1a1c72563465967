import { join } from "node:path";
import type { Lived } from "./actor.ts";
import { mebibytes, quantile, rowsIn, type Sample } from "./watched.ts";

/** What a role did, and what it cost. */
export interface RoleReport extends Omit<Lived, "stops"> {
  /** Mebibytes an hour, within lives of ten minutes and more; null where there was none. */
  readonly memorySlope: number | null;
  readonly memoryMiB: number;
  readonly handles: number;
  /** Milliseconds, without the times when it was stopped. */
  readonly eventLoopP99: number;
  readonly eventLoopMax: number;
}

export function reportOf({ stops, ...lived }: Lived, folder: string): RoleReport {
  const all = rowsIn<Sample>(join(folder, `${lived.name}.jsonl`));
  const samples = all.filter(({ at }) => !stops.some(([from, to]) => at >= from && at <= to));
  const most = (of: (sample: Sample) => number): number => Math.max(0, ...samples.map(of));
  return {
    ...lived,
    memorySlope: slopeOf(samples),
    memoryMiB: mebibytes(most(({ rss }) => rss)),
    handles: most(({ handles }) => handles),
    eventLoopP99: Math.round(
      quantile(
        samples.map(({ p99Ms }) => p99Ms),
        0.99,
      ),
    ),
    eventLoopMax: Math.round(most(({ maxMs }) => maxMs)),
  };
}

/** Least squares with one slope and a level for each life: mebibytes of resident memory an hour, its first five minutes left out. */
function slopeOf(samples: readonly Sample[]): number | null {
  let [products, squares] = [0, 0];
  for (const pid of new Set(samples.map((sample) => sample.pid))) {
    const life = samples.filter((sample) => sample.pid === pid);
    const settled = life.filter(({ at }) => at > (life[0] as Sample).at + 300_000);
    if (settled.length < 300) continue;
    const mean = (of: (sample: Sample) => number): number =>
      settled.reduce((sum, sample) => sum + of(sample), 0) / settled.length;
    const [hours, memory] = [mean(({ at }) => at / 3.6e6), mean(({ rss }) => rss / 2 ** 20)];
    for (const { at, rss } of settled) {
      products += (at / 3.6e6 - hours) * (rss / 2 ** 20 - memory);
      squares += (at / 3.6e6 - hours) ** 2;
    }
  }
  return squares === 0 ? null : Math.round((10 * products) / squares) / 10;
}

/** The report as a short page. */
export function pageOf(
  facts: Readonly<Record<string, string>>,
  roles: readonly RoleReport[],
  wrong: readonly string[],
): string {
  const cells = (role: RoleReport): string[] => [
    role.name,
    String(role.starts),
    Object.entries(role.signals)
      .map(([name, count]) => `${count} ${name}`)
      .join(", "),
    String(role.memoryMiB),
    role.memorySlope === null ? "" : String(role.memorySlope),
    String(role.handles),
    `${role.eventLoopP99}, ${role.eventLoopMax}`,
    String(Math.round(10 * quantile(role.secondsToEnd, 1)) / 10),
  ];
  const head = [
    "process",
    "starts",
    "signals",
    "memory, MiB",
    "slope, MiB/h",
    "handles",
    "event loop p99, max, ms",
    "to end, s",
  ];
  const row = (words: readonly string[]): string => `| ${words.join(" | ")} |`;
  return [
    "# Soak",
    "",
    ...Object.entries(facts).map(([name, value]) => `- ${name}: ${value}`),
    "",
    row(head),
    row(head.map(() => "---")),
    ...roles.map((role) => row(cells(role))),
    "",
    wrong.length === 0 ? "Nothing was wrong." : "What was wrong:",
    ...wrong.map((line) => `- ${line.replaceAll("\n", " ")}`),
    "",
  ].join("\n");
}
