import { appendFile, cp, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { sharedFolder, temporaryFolder } from "../../../../test/temporary-folder.ts";
import { rewardFile, shortTraining, strangersFolder, taskFile, wordsFile } from "../../test/strangers-folder.ts";
import { cli, expectRefused, laconic, outputOf, rowsIn } from "../../test/laconic.ts";
import { post, startServe } from "../../test/start-serve.ts";

const timeout = 120_000;

const runFile = `
import { defineRun } from "@laconic/cli";
import type { EstimatorFunction, Estimator, Learned, Reward } from "@laconic/core";
import sums from "./task.ts";
import reward from "./reward.ts";

const aboveMedian: EstimatorFunction = ({ rewards }) => {
  const median = rewards.toSorted()[rewards.length >> 1] ?? 0;
  return rewards.map((each) => each - median);
};

export default defineRun({
  task: sums({ digits: 3 }),
  device: "wasm",
  workers: 1,
  train: { reward, advantage: aboveMedian, ...${shortTraining} },
});
`;

const learningFile = `
import { defineRun } from "@laconic/cli";
import sums from "./task.ts";

const seenIn = (learned: Learned | undefined) => (learned?.estimators["policy"] as { seen: number } | undefined)?.seen ?? 0;
const advantage: Estimator<{ seen: number }> = {
  name: "counting",
  settings: {},
  init: () => ({ seen: 0 }),
  estimate: ({ rewards }, { seen }) => ({ advantages: rewards.map((each) => each - 0.5), state: { seen: seen + rewards.length } }),
};
const reward: Reward = ({ answer }, { gold }, { learned }) => ({
  team: { task: answer === gold ? 1 : 0 },
  measures: { judged: seenIn(learned) },
});
const task = sums({ digits: 3 });
const run: typeof task.topology.run = async (problem, context) => {
  const asked = { ...problem, question: problem.question + "+0".repeat(seenIn(context.learned) % 5) };
  return task.topology.run(asked, context);
};
export default defineRun({
  task: { ...task, topology: { ...task.topology, run } },
  device: "wasm",
  workers: 1,
  train: { reward, advantage, limits: { maxTokens: 5 }, ...${shortTraining} },
});
`;

const boardFile = `
export default () => ({
  name: "small-sums",
  problems: [1, 2].map((n) => ({ id: "b" + n, question: n + "+1", gold: String(n + 1), grading: { kind: "numeric" } })),
});
`;

const methodFile = `
import { answerOf, graphTopology } from "@laconic/topologies";
export default {
  name: "twice", title: "Twice", source: "own", calls: "1", temperature: 0, maxCalls: () => 1,
  create: ({ maxTokens }) => graphTopology({
    name: "twice", rounds: 1, answer: answerOf("one"),
    agents: [{ id: "one", role: "one", maxTokens, prompt: ({ question }) => ({ kind: "text", text: question }) }],
  }),
};
`;

const folder = sharedFolder();
let run = "";

beforeAll(async () => {
  run = join(folder, "runs", "mine");
  await strangersFolder(folder, {
    "task.ts": taskFile,
    "words.ts": wordsFile,
    "reward.ts": rewardFile,
    "run.config.ts": runFile,
    "board.ts": boardFile,
    "mine.ts": methodFile,
    "package.json": '{"type":"module"}',
  });
  const { code, err } = await laconic("train", join(folder, "run.config.ts"), "--run", run);
  if (code !== 0) throw new Error(err);
}, timeout);

const configOf = async (of: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(of, "config.json"), "utf8")) as Record<string, unknown>;

describe("a run with custom values in its configuration", () => {
  test("learns from them and stores plain JSON, hashes and copies", async () => {
    const [row = {}] = await rowsIn(run, "metrics.jsonl");
    expect(row).toHaveProperty("rewards/said/mean");
    expect(row).toHaveProperty("reward/agent/first");
    const inline = (...path: string[]) => ({ file: "../../run.config.ts", export: "default", path });
    expect(await configOf(run)).toMatchObject({
      task: { ...inline("task"), name: "sums-3" },
      train: {
        reward: { ...inline("train", "reward"), name: "reward" },
        advantage: { ...inline("train", "advantage"), name: "aboveMedian" },
        objective: { name: "gspo" },
      },
    });
    const { inputs } = JSON.parse(await readFile(join(run, "manifest.json"), "utf8")) as {
      readonly inputs: Readonly<Record<string, string>>;
    };
    const sources = Object.keys(inputs).filter((name) => name.startsWith("source: "));
    expect(sources.toSorted()).toEqual(
      ["reward.ts", "run.config.ts", "task.ts", "words.ts"].map((name) => `source: ../../${name}`),
    );
    expect(await readFile(join(run, "sources", "words.ts"), "utf8")).toBe(wordsFile);
  });

  test("is evaluated, analysed and rescored with the same values", { timeout }, async () => {
    const evaluated = await outputOf("eval", run, "--limit", "4", "--json");
    expect(JSON.parse(evaluated)).toMatchObject({ step: 2, problems: 4 });
    const analysed = await outputOf("analyze", run, "--limit", "2");
    expect(analysed).toContain("at step 2");
    const scored = await outputOf("analyze", "rescore", run, "--regrade", "--json");
    const steps = JSON.parse(scored) as { readonly step: number }[];
    expect(steps.map(({ step }) => step)).toEqual([0, 2]);
  });

  test("resumes from its own configuration and from the file", { timeout }, async () => {
    const copy = join(folder, "runs", "resumed");
    await cp(run, copy, { recursive: true });
    await outputOf("train", "--resume", "--run", copy, "train.steps=3", "--trust");
    await outputOf("train", join(folder, "run.config.ts"), "--resume", "--run", copy, "train.steps=4");
    expect(await rowsIn(copy, "metrics.jsonl")).toHaveLength(4);
  });

  test("is benched with a custom method on custom questions, and resumes", { timeout }, async () => {
    const bench = join(folder, "bench");
    const at = (name: string): string => join(folder, name);
    const server = ["--model", "nobody", "--base-url", "http://127.0.0.1:9/v1", "--run", bench];
    const plan = await laconic(
      ...cli`bench --benchmarks ${at("board.ts")} --methods mine=${run},${at("mine.ts")}
      ${server} --dry-run --json`,
    );
    expect(plan.code, plan.err).toBe(0);
    expect(JSON.parse(plan.out)).toMatchObject({
      questions: 2,
      samples: 4,
      config: { own: { methods: [{ name: "twice" }] } },
    });
    const done = await outputOf("bench", "--benchmarks", at("board.ts"), "--methods", `mine=${run}`, ...server);
    expect(done).toContain("small-sums 2 of 2");
    expect(done).toContain("small-sums is board of ../board.ts.");
    expect((await laconic("bench", "--resume", "--run", bench)).err).toContain("2 samples exist already");
    await writeFile(at("board.ts"), `${boardFile}\n`);
    onTestFinished(() => writeFile(at("board.ts"), boardFile));
    const changed = await laconic("bench", "--resume", "--run", bench);
    expect([changed.code, changed.err.includes("board.ts has changed since the bench")]).toEqual([2, true]);
  });

  test("is served", { timeout }, async () => {
    const { url } = await startServe(run, "mine");
    const { body } = await post(`${url}/completions`, { model: "mine/first", prompt: "1+2", max_tokens: 3 });
    expect(body).toMatchObject({ object: "text_completion" });
  });

  test("opens with its copies after a file change and resumes only with the original file", { timeout }, async () => {
    const words = join(folder, "words.ts");
    const before = await laconic("eval", run, "--limit", "2", "--json");
    await writeFile(words, wordsFile.replace("text.replaceAll", "`${text}!`.repeat(2).replaceAll"));
    onTestFinished(() => writeFile(words, wordsFile));
    const changed = `${words} has changed since the run in ${run} started`;
    const after = await laconic("eval", run, "--limit", "2", "--json");
    expect([after.code, after.out, after.err.includes(`${changed}: the run's copy`)]).toEqual([0, before.out, true]);
    await writeFile(
      words,
      wordsFile.replace("text.replaceAll", '(() => { throw new Error("as edited"); })().replaceAll'),
    );
    const current = await laconic("eval", run, "--limit", "2", "--sources", "current");
    expect([current.code, current.err.includes(`${changed}: the current file is read`)]).toEqual([1, true]);
    expect(current.err).toContain("as edited");
    await rename(words, `${words}.away`);
    await outputOf("analyze", run, "--limit", "1");
    const copy = join(run, "sources", "words.ts");
    const resume = ["train", "--resume", "--run", run];
    expect((await laconic(...resume)).err).toContain(`${words} not found, but the run in ${run} needs it`);
    await writeFile(words, `${wordsFile}// more\n`);
    for (const command of [resume, ["train", join(folder, "run.config.ts"), ...resume.slice(1)]]) {
      const { code, err } = await laconic(...command);
      expect([code, err]).toEqual([2, expect.stringContaining(`${changed} (SHA-256`)]);
      expect(err).toContain(`restore it; a copy is in ${copy}`);
    }
    await appendFile(copy, "// damaged\n");
    expect((await laconic("eval", run)).err).toContain(`${changed} (SHA-256`);
    await writeFile(copy, wordsFile);
  });

  test("resumes after project and run have moved together", { timeout }, async () => {
    const moved = `${folder}-moved`;
    await rename(folder, moved);
    const { code, err } = await laconic("eval", join(moved, "runs", "mine"), "--limit", "1");
    await rename(moved, folder);
    expect(code, err).toBe(0);
  });
});

describe("accepts files named in JSON and as arguments", () => {
  const json = (): string => join(folder, "run.json");
  beforeAll(async () => {
    const train = { steps: 1, problemsPerStep: 2, episodesPerProblem: 2, minibatches: 1, groupBy: "prompt+agent" };
    const rest = { evaluation: { every: 0, problems: 2, transcripts: 1 }, checkpoint: { every: 1 } };
    const task = { file: "./task.ts", settings: { digits: 2 } };
    const config = { task, device: "wasm", workers: 1, train: { ...train, ...rest, reward: "./reward.ts" } };
    await writeFile(json(), JSON.stringify(config));
  });

  test("plans and sweeps settings of a file, each run with its own", { timeout }, async () => {
    const plan = await outputOf("plan", json(), "--tflops", "1");
    expect(plan).toContain("a step of 8 replies");
    const out = join(folder, "sweep");
    await outputOf("sweep", json(), "task.settings.digits=1,2", "--out", out, "--json");
    expect(await configOf(join(out, "runs", "digits-1-0"))).toMatchObject({
      task: { file: "../../../task.ts", export: "default", settings: { digits: 1 } },
      train: { reward: { file: "../../../reward.ts", export: "default" } },
    });
  });

  test.each([
    [["task.file=./nowhere.ts"], "nowhere.ts not found"],
    [["task={}"], "task.name"],
    [["task.digits=4"], "task.digits: task is a value of"],
  ])("rejects %j", (words, reason) =>
    expectRefused(["train", json(), ...words, "--run", join(folder, "never")], reason),
  );

  test.each([
    ["task.ts#broken", "task.ts: its export broken is not a valid task: topology is missing"],
    ["task.ts#other", "task.ts: export other not found; it exports broken, default"],
    ["reward.ts", "reward.ts: its default export failed to make a task: "],
    ["words.ts", "words.ts: default export not found; it exports digits"],
  ])("rejects task=%s with file and export", (file, reason) =>
    expectRefused(["train", json(), `task=${join(folder, file)}`, "--run", join(folder, "never")], reason),
  );

  test("rejects settings for values that are not functions", async () => {
    const words = [`task=${join(folder, "task.ts#broken")}`, "task.settings.digits=1"];
    const reason = "task.ts: its export broken takes no settings";
    await expectRefused(["train", json(), ...words, "--run", join(folder, "never")], reason);
  });
});

test("learned values besides weights reach the team in every command", { timeout }, async () => {
  const learning = join(folder, "learning.config.ts");
  await writeFile(learning, learningFile);
  const own = join(folder, "runs", "learning");
  await outputOf("train", learning, "--run", own, "train.seed=mine");
  const { language: _, ...last } = (await rowsIn(own, "evaluations.jsonl")).at(-1) ?? {};
  expect(last).toMatchObject({ measures: { judged: 16 } });
  const evaluated = await laconic("eval", own, "--limit", "4", "--seed", "mine", "--json");
  expect(JSON.parse(evaluated.out), evaluated.err).toEqual({ ...last, seed: "mine", split: "test" });
  await outputOf("analyze", own, "--limit", "2");
  await outputOf("analyze", "probe", own, "--limit", "2", "--json");
});

test("reads a file outside packages of type module", { timeout }, async () => {
  const other = await temporaryFolder();
  await strangersFolder(other, {
    "task.ts": taskFile,
    "words.ts": wordsFile,
    "reward.ts": rewardFile,
    "run.config.ts": runFile,
  });
  const out = await outputOf("train", join(other, "run.config.ts"), "--dry-run");
  expect(JSON.parse(out)).toMatchObject({ task: { name: "sums-3", path: ["task"] } });
  await outputOf("plan", join(other, "run.config.ts"), "--tflops", "1");
});

test("topology show draws a graph from a file", async () => {
  const other = await temporaryFolder();
  const text = `
import { answerOf } from "@laconic/topologies";
const seat = (id: string) => ({ id, role: id, maxTokens: 1, prompt: () => ({ kind: "text" as const, text: "" }) });
export default { name: "pair", agents: [seat("a"), seat("b")], rounds: 1, spatial: [{ from: "a", to: "b" }], answer: answerOf("b") };
`;
  await strangersFolder(other, { "team.ts": text });
  const out = await outputOf("topology", "show", join(other, "team.ts"));
  expect(out).toContain("a0 --> a1");
  expect((await laconic("topology", "show", join(other, "team.ts#b"))).err).toContain("export b not found");
});
