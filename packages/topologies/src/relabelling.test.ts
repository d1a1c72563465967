import { ledgerTotals, randomFromSeed, type Episode, type Ledger } from "@laconic/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { graphTopology, plurality, type AgentSpec, type Edge } from "./index.ts";
import { randomPolicy } from "./testing/index.ts";

/** A random graph over agents 0..size-1: spatial edges go upwards, so there is no cycle; temporal ones go anywhere. */
const graphs = fc
  .record({
    size: fc.integer({ min: 1, max: 6 }),
    rounds: fc.integer({ min: 1, max: 3 }),
    seed: fc.nat(),
  })
  .chain(({ size, rounds, seed }) => {
    const positions = Array.from({ length: size }, (_, i) => i);
    const pairs = positions.flatMap((from) => positions.map((to) => [from, to] as const));
    const upwards = pairs.filter(([from, to]) => from < to);
    return fc.record({
      size: fc.constant(size),
      rounds: fc.constant(rounds),
      seed: fc.constant(seed),
      spatial: fc.subarray(upwards),
      temporal: rounds > 1 ? fc.subarray(pairs) : fc.constant([]),
      names: fc.shuffledSubarray(["u", "v", "w", "x", "y", "z"], {
        minLength: size,
        maxLength: size,
      }),
    });
  });

const relabel = (ledger: Ledger, rename: (agent: string) => string): Ledger => ({
  calls: ledger.calls.map((call) => ({
    ...call,
    agent: rename(call.agent),
    reads: call.reads.map((read) => ({ ...read, from: rename(read.from) })),
  })),
});

test("relabelling agents permutes the ledger", async () => {
  await fc.assert(
    fc.asyncProperty(graphs, async ({ size, rounds, seed, spatial, temporal, names }) => {
      const plain = Array.from({ length: size }, (_, i) => String(i));
      const run = (labels: readonly string[]): Promise<Episode> => {
        const edges = (pairs: readonly (readonly [number, number])[]): Edge[] =>
          pairs.map(([from, to]) => ({ from: labels[from] as string, to: labels[to] as string }));
        const agents = labels.map<AgentSpec>((id) => ({
          id,
          role: "speaker",
          maxTokens: 5,
          prompt: ({ inbox, round }) => ({
            kind: "text",
            text: `${round}:${inbox.map(({ text }) => text).join(",")}`,
          }),
        }));
        const graph = {
          name: "random",
          agents,
          rounds,
          spatial: edges(spatial),
          temporal: edges(temporal),
          answer: plurality(labels),
        };
        return graphTopology(graph).run(
          { id: "p", question: "", gold: "" },
          {
            models: Object.fromEntries(labels.map((id) => [id, randomPolicy("m")])),
            sampling: { temperature: 1 },
            random: randomFromSeed(seed),
          },
        );
      };
      const [before, after] = [await run(plain), await run(names)];
      expect(after.ledger).toEqual(relabel(before.ledger, (agent) => names[Number(agent)] as string));
      expect(after.answer).toBe(before.answer);

      // What is read within a run never exceeds what was written times the edges it may travel.
      const totals = ledgerTotals(before.ledger);
      const edges = new Set([...spatial, ...temporal].map(([from, to]) => `${from}->${to}`));
      expect(Object.keys(totals.readByEdge).every((edge) => edges.has(edge))).toBe(true);
    }),
    { seed: 42, numRuns: 150 },
  );
});
