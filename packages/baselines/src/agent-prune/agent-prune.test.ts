import { randomFromSeed, type CompletionRequest } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { baselineNamed } from "../registry.ts";
import { drawGraph, edgesOf, pruneGraph, spatialMask, temporalMask, wholeGraph, zeros, type Mask } from "./edges.ts";
import { learnMasks, nuclearGradient } from "./learn-masks.ts";

const reader = { read: (reply: string) => /\d+/u.exec(reply)?.[0] ?? null, same: (a: string, b: string) => a === b };
const options = { reader, answerForm: "", maxTokens: 50 };

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
    const [spatial, temporal] = [spatialMask(5, "complete", 0), temporalMask(5)];
    const logits = { spatial: zeros(5).map((row) => row.map(() => 2 * random.normal())), temporal: zeros(5) };
    for (let i = 0; i < 200; i++) {
      const { edges, logProb, gradient: slopes } = drawGraph(spatial, temporal, logits, random);
      expect(isAcyclic(edges.spatial)).toBe(true);
      expect(edgesOf(edges.spatial).every(({ from, to }) => spatial[from]?.[to])).toBe(true);
      // taken - p is the gradient, so that p is known from it; an edge that was not drawn has none.
      let sum = 0;
      for (const [mask, gradient] of [
        [edges.spatial, slopes.spatial],
        [edges.temporal, slopes.temporal],
      ] as const)
        gradient.forEach((row, from) =>
          row.forEach((g, to) => {
            const taken = mask[from]?.[to] ? 1 : 0;
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
        (drawGraph(spatialMask(3, "complete", 0), temporalMask(3), { spatial: zeros(3), temporal: zeros(3) }, random)
          .gradient.spatial[0]?.[2] ?? 0) / 4000;
    expect(Math.abs(mean)).toBeLessThan(0.03);
  });
  test("the nuclear norm's gradient is that of finite differences", () => {
    const random = randomFromSeed(3);
    const mask = spatialMask(4, "complete", 0);
    const logits = zeros(4).map((row) => row.map(() => random.normal()));
    const norm = (values: readonly (readonly number[])[]): number =>
      nuclearNorm(values.map((row, i) => row.map((x, j) => (mask[i]?.[j] ? 1 / (1 + Math.exp(-x)) : 0))));
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

/** Sum of singular values: roots of the eigenvalues of A'A by Jacobi rotations. */
function nuclearNorm(a: readonly (readonly number[])[]): number {
  const n = a.length;
  const s = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (__, j) => a.reduce((sum, row) => sum + (row[i] as number) * (row[j] as number), 0)),
  );
  for (let sweep = 0; sweep < 60; sweep++)
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const [spp, sqq, spq] = [s[p]?.[p] as number, s[q]?.[q] as number, s[p]?.[q] as number];
        const angle = 0.5 * Math.atan2(2 * spq, sqq - spp);
        const [c, d] = [Math.cos(angle), Math.sin(angle)];
        for (const row of s)
          [row[p], row[q]] = [
            c * (row[p] as number) - d * (row[q] as number),
            d * (row[p] as number) + c * (row[q] as number),
          ];
        const [rp, rq] = [[...(s[p] as number[])], [...(s[q] as number[])]];
        s[p] = rp.map((x, k) => c * x - d * (rq[k] as number));
        s[q] = rp.map((x, k) => d * x + c * (rq[k] as number));
      }
  return s.reduce((sum, row, i) => sum + Math.sqrt(Math.max(0, row[i] as number)), 0);
}

describe("pruning", () => {
  test("half of the edges stay, those with the highest logits, and no cycle", () => {
    const logits = zeros(5).map((row, from) => row.map((_, to) => from * 5 + to));
    const kept = pruneGraph(spatialMask(5, "complete", 0), temporalMask(5), { spatial: logits, temporal: logits }, 0.5);
    expect(edgesOf(kept.temporal)).toHaveLength(13);
    expect(isAcyclic(kept.spatial)).toBe(true);
    expect(kept.spatial[4]?.[3]).toBe(true);
    expect(kept.spatial[0]?.[1]).toBe(false);
  });
  test("masks: complete without self-edges, two layers, random by seed; a whole graph runs forward", () => {
    expect(edgesOf(spatialMask(5, "complete", 0))).toHaveLength(20);
    expect(edgesOf(spatialMask(5, "layered", 0))).toHaveLength(6);
    expect(spatialMask(5, "random", 1)).toEqual(spatialMask(5, "random", 1));
    expect(spatialMask(5, "random", 1)).not.toEqual(spatialMask(5, "random", 2));
    const whole = wholeGraph(spatialMask(4, "complete", 0), temporalMask(4));
    expect(edgesOf(whole.spatial).every(({ from, to }) => from < to)).toBe(true);
    expect(edgesOf(whole.spatial)).toHaveLength(6);
  });
  test.for([1, 2, 3])(
    "where some edges are useless and some do harm, they go, and what is needed stays (seed %i)",
    async (seed) => {
      const [spatial, temporal] = [spatialMask(5, "complete", 0), temporalMask(5)];
      const random = randomFromSeed(`noise/${seed}`);
      // Agent 4 has to hear agents 0 and 1; hearing agent 3 misleads it; all else changes nothing.
      const right = (on: Mask): number => (on[0]?.[4] && on[1]?.[4] && !on[3]?.[4] ? 0.9 : 0.1);
      const utility = async (_: number, { spatial: on }: { spatial: Mask }): Promise<number> =>
        random.uniform() < right(on) ? 1 : 0;
      const learned = await learnMasks(spatial, temporal, 10, utility, { seed, passes: 12, samples: 8 });
      const kept = pruneGraph(spatial, temporal, learned, 0.5);
      expect([kept.spatial[0]?.[4], kept.spatial[1]?.[4], kept.spatial[3]?.[4]]).toEqual([true, true, false]);
      expect(right(kept.spatial)).toBe(0.9);
      expect(edgesOf(kept.spatial).length).toBeLessThanOrEqual(10);
      expect(learned.utilities.at(-1)).toBeGreaterThan(learned.utilities[0] ?? 1);
    },
  );
});

test("an agent reads along the edges and nothing else; the decision reads the last round", async () => {
  const method = baselineNamed("agentprune-c");
  const team = method.restore?.(options, { agents: 3, spatial: [[0, 2]], temporal: [[2, 1]], utilities: [] });
  const asked: string[] = [];
  const model = scriptedModel(({ prompt }: CompletionRequest, call) => {
    asked.push(prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("\n") : "");
    return `reply ${call}`;
  });
  const models = Object.fromEntries((team?.agents ?? []).map((agent) => [agent, model]));
  const episode = await team?.run(
    { id: "1", question: "?", gold: "" },
    { models, sampling: { temperature: 1 }, random: randomFromSeed(0) },
  );
  const reads = episode?.ledger.calls.map(({ agent, reads: heard }) =>
    `${agent} <- ${heard.map(({ from }) => from).join(" ")}`.trim(),
  );
  expect(reads).toEqual([
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
