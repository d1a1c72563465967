import { randomFromSeed, type CompletionRequest, type Topology } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { baselineNamed } from "../index.ts";
import { candidates, edgesOf, square, type Mask } from "./edges.ts";
import { dropLowest, learnByPruning } from "./learn-masks.ts";

const released = baselineNamed("agentprune-c:released");
const reader = { read: (reply: string) => /\d+/u.exec(reply)?.[0] ?? null, same: (a: string, b: string) => a === b };
const options = { reader, answerForm: "", maxTokens: 50, family: "choice" } as const;

test.for([
  ["maths", 5],
  ["choice", 6],
  ["code", 11],
] as const)("%s takes %i calls at most", ([family, calls]) => {
  expect(released.maxCalls({ family })).toBe(calls);
});

test("a quarter is dropped, as torch rounds: 20, 15, 11 and 25, 19, 14; the lowest go", () => {
  const logits = square(5, (from, to) => from * 5 + to);
  const { spatial, temporal } = candidates(5, "complete");
  const counts = (mask: Mask): number[] => {
    const once = dropLowest(mask, logits);
    return [mask, once, dropLowest(once, logits)].map((each) => edgesOf(each).length);
  };
  expect([counts(spatial), counts(temporal)]).toEqual([
    [20, 15, 11],
    [25, 19, 14],
  ]);
  expect(dropLowest(temporal, logits)[0]).toEqual([false, false, false, false, false]);
});

test("ten questions are ten batches of four, pruned twice; with one round temporal edges stay as they are", async () => {
  const start = candidates(5, "complete");
  const asked: number[] = [];
  const play = async (question: number): Promise<number> => {
    asked.push(question);
    return 1;
  };
  const { edges, utilities } = await learnByPruning(start, false, 10, play, 0);
  expect([asked.length, new Set(asked).size, utilities]).toEqual([40, 10, Array(10).fill(1)]);
  expect([edgesOf(edges.spatial).length, edgesOf(edges.temporal).length]).toEqual([11, 25]);
  const two = await learnByPruning(start, true, 10, play, 0);
  expect(edgesOf(two.edges.temporal)).toHaveLength(14);
});

test("an edge that helps is learned, though nothing is subtracted from the utility", async () => {
  const start = candidates(4, "complete");
  const learned = await learnByPruning(start, false, 30, async (_, { spatial }) => (spatial[0]?.[3] ? 1 : 0), 1);
  const others = edgesOf(start.spatial).filter(({ from, to }) => from !== 0 || to !== 3);
  const mean = others.reduce((sum, { from, to }) => sum + (learned.spatial[from]?.[to] ?? 0), 0) / others.length;
  expect(learned.edges.spatial[0]?.[3]).toBe(true);
  expect(learned.spatial[0]?.[3]).toBeGreaterThan(mean + 0.5);
});

test("what was learned goes on being drawn, anew for each question, the same for the same one", async () => {
  const learned = await released.calibrate?.(options, { questions: 5, seed: 0, utility: async () => 1 });
  const team = released.restore?.(options, JSON.parse(JSON.stringify(learned))) as Topology;
  const reads = async (id: string): Promise<string> => {
    const model = scriptedModel((_: CompletionRequest, call) => `reply ${call}`);
    const models = Object.fromEntries(team.agents.map((agent) => [agent, model]));
    const problem = { id, question: `${id}?`, gold: "" };
    const episode = await team.run(problem, { models, sampling: { temperature: 1 }, random: randomFromSeed(0) });
    return episode.ledger.calls
      .map(({ agent, reads: heard }) => `${agent}<${heard.map(({ from }) => from).join()}`)
      .join(" ");
  };
  const graphs = await Promise.all(["a", "b", "c", "d", "a"].map(reads));
  expect(new Set(graphs).size).toBeGreaterThan(2);
  expect(graphs[4]).toBe(graphs[0]);
  expect(() => released.restore?.(options, { agents: 5 })).toThrow(/calibrate again/u);
});
