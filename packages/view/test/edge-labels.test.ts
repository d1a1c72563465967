import type { EdgeCost } from "@laconic/core/ledger";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edgePath, layoutOf } from "../web/parts/graph-layout.ts";
import { inReward, labelsOf, nameRoom, shownName, type Box, type GraphNote } from "../web/parts/graph-labels.ts";

function picture(agents: readonly string[], edges: readonly EdgeCost[], room: number, answerer?: string) {
  const notes = Object.fromEntries(
    agents.map((agent): [string, GraphNote] => [agent, { text: "knows k6", kind: "private" }]),
  );
  const layout = layoutOf(agents, edges, answerer, room);
  const drawn = edges.flatMap((edge) => {
    const path = edgePath(layout, edge, 22);
    return path ? [{ edge, path }] : [];
  });
  return { layout, ...labelsOf({ agents, notes, prices: inReward }, layout, drawn) };
}

const star = (tellers: number, tokens: (i: number) => number): { agents: string[]; edges: EdgeCost[] } => {
  const holders = Array.from({ length: tellers }, (_, i) => `holder-${"abcdefgh"[i]}`);
  return {
    agents: [...holders, "solver"],
    edges: holders.map((from, i) => ({ from, to: "solver", tokens: tokens(i), cost: 0.004 * tokens(i) })),
  };
};

const areApart = (a: Box, b: Box): boolean =>
  2 * Math.abs(a.x - b.x) >= a.width + b.width || 2 * Math.abs(a.y - b.y) >= a.height + b.height;

describe("labels on the edges of a team's picture", () => {
  test.each([2, 3, 4])("%d tellers on a phone have tokens and price on every edge", (tellers) => {
    const { agents, edges } = star(tellers, (i) => [17.4, 0, 19.6, 8][i] ?? 1);
    const { labels, unlabelled, layout } = picture(agents, edges, 310, "solver");
    expect(unlabelled).toBe(0);
    expect(layout.below).toBe("solver");
    expect(labels.slice(0, 2).map(({ tokens, price }) => [tokens, price])).toEqual([
      ["17 tokens", "costs 0.07"],
      ["nothing", null],
    ]);
  });

  test("names do not overlap and stay in the picture", () => {
    const { agents, edges } = star(5, () => 1);
    const phone = layoutOf(agents, edges, "solver", 310);
    const [first, last] = [nameRoom(phone, "holder-a"), nameRoom(phone, "solver")];
    expect(first).toBeLessThan(98);
    expect(last).toBe(490);
    const long = "n".repeat(60);
    expect([shownName("holder-a", first), shownName(long, first), shownName("知識持有者甲的名字", first)]).toEqual([
      "holder-a",
      "nnnnnnn…",
      "知識持有者…",
    ]);
    expect(shownName(long, last)).toBe(`${"n".repeat(26)}…`);
    const circle = layoutOf(agents, [{ from: "solver", to: "holder-a" }], undefined, 310);
    for (const agent of agents) expect(nameRoom(circle, agent)).toBeLessThanOrEqual(2 * (circle.places[agent]?.x ?? 0));
  });

  test("writes one token in the singular", () => {
    const { agents, edges } = star(2, (i) => [1, 0.96][i] ?? 0);
    expect(picture(agents, edges, 480, "solver").labels.map(({ tokens }) => tokens)).toEqual(["1 token", "1 token"]);
  });

  test("shortens labels to numbers and counts omitted ones", () => {
    const all = (agents: readonly string[]): EdgeCost[] =>
      agents.flatMap((from) =>
        agents.filter((to) => to !== from).map((to) => ({ from, to, tokens: 12.3, cost: 0.05 })),
      );
    const four = ["ada", "bert", "cleo", "dora"];
    const { labels, unlabelled } = picture(four, all(four), 480);
    expect(labels.length + unlabelled).toBe(12);
    expect(labels.length).toBeGreaterThanOrEqual(8);
    expect(labels.every(({ tokens, price }) => tokens === "12" && price === "0.05")).toBe(true);
  });

  test("labels overlap nothing and stay in the picture, and omitted ones are counted", () => {
    const some = fc.record({
      count: fc.integer({ min: 2, max: 7 }),
      room: fc.integer({ min: 240, max: 1000 }),
      isStar: fc.boolean(),
      tokens: fc.array(fc.double({ min: 0, max: 5000, noNaN: true }), { minLength: 42, maxLength: 42 }),
    });
    fc.assert(
      fc.property(some, ({ count, room, isStar, tokens }) => {
        const agents = Array.from({ length: count }, (_, i) => `agent-${i}`);
        const answerer = agents.at(-1) as string;
        const pairs = agents.flatMap((from) =>
          agents.filter((to) => to !== from && (!isStar || to === answerer)).map((to) => ({ from, to })),
        );
        const edges = pairs
          .filter(({ from }) => !isStar || from !== answerer)
          .map((pair, i) => ({ ...pair, tokens: tokens[i] as number, cost: 0.01 * (tokens[i] as number) }));
        const { layout, labels, unlabelled } = picture(agents, edges, room, answerer);
        expect(labels.length + unlabelled).toBe(edges.length);
        const circles = Object.values(layout.places).map(({ x, y }) => ({ x, y, width: 60, height: 60 }));
        for (const [i, { box }] of labels.entries()) {
          expect(Math.min(box.x - box.width / 2, box.y - box.height / 2)).toBeGreaterThanOrEqual(-1e-9);
          expect(box.x + box.width / 2).toBeLessThanOrEqual(layout.width + 1e-9);
          expect(box.y + box.height / 2).toBeLessThanOrEqual(layout.height + 1e-9);
          for (const other of [...circles, ...labels.slice(i + 1).map((label) => label.box)])
            expect(areApart(box, other)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});
