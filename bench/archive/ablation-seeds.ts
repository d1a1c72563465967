// An ablation or a sweep over its seeds, from the rows that `laconic ablate` and `laconic sweep` keep: mean and 95 % interval of every variant
// (Student's t over seeds), and of its difference from the first, seed by seed.
//   npx tsx bench/archive/ablation-seeds.ts docs/results/story-ablation.json
import { readFileSync } from "node:fs";
import { meanOf, studentInterval } from "@laconic/core";

interface Row {
  readonly variant: string;
  readonly about: string;
  readonly seed: number;
  readonly after: Side;
}
interface Side {
  readonly accuracy: number;
  readonly tokens: number;
}

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("name the rows: ablation.json of an ablation, or sweep.json of a sweep");
const rows = JSON.parse(readFileSync(file, "utf8")) as Row[];
const names = [...new Set(rows.map(({ variant }) => variant))];
const of = (name: string): Row[] => rows.filter(({ variant }) => variant === name).toSorted((a, b) => a.seed - b.seed);
const first = of(names[0] as string);

const line = (cells: readonly string[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`);
const columns = ["variant", "accuracy, %", "tokens", "accuracy against the first, points", "tokens against the first"];
line(columns);
line(columns.map(() => "---"));
for (const name of names) {
  const own = of(name);
  const differences = (side: keyof Side, scale: number): string => {
    if (name === names[0]) return "";
    const pairs = own.flatMap(({ seed, after }) => {
      const base = first.find((each) => each.seed === seed);
      return base ? [scale * (after[side] - base.after[side])] : [];
    });
    return said(pairs);
  };
  line([
    `${name} (${own[0]?.about ?? ""})`,
    said(own.map(({ after }) => 100 * after.accuracy)),
    said(own.map(({ after }) => after.tokens)),
    differences("accuracy", 100),
    differences("tokens", 1),
  ]);
}

/** Every seed, and the mean with half of its interval. */
function said(values: readonly number[]): string {
  const each = values.map((value) => value.toFixed(1)).join(", ");
  const mean = meanOf(values);
  const [low] = studentInterval(values) ?? [];
  return mean === null || low === undefined ? each : `${each}: ${mean.toFixed(1)} ± ${(mean - low).toFixed(1)}`;
}
