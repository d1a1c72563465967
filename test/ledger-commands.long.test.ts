import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordingTerminal } from "../apps/trainer/src/cli/recording-terminal.ts";
import { main } from "../apps/trainer/src/main.ts";
import { tinyChatModel } from "../apps/trainer/test/tiny-chat-model.ts";
import { reproductionLedger } from "../packages/evaluation/src/reproduction/index.ts";

const data = process.env["LACONIC_DATA"] ?? "";

/** What the ledger says of figures that need training, each once. */
const commands = [...new Set(reproductionLedger().flatMap(({ method, command }) => (method === null ? command : [])))];

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "laconic-ledger-"));
  // Its tokens are characters: prompts are long.
  await tinyChatModel(join(folder, "model"), { contextLength: 16_384 });
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

async function run(...words: readonly string[]): Promise<string> {
  const terminal = recordingTerminal();
  expect(await main(words, { terminal }), terminal.err.join("\n")).toBe(0);
  return terminal.out.join("\n");
}

/** A step of a few replies with the tiny model in every seat. */
async function smallFor(preset: string): Promise<string[]> {
  const { task, actor } = JSON.parse(await run("train", preset, "--dry-run", "--json")) as Record<
    string,
    object | null
  >;
  const model = join(folder, "model");
  return [
    `model=${model}`,
    "device=wasm",
    "workers=1",
    "train.steps=1",
    "train.problemsPerStep=1",
    "train.episodesPerProblem=2",
    "train.minibatches=1",
    "train.evaluation.problems=2",
    "train.evaluation.transcripts=1",
    "train.optimizer.learningRate.warmUpSteps=0",
    "task.replyTokens=12",
    ...(actor ? [`actor.model=${model}`] : []),
    ...(task && "actorTokens" in task ? ["task.actorTokens=12"] : []),
    // The released texts are fetched, and longer than the tiny model's context.
    ...(preset.startsWith("preset:magrpo") ? ["task.prompts=own"] : []),
  ];
}

/** Folders of runs below a folder, itself among them. */
async function runsIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const below = await Promise.all(
    entries.filter((each) => each.isDirectory()).map(({ name }) => runsIn(join(path, name))),
  );
  return [...(entries.some(({ name }) => name === "metrics.jsonl") ? [path] : []), ...below.flat()];
}

// One of each kind that takes seconds; all runs of the others are of the same presets.
test.skipIf(!existsSync(data)).each([
  { beginning: "laconic train preset:magrpo task.prompts=published --run ", values: 1, runs: 1 },
  {
    beginning: "laconic train preset:magrpo-multiturn task.benchmark=humaneval task.prompts=published --run ",
    values: 1,
    runs: 1,
  },
  { beginning: "laconic sweep preset:agentpo-hint train.problemPool=100,500,", values: 2, runs: 2 },
])(
  "what the ledger prints runs, in small: $beginning",
  async ({ beginning, values, runs }) => {
    const [command = "", ...more] = commands.filter((each) => each.startsWith(beginning));
    expect(more).toEqual([]);
    const out = join(folder, beginning.replaceAll(/\W+/gu, "-"));
    const [, verb = "", preset = "", ...rest] = command.split(" ");
    const given: Readonly<Record<string, string>> = { "--run": out, "--out": out, "--seeds": "1" };
    // Of lists the first values.
    const words = rest.map((word, i) => given[rest[i - 1] ?? ""] ?? word.split(",").slice(0, values).join(","));
    const wanted = verb === "train" ? [] : ["--out", "--seeds"];
    const added = wanted.flatMap((flag) => (words.includes(flag) ? [] : [flag, given[flag] ?? ""]));
    await run(verb, preset, ...words, ...added, ...(await smallFor(preset)));
    const folders = await runsIn(out);
    expect(folders).toHaveLength(runs);
    for (const each of folders) {
      const rows = (await readFile(join(each, "metrics.jsonl"), "utf8")).trimEnd().split("\n");
      const [step] = rows.map((row) => JSON.parse(row) as Record<string, number>).filter((row) => "reward/mean" in row);
      expect([rows.length > 0, Number.isFinite(step?.["reward/mean"])]).toEqual([true, true]);
    }
  },
  120_000,
);
