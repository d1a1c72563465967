import { dirname, join, relative } from "node:path";
import { relayQuickstart } from "../packages/worlds/src/index.ts";
import { expect, test } from "vitest";
import { loadPlot } from "../packages/report/src/charts/plot-library.ts";
import type { PlaneChart } from "../packages/report/src/charts/plane.ts";
import { planeFile } from "../packages/report/src/charts/plane-chart.ts";
import type { VariantResult } from "../packages/runtime/src/variants/run-variants.ts";
import { variantPlane } from "../packages/report/src/variants/variant-page.ts";
import { readText, repositoryFiles, root } from "./workspace.ts";

// Draw them anew: npx vitest run test/docs-pictures -u
const resultsIn = (path: string): VariantResult[] => {
  const text = readText(path);
  return JSON.parse(path.endsWith("l") ? `[${text.trim().split("\n").join(",")}]` : text) as VariantResult[];
};

const pictures = [
  {
    name: "quickstart",
    file: "docs/benchmarks/quickstart-seeds.json",
    title: "The quickstart: fewer tokens, accuracy holds",
    budget: relayQuickstart.train.budget.targetTokens,
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
    name: "tellers-frontier",
    file: "docs/results/tellers-frontier.jsonl",
    title: "The tellers with budgets from 8 to 34 tokens",
    budget: null,
  },
];

for (const { name, file, title, budget } of pictures)
  test(`docs/public/${name}.svg is drawn from ${file}`, async () => {
    const [plot, plane] = [await loadPlot(), variantPlane(resultsIn(file), title, budget)];
    for (const [size, suffix] of [
      ["wide", ""],
      ["narrow", "-narrow"],
    ] as const)
      await expect(planeFile(plot, plane, size)).toMatchFileSnapshot(
        join(root, "docs", "public", `${name}${suffix}.svg`),
      );
  });

/** A baseline in docs/results/tellers-baselines.jsonl. */
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
    const own = rows.filter((row) => row.name === name);
    const mean = (pick: (row: BaselineRow) => number): number =>
      own.reduce((sum, row) => sum + pick(row), 0) / own.length;
    const of = { interval: null, color, name };
    const seeds = own.map(({ tokens, accuracy }) => ({ ...of, tokens, accuracy, faint: true }));
    return [...seeds, { ...of, tokens: mean(({ tokens }) => tokens), accuracy: mean((row) => row.accuracy), label }];
  });
  const plane: PlaneChart = {
    title: "Story-tellers on test problems",
    caption: "Small points are seeds, large ones their means. Better is up and to the left.",
    level: 2,
    xLabel: "tokens per episode",
    n: `${Math.max(...shownBaselines.map(([name]) => rows.filter((row) => row.name === name).length))} seeds`,
    points,
    legend: [],
    joined: "none",
    logarithmic: false,
    budget: null,
    remark: "",
  };
  for (const [size, suffix] of [
    ["wide", ""],
    ["narrow", "-narrow"],
  ] as const)
    await expect(planeFile(await loadPlot(), plane, size)).toMatchFileSnapshot(
      join(root, "docs", "public", `tellers${suffix}.svg`),
    );
});

const pictureOf = /<picture>(?:(?!<\/picture>)[^])*<\/picture>|!\[[^\]]*\]\([^)]+\)/gu;
const fileOf = /(?:src|srcset)="([^"]+\.(?:png|svg))"|\]\(([^)]+\.(?:png|svg))\)/gu;
const pages = repositoryFiles().filter((path) => path.endsWith(".md"));

test("no picture of a page is a light box in the dark", () => {
  const seen = new Map<string, boolean>();
  for (const page of pages)
    for (const [picture] of readText(page).matchAll(pictureOf))
      for (const [, named = "", linked = named] of picture.matchAll(fileOf)) {
        if (linked.startsWith("http")) continue;
        const path = linked.startsWith("/")
          ? `docs/public${linked}`
          : relative(root, join(root, dirname(page), linked));
        const isDark = path.endsWith(".svg")
          ? /prefers-color-scheme: ?dark/u.test(readText(path))
          : /<source media="\(prefers-color-scheme: dark\)" srcset="[^"]+-dark\.png">/u.test(picture);
        seen.set(path, isDark);
      }
  expect([...seen].filter(([, isDark]) => !isDark)).toEqual([]);
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining(["docs/public/playground-dark.png", "docs/public/tellers.svg"]),
  );
});

test("the README's first picture is of a step in which tokens have a price, and of waste", () => {
  const [, alt = ""] = /<img alt="([^"]*)" src="docs\/public\/playground\.png">/u.exec(readText("README.md")) ?? [];
  const [, price, tokens] = /A token costs ([\d.]+)\s%.* one message is waste: (\d+) tokens/u.exec(alt) ?? [];
  expect(Number(price)).toBeGreaterThan(0);
  expect(Number(tokens)).toBeGreaterThan(1);
});
