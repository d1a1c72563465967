import { join } from "node:path";
import { relayQuickstart } from "../packages/tasks/src/presets/index.ts";
import { expect, test } from "vitest";
import { planeFile, type PlaneChart } from "../packages/view/src/charts/plane.ts";
import type { VariantResult } from "../packages/runtime/src/variants/run-variants.ts";
import { readText, root } from "./workspace.ts";
import { variantPlane } from "../packages/view/src/variants/reports.ts";

// `npx vitest run test/docs-pictures.test.ts --update` draws them.
const resultsIn = (path: string): VariantResult[] => {
  const text = readText(path);
  return JSON.parse(path.endsWith("l") ? `[${text.trim().split("\n").join(",")}]` : text) as VariantResult[];
};

const pictures: readonly {
  readonly name: string;
  readonly file: string;
  readonly world?: string;
  readonly title: string;
  readonly budget: number | null;
}[] = [
  {
    name: "quickstart",
    file: "docs/benchmarks/quickstart-seeds.json",
    title: "The quickstart: fewer tokens, accuracy holds",
    budget: (relayQuickstart.train.budget as { readonly targetTokens: number }).targetTokens,
  },
  {
    name: "ablation",
    file: "docs/benchmarks/quickstart-ablations.json",
    title: "Where each variant of the quickstart ended",
    budget: null,
  },
  {
    name: "frontier",
    file: "docs/results/frontier.jsonl",
    title: "The quickstart with budgets from 8 to 30 tokens",
    budget: null,
  },
  {
    name: "small-hint",
    file: "docs/results/small-worlds.jsonl",
    world: "relay-hint",
    title: "A hint for a frozen actor",
    budget: null,
  },
  {
    name: "small-critic",
    file: "docs/results/small-worlds.jsonl",
    world: "relay-critic",
    title: "A critic for a frozen actor",
    budget: null,
  },
];

async function expectPicture(name: string, plane: PlaneChart): Promise<void> {
  const fileOf = (suffix: string): string => join(root, "docs", "public", `${name}${suffix}.svg`);
  await expect(planeFile(plane, "wide")).toMatchFileSnapshot(fileOf(""));
  await expect(planeFile(plane, "narrow")).toMatchFileSnapshot(fileOf("-narrow"));
}

for (const { name, file, world, title, budget } of pictures)
  test(`docs/public/${name}.svg is drawn from ${file}`, async () => {
    const results = resultsIn(file).flatMap((row) => {
      const { bench } = row as { bench?: string };
      return world === undefined ? [row] : bench === world ? [{ ...row, variant: world, about: world }] : [];
    });
    await expectPicture(name, variantPlane(results, title, budget));
  });

interface BaselineRow {
  readonly name: string;
  readonly tokens: number;
  readonly accuracy: number;
}

const baselines = "docs/results/tellers-baselines.jsonl";
const shownBaselines: readonly (readonly [name: string, label: string, color: number])[] = [
  ["fetched", "fetched", 4],
  ["taught", "taught", 2],
  ["taught, idle agents muted by rule", "muted by rule", 5],
  ["trained without price", "without price", 1],
  ["trained", "trained", 3],
];

test(`docs/public/tellers.svg is drawn from ${baselines}`, async () => {
  const rows = readText(baselines)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as BaselineRow);
  const points = shownBaselines.flatMap(([name, label, color]) => {
    const baselineRows = rows.filter((row) => row.name === name);
    const mean = (pick: (row: BaselineRow) => number): number =>
      baselineRows.reduce((sum, row) => sum + pick(row), 0) / baselineRows.length;
    const of = { interval: null, color, name };
    const seeds = baselineRows.map(({ tokens, accuracy }) => ({ ...of, tokens, accuracy, look: "faint" as const }));
    return [...seeds, { ...of, tokens: mean(({ tokens }) => tokens), accuracy: mean((row) => row.accuracy), label }];
  });
  const plane: PlaneChart = {
    title: "Story-tellers on test problems",
    lines: [],
    n: `${Math.max(...shownBaselines.map(([name]) => rows.filter((row) => row.name === name).length))} seeds`,
    points,
    legend: [],
    budget: null,
  };
  await expectPicture("tellers", plane);
});
