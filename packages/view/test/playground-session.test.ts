import { readFile } from "node:fs/promises";
import { memoryFileSystem } from "@laconic/core/files";
import { createKernels } from "@laconic/engine/wasm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runFolder } from "../web/playground/worker/archive.ts";
import type { TeamSpeech } from "../src/protocol.ts";
import type { WorkerMessage } from "../web/playground/worker/messages.ts";
import { policyFolder, relayWorld } from "../web/playground/worker/relay-world.ts";
import { Session } from "../web/playground/worker/session.ts";
import { firstSettings, type PlaygroundSettings } from "../web/playground/worker/settings.ts";
import { openTeam, type Team } from "../web/playground/worker/team.ts";
import { runIn } from "./fixture/exported-run.ts";

const settings: PlaygroundSettings = { ...firstSettings("relay"), steps: 3 };
const policy = new URL("../../../packages/runtime/assets/relay-one-fact/", import.meta.url);

const files = memoryFileSystem();
let team: Team;
let session: Session;
let replies: WorkerMessage[] = [];

function heard<Type extends WorkerMessage["type"]>(type: Type): Extract<WorkerMessage, { readonly type: Type }>[] {
  const matches = replies.filter((workerMessage) => workerMessage.type === type);
  replies = replies.filter((workerMessage) => workerMessage.type !== type);
  return matches as Extract<WorkerMessage, { readonly type: Type }>[];
}

const parts = () => ({
  team,
  files,
  environment: {},
  now: () => 0,
  say: (workerMessage: WorkerMessage) => void replies.push(workerMessage),
});
const text = async (name: string): Promise<string> =>
  new TextDecoder().decode(await files.read(`${runFolder}/${name}`));
function expectCharged(state: TeamSpeech | null, cost: number): void {
  const { edges = [], end = 0, unread = 0, rest, total } = state ?? {};
  expect(total).toBeCloseTo(cost, 12);
  expect(edges.reduce((sum, edge) => sum + edge.cost, end + unread)).toBeCloseTo(cost, 12);
  expect([rest, edges.every((edge) => edge.cost > 0)]).toEqual([{}, true]);
}
const digest = async (name: string): Promise<string> => (await files.digest(`${runFolder}/${name}`)).sha256;

beforeAll(async () => {
  for (const name of ["config.json", "model.safetensors"])
    await files.write(`${policyFolder}/${name}`, await readFile(new URL(name, policy)));
  team = await openTeam(await createKernels(undefined), files, relayWorld());
  session = new Session(parts(), settings);
});
afterAll(() => team.close());

describe("a run that is started, stopped, steered and exported", () => {
  const own = { kind: "facts" as const, facts: ["k6", "m3", "e9"], asked: ["k", "e"] as [string, string] };

  test("reports a step with its team and a conversation", async () => {
    await session.train(1);
    const [{ point, team: state, episode } = expect.fail()] = heard("step");
    expect(point).toMatchObject({ step: 1, price: 0 });
    expect(point.tokens).toBeGreaterThan(50);
    const written = Object.values(state.written).reduce((sum, tokens) => sum + tokens, 0);
    expect(written).toBeCloseTo(point.tokens, 9);
    expect(state.edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "holder-a solver",
      "holder-b solver",
      "holder-c solver",
    ]);
    expect(episode.turns.map(({ agent }) => agent)).toEqual(["holder-a", "holder-b", "holder-c", "solver"]);
    expect(episode.turns.at(-1)?.read.map(({ text: message }) => message)).toEqual(
      episode.turns.slice(0, 3).flatMap(({ silent, text: message }) => (silent ? [] : [message])),
    );
    const [evaluation] = heard("evaluation");
    expect(evaluation?.evaluation).toMatchObject({ step: 0, problems: 100 });
    expect(heard("training").map(({ active, step }) => [active, step])).toEqual([
      [true, 0],
      [false, 1],
    ]);
  });

  test("both teams answer a custom question without a change to the run", async () => {
    await session.ask(own, 1);
    const [{ before, now } = expect.fail()] = heard("asked");
    expect(before).toMatchObject({ question: "k+e", gold: "15" });
    expect(before.turns.map(({ fact }) => fact)).toEqual(["k6", "m3", "e9", null]);
    expect(now.turns).toHaveLength(4);
    await expect(session.ask({ ...own, asked: ["k", "z"] }, 1)).rejects.toThrow("No holder knows z");
  });

  test("a changed budget applies from the next step and is recorded", async () => {
    await session.adjust({ steering: { kind: "price", price: 0.004 } });
    expect(JSON.parse(await text("config.json"))).toMatchObject({ train: { budget: { targetTokens: 14 } } });
    await session.train(1);
    const [{ point, team: state } = expect.fail()] = heard("step");
    expect([point.step, point.price]).toEqual([2, 0.004]);
    expectCharged(state, 0.004 * point.tokens);
    // End tokens are charged, and no line carries them.
    const onLines = state.edges.reduce((sum, { tokens }) => sum + tokens, 0);
    const written = Object.entries(state.written).flatMap(([agent, tokens]) => (agent === "solver" ? [] : [tokens]));
    expect(written.reduce((sum, tokens) => sum + tokens, 0) - onLines).toBeCloseTo(3, 9);
    expect(JSON.parse(await text("config.json"))).toMatchObject({ train: { budget: null, prices: { tokens: 0.004 } } });
    const messages = heard("warning").map(({ message }) => message);
    expect(messages).toContainEqual(expect.stringMatching(/^from step 2 on train\.budget is null instead of \{/u));
    expect(messages).toContainEqual("from step 2 on train.prices.tokens is 0.004 instead of nothing");
  });

  test("an exported run resumes elsewhere to equal bytes", async () => {
    await session.exportRun();
    const [{ archive, name } = expect.fail()] = heard("exported");
    expect(name).toBe("relay-seed-1-step-2");
    await session.ask(own, 2); // between steps, on the weights that learn
    await session.train(null);
    expect(heard("training").at(-1)).toMatchObject({ active: false, step: 3 });
    const names = [
      "metrics.jsonl",
      "evaluations.jsonl",
      "episodes.jsonl.gz",
      "checkpoints/step-00000003/model.safetensors",
    ];
    const straight = await Promise.all(names.map(digest));

    await session.reset({ ...settings, seed: 2 });
    expect(session.settings.seed).toBe(2);
    for (const [path, data] of runIn(archive)) await files.write(`${runFolder}/${path}`, data);
    const again = new Session(parts(), { ...settings, steering: { kind: "price", price: 0.004 } });
    replies = [];
    await again.train(null);
    expect(heard("step").map(({ point }) => point.step)).toEqual([3]);
    expect(await Promise.all(names.map(digest))).toEqual(straight);
  });
});
