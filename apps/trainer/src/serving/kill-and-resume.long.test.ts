import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { nodeFileSystem, readLines } from "@laconic/trainer";
import { configOfRun } from "@laconic/runtime";
import { post, startServe } from "../../test/start-serve.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { tinyChatModel } from "../../test/tiny-chat-model.ts";
import { expectRefused, laconic, outputOf } from "../../test/laconic.ts";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";

type Answer = Readonly<Record<string, unknown>>;

async function speak(url: string, id: string, model: string): Promise<number> {
  const messages = [{ role: "user", content: `what is ${id}?` }];
  const { status } = await post(`${url}/v1/rollouts/${id}/chat/completions`, { model, messages, max_tokens: 4 });
  return status;
}

async function play(url: string, id: string, reward: number): Promise<void> {
  expect([await speak(url, id, "a"), await speak(url, id, "b")]).toEqual([200, 200]);
  const { status } = await post(`${url}/rollouts/${id}/reward`, { reward, group: "g", agents: { a: reward / 2 } });
  expect(status).toBe(200);
}

async function rowsOf(file: string): Promise<Answer[]> {
  const bytes = await readFile(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
}

const stateOf = async (url: string, id: string): Promise<unknown> => {
  const answer = (await (await fetch(`${url}/rollouts/${id}`)).json()) as Answer;
  return answer["reason"] ?? answer["state"];
};

test("a killed run resumes with waiting rollouts and reports open ones as lost", async () => {
  const folder = await temporaryFolder();
  const [model, run, config] = [join(folder, "model"), join(folder, "run"), join(folder, "run.json")];
  await tinyChatModel(model);
  await writeFile(
    config,
    JSON.stringify({
      task: { name: "gateway", agents: ["a", "b"] },
      model,
      policies: "own",
      workers: 1,
      train: {
        steps: 3,
        problemsPerStep: 1,
        episodesPerProblem: 2,
        groupBy: "prompt+agent",
        prices: { tokens: 0.01 },
        checkpoint: { every: 1, keep: 2 },
        evaluation: { every: 1, transcripts: 2 },
      },
    }),
  );
  const first = await startServe(config, "a, b", ["--train", "--run", run]);
  await play(first.url, "one", 1);
  await play(first.url, "two", 0);
  expect(await speak(first.url, "lost", "a")).toBe(200); // waits for the weights of step 1
  await play(first.url, "three", 1);
  first.child.kill("SIGKILL");
  await once(first.child, "exit");

  const { child, url } = await startServe("--resume", "a, b", ["--train", "--run", run]);
  const ended = once(child, "exit");
  expect(await speak(url, "four", "a")).toBe(200); // there are weights
  expect(await Promise.all(["one", "three", "lost"].map((id) => stateOf(url, id)))).toEqual([
    "trained",
    "finished",
    "lost",
  ]);
  const again = await post(`${url}/v1/rollouts/lost/chat/completions`, { model: "a", messages: [] });
  expect(again.status).toBe(404);
  await play(url, "four", 0);
  await play(url, "five", 1);
  await play(url, "six", 0);
  expect(await ended).toEqual([0, null]);

  const rows = await readLines(nodeFileSystem, join(run, "metrics.jsonl"));
  expect(rows.map(({ step, ...row }) => [step, row["reward/agent/a"]])).toEqual([1, 2, 3].map((step) => [step, 0.25]));
  const closed = (await readdir(join(run, "gateway"))).toSorted().map((name) => join(run, "gateway", name));
  const events = (await Promise.all([...closed, join(run, "gateway.jsonl")].map((file) => rowsOf(file)))).flat();
  expect(events.filter(({ kind }) => kind === "taken").map(({ step, ids }) => [step, ids])).toEqual([
    [0, ["one", "two"]],
    [1, ["three", "four"]],
    [2, ["five", "six"]],
  ]);
  expect((await configOfRun(run)).task).toMatchObject({ name: "gateway", agents: ["a", "b"] });
  const trained: number[] = [];
  for await (const { step } of eachEpisode(folderSource(run), "step")) trained.push(step);
  expect(trained).toEqual([1, 1, 2, 2, 3, 3]);
  await outputOf("view", "report", run);
});

test.each([
  [["serve", "--train"], /name a configuration of the gateway task/],
  [["serve", "--train", "preset:relay-quickstart"], /relay\/one-fact runs in Laconic: train it with laconic train/],
  [["serve", "shipped", "--resume"], /--resume: has no effect without --train/],
  [["serve", "shipped", "train.steps=2"], /train\.steps=2: has no effect without --train/],
  [["serve"], /MODEL: missing/],
] as const)("rejects %j", (words, message) => expectRefused([...words], message));

test("laconic train does not play a gateway's agents", async () => {
  const folder = await temporaryFolder();
  await tinyChatModel(join(folder, "model"));
  const config = join(folder, "run.json");
  await writeFile(config, JSON.stringify({ task: { name: "gateway", agents: ["a"] }, model: join(folder, "model") }));
  const { code, err } = await laconic("train", config, "--run", join(folder, "run"));
  expect([code, err]).toEqual([2, expect.stringContaining("train them with laconic serve --train")]);
  const reads = 'train.costs={"heard":{"kind":"tokens-read"}}';
  await expectRefused(
    ["serve", "--train", config, reads, "--run", join(folder, "run")],
    "train.costs.heard: readers are unknown",
  );
});
