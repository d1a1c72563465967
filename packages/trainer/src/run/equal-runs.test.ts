import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { stoppingAfter } from "../../test/run-folder.ts";
import { tinyDuelParts, tinyPairParts, tinyRun, type TinyRunOptions } from "../testing/index.ts";
import { unequalFiles } from "../reading/run-files.ts";

const settings = {
  steps: 4,
  problemsPerStep: 2,
  episodesPerProblem: 2,
  evaluation: { every: 2, problems: 3, transcripts: 2 },
  checkpoint: { every: 2, keep: 2 },
};

/** Files by path, without those that may differ between equal runs. */
async function filesOf(directory: string): Promise<Record<string, string>> {
  const matches = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = matches.filter((item) => item.isFile()).map((item) => join(item.parentPath, item.name));
  const names = paths.map((path) => path.slice(directory.length + 1));
  const retained = names.filter((name) => !unequalFiles.includes(name.split("/")[0] ?? ""));
  return Object.fromEntries(
    await Promise.all(retained.toSorted().map(async (name) => [name, await readFile(join(directory, name), "base64")])),
  ) as Record<string, string>;
}

function clock(pace: number): () => number {
  let now = 0;
  return () => (now += pace);
}

const kinds: Readonly<Record<string, () => Partial<TinyRunOptions>>> = {
  "a team": () => ({}),
  "trees of a pair": () => ({
    parts: tinyPairParts(2),
    settings: {
      ...settings,
      groupBy: "tree-node",
      prices: {},
      budget: null,
      tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
    },
  }),
};

test.each(Object.entries(kinds))("folders of equal runs of %s are equal, file by file", async (_, options) => {
  const parent = await temporaryFolder();
  const [one, other] = [join(parent, "one"), join(parent, "other")];
  await tinyRun({ directory: one, settings, now: clock(1), ...options() });
  await tinyRun({ directory: other, settings, now: clock(7), environment: { machine: "another" }, ...options() });
  const files = await filesOf(one);
  expect(Object.keys(files)).toContain("checkpoints/step-00000004/manifest.json");
  expect(Object.keys(files)).toContain("episodes.jsonl.gz");
  expect(await filesOf(other)).toEqual(files);
});

const magrpo = {
  groupBy: "tree-node",
  prices: {},
  tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
  policies: { second: { learningRate: { peak: 0.1, warmUpSteps: 0, decay: "constant", finalFraction: 1 } } },
};
const budget = { targetTokens: 2, learningRate: 0.01, warmupIterations: 1, annealIterations: 3 };

/** Text in each run's metrics, and its options. */
const resumed: Readonly<Record<string, readonly [RegExp, Partial<TinyRunOptions>]>> = {
  "a team": [/"step":4/u, {}],
  "a team whose language is measured": [
    /"language\/perplexity\/solver"/u,
    { settings: { evaluation: { ...settings.evaluation, language: true } } },
  ],
  "a budget": [/"budget\/tokens\/lambda":0\.\d+/u, { settings: { prices: {}, budget } }],
  "a KL term from the first policy": [
    /"actor\/kl_loss":0\.0*[1-9]/u,
    { settings: { objective: { name: "gspo", kl: { estimator: "k3+", coefficient: 0.2 } } } },
  ],
  "several policies that grow trees": [
    /"policy\/second\/optim\/lr":0\.1/u,
    { parts: tinyPairParts(), settings: magrpo },
  ],
};

test.each(Object.entries(resumed))("a resumed run equals an uninterrupted one: %s", async (_, [metrics, options]) => {
  const parent = await temporaryFolder();
  const [one, half] = [join(parent, "one"), join(parent, "half")];
  // Each run has its own weights.
  const run = (more: Partial<TinyRunOptions> & { readonly directory: string }): ReturnType<typeof tinyRun> =>
    tinyRun({
      ...more,
      ...(options.parts && { parts: tinyPairParts() }),
      settings: { ...settings, ...options.settings },
    });
  await run({ directory: one, now: clock(1) });
  await run({ directory: half, now: clock(7), ...stoppingAfter(2) });
  await run({ directory: half, now: clock(3), resume: true });
  expect(await filesOf(half)).toEqual(await filesOf(one));
  expect(await readFile(join(one, "metrics.jsonl"), "utf8")).toMatch(metrics);
});

test("a resumed run removes opponents that no checkpoint names, such as after a kill", async () => {
  const directory = join(await temporaryFolder(), "run");
  const opponents = { sides: [["left"], ["right"]], latest: 0.5, every: 1, keep: 2 };
  const own = { directory, settings: { ...settings, prices: {}, groupBy: "prompt+agent", opponents } };
  await tinyRun({ ...own, parts: tinyDuelParts() });
  await cp(join(directory, "opponents/step-4"), join(directory, "opponents/step-99"), { recursive: true });
  await tinyRun({ ...own, parts: tinyDuelParts(), resume: true });
  const retained = await readdir(join(directory, "opponents"));
  expect(retained).toContain("step-4");
  expect(retained).not.toContain("step-99");
});
