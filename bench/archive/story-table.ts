// What runs of the story worlds showed, from their folders: a JSON line for each, or a table with known and unseen names side by side.
//   npx tsx bench/archive/story-table.ts [--markdown] runs/tellers-1 runs/tellers-2 ...
// Of a run that gave lessons, the team before them has a row of its own. Folders that differ by the number at their end are seeds of one
// variant: their mean stands with a 95 % interval over seeds (Student's t), a single one's with Wilson's over problems. Budgets have their
// rank correlation with spent tokens.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { meanOf, studentInterval } from "@laconic/core";
import { wilson } from "@laconic/evaluation";

interface Measured {
  readonly problems: number;
  readonly accuracy: number;
  readonly tokens: number;
  readonly measures?: Readonly<Record<string, number>>;
  readonly language?: Readonly<Record<string, { readonly perplexity: number }>>;
}
interface Evaluation extends Measured {
  readonly step: number;
  readonly groups?: Readonly<Record<string, Measured>>;
}
type Facts = Readonly<Record<string, number>>;

const { values, positionals } = parseArgs({
  options: { markdown: { type: "boolean", default: false } },
  allowPositionals: true,
});
const variants = new Map<string, string[]>();
for (const run of positionals) {
  const name = basename(run).replace(/-\d+$/u, "");
  variants.set(name, [...(variants.get(name) ?? []), run]);
}

if (values.markdown) {
  const rows = [...variants].flatMap(([name, runs]) => [
    ...(runs.every((run) => beforeWarmStart(run) !== null) ? [rowOf(name, runs, "lessons")] : []),
    rowOf(name, runs, 0),
    rowOf(name, runs, -1),
  ]);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const table = rows.map((row) => line(columns.map((column) => row[column] ?? "")));
  process.stdout.write([line(columns), line(columns.map(() => "---")), ...table].join(""));
} else
  for (const run of positionals)
    process.stdout.write(
      `${JSON.stringify({ run: basename(run), evaluations: evaluationsOf(run).map((each) => factsOf(each)) })}\n`,
    );

function rowOf(name: string, runs: readonly string[], index: number | "lessons"): Record<string, string> {
  const all = runs.map((run) => {
    const evaluation = index === "lessons" ? beforeWarmStart(run) : evaluationsOf(run).at(index);
    if (!evaluation) throw new Error(`${run} has no evaluation`);
    return { evaluation, facts: factsOf(evaluation) };
  });
  const cells = Object.keys(all[0]?.facts ?? {}).filter((key) => key !== "step");
  const steps = [...new Set(all.map(({ evaluation }) => evaluation.step))];
  return {
    run: name,
    step: index === "lessons" ? "before lessons" : steps.join(", "),
    ...Object.fromEntries(
      cells.map((key) => [
        key,
        cellOf(
          key,
          all.map(({ facts }) => facts[key] ?? Number.NaN),
          all[0]?.evaluation,
        ),
      ]),
    ),
  };
}

/** Every seed, and behind them the interval. */
function cellOf(key: string, each: readonly number[], evaluation: Evaluation | undefined): string {
  const isShare = !/tokens|perplexity|rank/u.test(key);
  const say = (value: number): string =>
    isShare ? (100 * value).toFixed(0) : value.toFixed(key.endsWith("rank") ? 2 : 1);
  const listed = each.map(say).join(", ");
  const problems = evaluation?.groups?.[key.split(" ")[0] ?? ""]?.problems;
  const [mean, [low] = []] = [meanOf(each), studentInterval(each) ?? []];
  if (mean !== null && low !== undefined) return `${listed}: ${say(mean)} ± ${say(mean - low)}`;
  if (!isShare || problems === undefined || !key.endsWith("right")) return listed;
  const interval = wilson(Math.round((each[0] ?? 0) * problems), problems);
  return interval === null ? listed : `${listed} [${say(interval.low)}, ${say(interval.high)}]`;
}

function factsOf({ step, groups, ...all }: Evaluation): Facts {
  const named = Object.entries(groups ?? { all });
  const of = (label: string, read: (measured: Measured) => number | undefined): Facts =>
    Object.fromEntries(
      named.flatMap(([group, measured]) => {
        const value = read(measured);
        return value === undefined ? [] : [[`${group} ${label}`, value]];
      }),
    );
  const silence = (who: string): Facts => {
    const share = all.measures?.[`${who}_silent`];
    return share === undefined ? {} : { [`${who} silent`]: share };
  };
  return {
    step,
    ...of("right", ({ accuracy }) => accuracy),
    ...of("tokens", ({ tokens }) => tokens),
    ...silence("idle"),
    ...silence("holder"),
    ...Object.fromEntries(
      Object.entries(all.language ?? {}).map(([agent, { perplexity }]) => [`perplexity ${agent}`, perplexity]),
    ),
    ...of("rank", ({ measures }) => measures?.["rank_correlation"]),
  };
}

/** The team before the warm start of a run, whose file had another name once. */
function beforeWarmStart(run: string): Evaluation | null {
  const path = ["warm-start.json", "lessons.json"].map((name) => join(run, name)).find((each) => existsSync(each));
  return path ? (JSON.parse(readFileSync(path, "utf8")) as { readonly before: Evaluation }).before : null;
}

function evaluationsOf(run: string): Evaluation[] {
  return linesOf<Evaluation>(join(run, "evaluations.jsonl"));
}

function linesOf<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
