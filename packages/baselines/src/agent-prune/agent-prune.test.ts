import { randomFromSeed, type Topology } from "@laconic/core";
import { Matrix, SingularValueDecomposition } from "ml-matrix";
import { describe, expect, test } from "vitest";
import { play } from "../../test/play.ts";
import { baselineNamed } from "../registry.ts";
import {
  candidates,
  drawGraph,
  edgesOf,
  pruneGraph,
  square,
  wholeGraph,
  type EdgeSet,
  type Logits,
  type Mask,
} from "./edges.ts";
import { dropLowest, learnByPruning, learnMasks, nuclearGradient } from "./learn-masks.ts";

const reader = { read: (reply: string) => /\d+/u.exec(reply)?.[0] ?? null, same: (a: string, b: string) => a === b };
const options = { reader, answerForm: "", maxTokens: 50, family: "choice" } as const;
const zeros = (n: number): Logits => square(n, () => 0);

function isAcyclic(mask: Mask): boolean {
  const waiting = new Set(mask.map((_, i) => i));
  for (;;) {
    const free = [...waiting].filter((to) => ![...waiting].some((from) => mask[from]?.[to]));
    if (free.length === 0) return waiting.size === 0;
    for (const node of free) waiting.delete(node);
  }
}

describe("drawing graphs", () => {
  test("no cycle within a round, only candidate edges; the log-probability is the sum over what was drawn", () => {
    const random = randomFromSeed(1);
    const mask = candidates(5, "complete");
    const logits = { spatial: zeros(5).map((row) => row.map(() => 2 * random.normal())), temporal: zeros(5) };
    for (let i = 0; i < 200; i++) {
      const { edges, logProb, gradient: slopes } = drawGraph(mask, logits, random);
      expect(isAcyclic(edges.spatial)).toBe(true);
      expect(edgesOf(edges.spatial).every(({ from, to }) => mask.spatial[from]?.[to])).toBe(true);
      // taken - p is the gradient, so that p is known from it; an edge that was not drawn has none.
      let sum = 0;
      for (const kind of ["spatial", "temporal"] as const)
        slopes[kind].forEach((row, from) =>
          row.forEach((g, to) => {
            const taken = edges[kind][from]?.[to] ? 1 : 0;
            if (g !== 0) sum += Math.log(taken ? 1 - g : 1 + g);
          }),
        );
      expect(logProb).toBeCloseTo(sum, 10);
    }
  });
  test("the mean of the score is zero", () => {
    const random = randomFromSeed(2);
    let mean = 0;
    for (let i = 0; i < 4000; i++)
      mean +=
        (drawGraph(candidates(3, "complete"), { spatial: zeros(3), temporal: zeros(3) }, random).gradient
          .spatial[0]?.[2] ?? 0) / 4000;
    expect(Math.abs(mean)).toBeLessThan(0.03);
  });
  test("the nuclear norm's gradient is that of finite differences", () => {
    const random = randomFromSeed(3);
    const mask = candidates(4, "complete").spatial;
    const logits = zeros(4).map((row) => row.map(() => random.normal()));
    const norm = (values: readonly (readonly number[])[]): number =>
      new SingularValueDecomposition(
        new Matrix(values.map((row, i) => row.map((x, j) => (mask[i]?.[j] ? 1 / (1 + Math.exp(-x)) : 0)))),
      ).diagonal.reduce((sum, value) => sum + value, 0);
    const gradient = nuclearGradient(logits, mask);
    for (const [i, j] of [
      [0, 1],
      [2, 3],
      [3, 0],
    ] as const) {
      const moved = (by: number) => logits.map((row, a) => row.map((x, b) => (a === i && b === j ? x + by : x)));
      expect(gradient[i]?.[j]).toBeCloseTo((norm(moved(1e-5)) - norm(moved(-1e-5))) / 2e-5, 5);
    }
  });
});

describe("pruning", () => {
  test("half of the edges stay, those with the highest logits, and no cycle", () => {
    const logits = zeros(5).map((row, from) => row.map((_, to) => from * 5 + to));
    const retained = pruneGraph(candidates(5, "complete"), { spatial: logits, temporal: logits }, 0.5);
    expect(edgesOf(retained.temporal)).toHaveLength(13);
    expect(isAcyclic(retained.spatial)).toBe(true);
    expect(retained.spatial[4]?.[3]).toBe(true);
    expect(retained.spatial[0]?.[1]).toBe(false);
  });
  test("masks: complete without self-edges, two layers, random by seed; a whole graph runs forward", () => {
    const spatial = (...args: Parameters<typeof candidates>): Mask => candidates(...args).spatial;
    expect(edgesOf(spatial(5, "complete"))).toHaveLength(20);
    expect(edgesOf(spatial(5, "layered"))).toHaveLength(6);
    expect(spatial(5, "random", 1)).toEqual(spatial(5, "random", 1));
    expect(spatial(5, "random", 1)).not.toEqual(spatial(5, "random", 2));
    const whole = wholeGraph(candidates(4, "complete"));
    expect(edgesOf(whole.spatial).every(({ from, to }) => from < to)).toBe(true);
    expect(edgesOf(whole.spatial)).toHaveLength(6);
  });
  test.for([1, 2, 3])("pruning removes useless and harmful edges and keeps needed ones (seed %i)", async (seed) => {
    const edges = candidates(5, "complete");
    const random = randomFromSeed(`noise/${seed}`);
    // Agent 4 has to hear agents 0 and 1; hearing agent 3 misleads it; all else changes nothing.
    const right = (on: Mask): number => (on[0]?.[4] && on[1]?.[4] && !on[3]?.[4] ? 0.9 : 0.1);
    const utility = async (_: number, { spatial: on }: EdgeSet): Promise<number> =>
      random.uniform() < right(on) ? 1 : 0;
    const learned = await learnMasks(edges, 10, utility, { seed, passes: 12, samples: 8 });
    const retained = pruneGraph(edges, learned, 0.5);
    expect([retained.spatial[0]?.[4], retained.spatial[1]?.[4], retained.spatial[3]?.[4]]).toEqual([true, true, false]);
    expect(right(retained.spatial)).toBe(0.9);
    expect(edgesOf(retained.spatial).length).toBeLessThanOrEqual(10);
    expect(learned.utilities.at(-1)).toBeGreaterThan(learned.utilities[0] ?? 1);
  });
});

async function reads(team: Topology | undefined, id = "1"): Promise<string[]> {
  if (!team) throw new Error("no team");
  const { episode } = await play(team, (_, call) => `reply ${call}`, { id, question: `${id}?` });
  return episode.ledger.calls.map(({ agent, reads: heard }) =>
    `${agent} <- ${heard.map(({ from }) => from).join(" ")}`.trim(),
  );
}

test("an agent reads along the edges and nothing else; the decision reads the last round", async () => {
  const method = baselineNamed("agentprune-c");
  const learned = { agents: 3, spatial: [[0, 2]], temporal: [[2, 1]], utilities: [] };
  expect(await reads(method.restore?.(options, learned))).toEqual([
    "agent-1 <-",
    "agent-2 <-",
    "agent-3 <- agent-1",
    "agent-1 <-",
    "agent-2 <- agent-3",
    "agent-3 <- agent-1",
    "decision <- agent-1 agent-2 agent-3",
  ]);
  expect(() => method.restore?.(options, { edges: "all" })).toThrow(/calibrate again/u);
});

describe("each method equals its release", () => {
  const released = baselineNamed("agentprune-c:released");
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
      return [mask, once, dropLowest(once, logits)].map((group) => edgesOf(group).length);
    };
    expect([counts(spatial), counts(temporal)]).toEqual([
      [20, 15, 11],
      [25, 19, 14],
    ]);
    expect(dropLowest(temporal, logits)[0]).toEqual([false, false, false, false, false]);
  });

  test("ten questions are ten batches of four, pruned twice; one round leaves temporal edges unchanged", async () => {
    const start = candidates(5, "complete");
    const asked: number[] = [];
    const utility = async (question: number): Promise<number> => {
      asked.push(question);
      return 1;
    };
    const { edges, utilities } = await learnByPruning(start, false, 10, utility, 0);
    expect([asked.length, new Set(asked).size, utilities]).toEqual([40, 10, Array(10).fill(1)]);
    expect([edgesOf(edges.spatial).length, edgesOf(edges.temporal).length]).toEqual([11, 25]);
    const two = await learnByPruning(start, true, 10, utility, 0);
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

  test("a learned graph is sampled by the episode's random stream", async () => {
    const learned = await released.calibrate?.(options, { questions: 5, seed: 0, utility: async () => 1 });
    const team = released.restore?.(options, JSON.parse(JSON.stringify(learned)));
    const graphs = await Promise.all(["a", "b", "c", "d", "a"].map(async (id) => (await reads(team, id)).join()));
    expect(new Set(graphs).size).toBeGreaterThan(2);
    expect(graphs[4]).toBe(graphs[0]);
    expect(() => released.restore?.(options, { agents: 5 })).toThrow(/calibrate again/u);
  });
});
