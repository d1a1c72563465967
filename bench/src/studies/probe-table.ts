// Probes of runs (laconic probe RUN) as lines, and as a table for each world's page: means over runs, with the least and the most.
//   npx tsx bench/src/studies/probe-table.ts --out docs/results/probes.jsonl quickstart=runs/seeds/runs/base-0 tellers=runs/tellers-1 ...
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { runFiles } from "@laconic/core/run-folder";
import { probeRecordSchema } from "@laconic/trainer/reading";
import { readOptions } from "../options.ts";

interface Line {
  readonly world: string;
  readonly run: string;
  readonly family: string;
  readonly change: string;
  readonly problems: number;
  /** Shares from 0 to 1. */
  readonly base: number;
  readonly accuracy: number;
  readonly fall: number;
  readonly low: number;
  readonly high: number;
  readonly unheard?: number;
}

const { values: flags, positionals } = readOptions({
  options: { out: { type: "string", default: "docs/results/probes.jsonl" } },
  allowPositionals: true,
});
const lines = positionals.flatMap((text) => {
  const [world = "", path = ""] = text.split("=");
  const file = statSync(path).isDirectory() ? join(path, runFiles.probe) : path;
  const record = probeRecordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return record.families.map(({ family, change, problems, base, probed, fall, unheard }): Line => ({
    world,
    run: basename(path, ".json"),
    family,
    change,
    problems,
    base: base.accuracy,
    accuracy: probed.accuracy,
    fall: fall.value,
    low: fall.low ?? Number.NaN,
    high: fall.high ?? Number.NaN,
    ...(unheard !== undefined && { unheard }),
  }));
});
writeFileSync(flags.out, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const points = (value: number): string => `${Math.round(100 * value)}`;
/** The mean of the runs, and from the least to the most; of one run the fall's interval. */
function shown(of: readonly Line[], key: "base" | "accuracy" | "fall"): string {
  const values = of.map((line) => line[key]);
  const mean = points(values.reduce((sum, value) => sum + value, 0) / values.length);
  const [only, ...others] = of;
  const [least, most] =
    only && others.length === 0 && key === "fall" ? [only.low, only.high] : [Math.min(...values), Math.max(...values)];
  return points(least) === points(most) ? mean : `${mean} (${points(least)} to ${points(most)})`;
}

for (const world of new Set(lines.map((line) => line.world))) {
  const own = lines.filter((line) => line.world === world);
  console.log(`\n${world}: ${new Set(own.map(({ run }) => run)).size} runs\n`);
  console.log("| family | what changes | test problems, % | family, % | fall, points |");
  console.log("| --- | --- | --- | --- | --- |");
  for (const family of new Set(own.map((line) => line.family))) {
    const of = own.filter((line) => line.family === family);
    const cells = [family, of[0]?.change, shown(of, "base"), shown(of, "accuracy"), shown(of, "fall")];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
