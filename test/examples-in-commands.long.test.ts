import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingTerminal } from "../apps/trainer/test/recording-terminal.ts";
import { startViewServer } from "../apps/trainer/src/serving/view-server.ts";
import { tinyChatModel } from "../apps/trainer/test/tiny-chat-model.ts";
import type { Engine } from "../packages/core/src/index.ts";
import { createLocalEngine } from "../packages/engine/src/index.ts";
import { openServed } from "../packages/runtime/src/index.ts";
import { chooseDevice } from "../packages/runtime/src/devices/index.ts";
import { completionHandler } from "../packages/serve/src/index.ts";
import { done, rowsOf } from "./for-examples.ts";
import { root } from "./workspace.ts";
import { sharedFolder } from "./temporary-folder.ts";

const pieces = [
  '<tool_call>{"name": "calculator", "arguments": {"expression": "2*45*1.2"}}</tool_call>',
  '<tool_call>{"name": "search", "arguments": {"query": "chair"}}</tool_call>',
];

interface Idea {
  readonly file: string;
  readonly board: string;
  /** Its model is one of the hub's; here it is one with random weights. */
  readonly chats?: true;
  readonly metrics: readonly string[];
}

const own = join(root, "test/fixtures/boards.ts");
const file = (name: string): string => join(root, "examples", name);

const ideas: readonly Idea[] = [
  {
    file: "tools.ts",
    board: file("tools.ts#board"),
    chats: true,
    metrics: ["measures/calls", "measures/call_errors"],
  },
  { file: "self-play.ts", board: `${own}#selfPlay`, metrics: ["reward/agent/proposer", "reward/agent/solver"] },
  { file: "own-budget.ts", board: `${own}#relay`, metrics: ["budget/tokens/lambda"] },
];

const small = [
  "train.steps=2",
  "train.problemsPerStep=2",
  "train.episodesPerProblem=2",
  "train.evaluation.problems=2",
  "train.evaluation.every=0",
  "workers=1",
  "device=wasm",
];

const folder = sharedFolder();
let engine: Engine;
let device: Awaited<ReturnType<typeof chooseDevice>>;
beforeAll(async () => {
  await tinyChatModel(join(folder, "model"), { pieces, contextLength: 2048 });
  device = await chooseDevice("wasm", 1, () => undefined);
  engine = await createLocalEngine({ device: device.sources, workers: 1, onWarning: () => undefined });
});
afterAll(() => engine.close());

describe.each(ideas)("$file", ({ file: name, board, chats, metrics }) => {
  const title = name.replace(".ts", "");
  const run = (): string => join(folder, title);

  test("trains", async () => {
    const model = chats ? [`model=${join(folder, "model")}`, "train.problemsPerStep=1"] : [];
    await done("train", file(name), ...small, ...model, "--run", run());
    const rows = await rowsOf(run());
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      for (const metric of metrics) expect(row[metric], metric).toEqual(expect.any(Number));
      expect(row["tokens/episode_mean"]).toBeGreaterThan(0);
    }
  });

  test("is evaluated, analysed and benched", async () => {
    const evaluated = JSON.parse(await done("eval", run(), "--limit", "2", "--json")) as object;
    expect(evaluated).toMatchObject({ step: 2 });
    expect(await done("analyze", run(), "--limit", "1")).toContain("at step 2");
    const on = ["--benchmarks", board, "--limit", "1", "--model", "none", "--run", join(folder, `bench-${title}`)];
    expect(await done("bench", ...on, "--methods", `mine=${run()}`)).toContain("mine");
  });

  test("is served", async () => {
    const choice = { policy: undefined, which: "latest" as const, templateArguments: {}, cap: {} };
    const served = await openServed(run(), choice, { engine, device }, recordingTerminal());
    const handler = completionHandler({
      models: served.models,
      apiKey: null,
      maxConcurrency: 1,
      maxBodyBytes: 2 ** 20,
      now: () => 0,
      onError: (error) => expect.fail(String(error)),
    });
    const ask = async (path: string, body?: object): Promise<Response> =>
      handler(
        new Request(`http://localhost/v1/${path}`, {
          ...(body && { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
        }),
      );
    const { data } = (await (await ask("models")).json()) as { data: { id: string }[] };
    expect(data[0]?.id).toBe(title);
    const messages = [{ role: "user", content: "k+e" }];
    const answer = await ask("chat/completions", { model: title, messages, max_tokens: 8, seed: 1 });
    expect(answer.status, await answer.clone().text()).toBe(200);
    await served.close();
  });
});

test("the dashboard shows all examples", async () => {
  const server = await startViewServer({ folders: [folder] }, recordingTerminal());
  try {
    const runs = (await (await fetch(new URL("api/runs", server.url))).json()) as { name: string; id: string }[];
    for (const { file: name } of ideas) {
      const run = runs.find((item) => item.name === name.replace(".ts", ""));
      expect(run, name).toMatchObject({ state: "done", plannedSteps: 2 });
    }
  } finally {
    await server.close();
  }
});
