import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { planeFile } from "../packages/report/src/charts/plane-chart.ts";
import { loadPlot, type Plot } from "../packages/report/src/charts/plot-library.ts";
import type { VariantResult } from "../packages/runtime/src/variants/run-variants.ts";
import { variantPlane } from "../packages/report/src/variants/variant-page.ts";
import { readText, root } from "./workspace.ts";

// The gallery and its own pictures are drawn anew by `npx vitest run test/gallery -u`; test/docs-pictures draws the others.
interface Picture {
  readonly name: string;
  readonly title: string;
  readonly says: string;
  /** The page that says how it was measured, and the rows that it is drawn from. */
  readonly page: string;
  readonly rows: string;
}

const rowsOf = (path: string): readonly Record<string, unknown>[] =>
  readText(path)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const known: readonly Picture[] = [
  {
    name: "quickstart",
    title: "The quickstart: fewer tokens, accuracy holds",
    says: "Three seeds of a team of four, before and after 200 steps.",
    page: "quickstart-results.md",
    rows: "benchmarks/quickstart-seeds.json",
  },
  {
    name: "frontier",
    title: "What a budget buys",
    says: "Fifteen runs with budgets from 8 to 30 tokens: no loss of accuracy shows down to 12 tokens; a budget of 8 is not reached in 200 steps.",
    page: "results/frontier.md",
    rows: "results/frontier.jsonl",
  },
  {
    name: "ablation",
    title: "What the parts do",
    says: "The quickstart with one part changed at a time: no price, a fixed one, no normalisation, GRPO for GSPO, each at the learning rate that one seed's tuning chose.",
    page: "quickstart-results.md#ablations",
    rows: "benchmarks/quickstart-ablations.json",
  },
];

const smallWorld = (world: string) => (): VariantResult[] =>
  rowsOf("docs/results/small-worlds.jsonl")
    .filter((row) => row["bench"] === world)
    .map((row) => ({ ...row, variant: world, about: world }) as unknown as VariantResult);

const own: readonly (Picture & { readonly results: () => VariantResult[] })[] = [
  {
    name: "small-hint",
    title: "A hint for a frozen actor",
    says: "AgentPO in small: a helper learns to say what an actor that never changes can use; ten seeds of eight seconds.",
    page: "results/small-worlds.md",
    rows: "results/small-worlds.jsonl",
    results: smallWorld("relay-hint"),
  },
  {
    name: "small-critic",
    title: "A critic for a frozen actor",
    says: "The same with a critic that reads the actor's first answer.",
    page: "results/small-worlds.md",
    rows: "results/small-worlds.jsonl",
    results: smallWorld("relay-critic"),
  },
];

describe("pictures of the gallery", () => {
  let plot: Plot;
  beforeAll(async () => {
    plot = await loadPlot();
  });

  test.each(own)("$name.svg is drawn from $rows", async ({ name, title, results }) => {
    const plane = variantPlane(results(), title, null);
    await expect(planeFile(plot, plane, "wide")).toMatchFileSnapshot(join(root, `docs/public/${name}.svg`));
    await expect(planeFile(plot, plane, "narrow")).toMatchFileSnapshot(join(root, `docs/public/${name}-narrow.svg`));
  });
});

test("the gallery shows each picture with its page and its rows", async () => {
  const shown = [...known, ...own].map(({ name, title, says, page, rows }) =>
    [
      `## ${title}`,
      `<picture>\n  <source media="(max-width: 700px)" srcset="/${name}-narrow.svg">\n  <img alt="${title}. ${says}" src="/${name}.svg">\n</picture>`,
      `${says} [How it was measured](./${page}); drawn from \`${rows}\`.`,
    ].join("\n\n"),
  );
  const page = [
    "# Gallery",
    `Every picture is drawn by a test from rows that are committed in this folder, and fails it when the rows say something else: \`npx vitest run
test/gallery test/docs-pictures -u\` draws them anew. Up and to the left is better: more answers right, fewer tokens written. Light and dark
follow the system.`,
    ...shown,
    `## Watching

[The playground](./playground.md) draws the team while it learns, [the dashboard](./view.md) draws runs; pictures of both are made by scripts
(\`bench/src/pages/playground-picture.ts\`, \`bench/src/pages/view-screenshots.ts\`).
`,
  ].join("\n\n");
  await expect(page).toMatchFileSnapshot(join(root, "docs/gallery.md"));
});
