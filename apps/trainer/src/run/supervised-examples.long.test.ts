import { existsSync } from "node:fs";
import { appendFile, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { laconic, outputOf, rowsIn } from "../../test/laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const timeout = 240_000;

const module = `
import { defineTask } from "@laconic/tasks";
import { chatTemplate, star } from "@laconic/topologies";
const agent = (id) => ({ id, role: id, maxTokens: 6, prompt: chatTemplate("e@1", "s", ({ question }) => question).render });
const problem = (i) => ({ id: "p" + i, question: "say " + i, gold: String(i), views: { scout: "v" } });
const all = Array.from({ length: 12 }, (_, i) => problem(i));
export const made = ({ question, gold }, random) => ({ prompt: question, completion: gold, agent: "solver" });
export default {
  task: defineTask({
    name: "say",
    topology: star([agent("scout")], agent("solver")),
    train: all.slice(0, 8),
    testProblems: all.slice(8),
    grader: (answer, { gold }) => (answer === gold ? 1 : 0),
  }),
  model: "untrained",
  device: "wasm",
  workers: 1,
  warmStart: { name: "examples", examples: "rows.jsonl", steps: 3, batch: 2, learningRate: 0.01 },
  train: {
    steps: 2, problemsPerStep: 2, episodesPerProblem: 2, minibatches: 1,
    supervised: { examples: "./rows.jsonl", batch: 2 },
    evaluation: { every: 0, problems: 2 }, checkpoint: { every: 1, keep: 2 },
  },
};
`;
const row = (content: string, more: object = {}): string =>
  JSON.stringify({
    messages: [
      { role: "user", content: "say 1" },
      { role: "assistant", content },
    ],
    id: 7,
    ...more,
  });

const modules = fileURLToPath(new URL("../../../../examples/node_modules", import.meta.url));

async function written(rows: readonly string[]): Promise<{ config: string; file: string; run: string }> {
  const place = await temporaryFolder();
  await symlink(modules, join(place, "node_modules"));
  await writeFile(join(place, "run.config.mjs"), module);
  await writeFile(join(place, "rows.jsonl"), rows.join("\n"));
  return { config: join(place, "run.config.mjs"), file: join(place, "rows.jsonl"), run: join(place, "run") };
}

const rows = [row("a"), "", row("b", { agent: "solver" }), JSON.stringify({ prompt: "say 2", completion: "2" })];

test("a file of examples teaches before and during training, is stored, and verifies", { timeout }, async () => {
  const { config, file, run } = await written(rows);
  const plan = await laconic("plan", config, "--tflops", "1", "--memory", "1GiB");
  expect(plan.err).not.toContain("laconic:");
  expect(plan.out).toMatch(/^warm start: 3 steps of 2 of 3 supervised examples \(6 learned tokens, longest \d+\)$/mu);
  expect(plan.out).toMatch(/^each optimizer step also learns 2 of 3 supervised examples .*, with weight 0\.1$/mu);

  const first = await laconic("train", config, "--run", run, "--json", "train.steps=1");
  expect([first.code, first.err]).toEqual([0, expect.stringContaining("also learns 2 of 3 supervised examples")]);
  const { states, before, afterWarmStart } = JSON.parse(first.out) as Record<string, Record<string, unknown>>;
  expect(states).toMatchObject({ before: "the model before 3 steps of warm start on examples" });
  expect([before, afterWarmStart]).not.toContain(undefined);
  const kept = JSON.parse(await readFile(join(run, "config.json"), "utf8")) as Record<string, Record<string, unknown>>;
  expect(kept["warmStart"]).toMatchObject({ examples: { file: "../rows.jsonl" }, model: "untrained", seed: "0" });
  expect(kept["train"]?.["supervised"]).toMatchObject({ examples: { file: "../rows.jsonl" }, batch: 2, weight: 0.1 });
  expect(await readFile(join(run, "sources", "rows.jsonl"), "utf8")).toBe(await readFile(file, "utf8"));

  const second = await laconic("train", "--resume", run, "train.steps=2");
  expect([second.code, second.err]).not.toContain("warm start: step");
  const metrics = await rowsIn(run, "metrics.jsonl");
  expect(metrics.map((line) => line["supervised/tokens"])).toEqual([4, 4]);
  expect((await laconic("verify", run)).out).toContain("not covered: supervised examples");

  await appendFile(file, `\n${row("c")}`);
  const changed = await laconic("train", "--resume", run, "train.steps=3");
  expect([changed.code, changed.err]).toEqual([
    expect.any(Number),
    expect.stringContaining("rows.jsonl has changed since"),
  ]);
});

test("a function makes examples, and two trainings are equal", { timeout }, async () => {
  const { config, run } = await written(rows);
  const words = [
    "train",
    config,
    "train.supervised.examples=" + config + "#made",
    "warmStart.examples=" + config + "#made",
  ];
  const traces = async (name: string): Promise<readonly string[]> => {
    await outputOf(...words, "--run", `${run}-${name}`);
    return Promise.all(
      ["metrics.jsonl", "warm-start.json"].map((file) => readFile(join(`${run}-${name}`, file), "utf8")),
    );
  };
  const first = await traces("a");
  expect(await traces("b")).toEqual(first);
  expect(first[0]).toContain("supervised/loss");
});

const one = [row("a")];

test.each([
  [[...one, "", "{"], [], /rows\.jsonl row 3: not JSON/u],
  [
    [...one, row("b", { agent: "judge" })],
    [],
    /rows\.jsonl row 2: the agent judge does not learn; learning agents: scout, solver/u,
  ],
  [
    [...one, JSON.stringify({ text: "b" })],
    [],
    /rows\.jsonl row 2: it has neither messages nor prompt and completion/u,
  ],
  [[...one, row("b".repeat(600))], [], /rows\.jsonl row 2: it has \d+ tokens, more than 512; shorten it/u],
  [[], [], /the list of examples is empty/u],
  [one, ["train.supervised={}", "warmStart=null"], /train\.supervised\.examples: no examples/u],
  [one, ["train.supervised.examples=missing.jsonl"], /missing\.jsonl cannot be read/u],
  [one, ["warmStart.turns=first"], /warmStart\.turns: /u],
  [
    one,
    ["policies=own", "warmStart.agent=solver"],
    /is for the policy solver alone, but a warm start trains the initial model/u,
  ],
])("rejects useless rows and settings before training: %#", { timeout }, async (bad, words, message) => {
  const { config, run } = await written(bad);
  const { code, out, err } = await laconic("train", config, ...words, "--run", run);
  expect([code > 0, out, existsSync(run)]).toEqual([true, "", false]);
  expect(err).toMatch(message);
});
