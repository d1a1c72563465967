import type { SampleRequest, SampleResult } from "@laconic/core";
import { probeFleet } from "@laconic/openai/fleet";
import { lies, lying } from "@laconic/openai/testing";
import { describe, expect, test, vi } from "vitest";
import { onFakes, requests, step, type OnFakes, type OnFakesOptions } from "./on-fakes.ts";

async function open(options?: OnFakesOptions): Promise<OnFakes> {
  const made = await onFakes(options);
  for (let steps = 0; steps < 3; steps++) await step(made.local);
  const record = await probeFleet(made.fleet, made.model, { vocabularySize: 13, takesRaw: true });
  expect([record.refused, record.replyTolerance]).toEqual([[], 1e-3]);
  return made;
}

const longer = (count: number, temperature = 1): SampleRequest[] =>
  requests(count, temperature).map((request) => ({ ...request, sampling: { ...request.sampling, maxTokens: 24 } }));
const said = (replies: readonly SampleResult[]): unknown[] =>
  replies.map(({ tokens, logProbs, finishReason }) => [tokens, logProbs, finishReason]);

describe.each(["vllm", "sglang"] as const)("on %s", (kind) => {
  const conditions: readonly (readonly [string, (nth: number, body: unknown) => boolean, number, boolean])[] = [
    ["in every reply", () => true, 1, true],
    [
      "in every reply of evaluations, which are greedy",
      (_, body) => /"temperature":0[,}]/u.test(JSON.stringify(body)),
      0,
      true,
    ],
    // Enough wrong replies for detection, even if a busy machine sends it a third of the requests.
    ["in every third reply", (nth) => nth % 3 === 2, 1, true],
    ["in one reply", (nth) => nth === 3, 1, false],
  ];
  // Replies of honest servers depend on the requests only.
  const honest = new Map<number, Promise<unknown[]>>();
  const healthyReplies = (temperature: number, asked: readonly SampleRequest[]): Promise<unknown[]> => {
    const known = honest.get(temperature) ?? open({ kind }).then(async ({ model }) => said(await model.sample(asked)));
    honest.set(temperature, known);
    return known;
  };
  test.each(
    // Every lie and condition for one kind of server; the other kind differs only in its request format.
    lies
      .filter((how) => how !== "noise")
      .flatMap((how, i) =>
        conditions
          .filter((_, j) => kind === "vllm" || j === i % conditions.length)
          .map((condition) => [how, ...condition] as const),
      ),
  )(
    "%s %s: accepts none of its replies and excludes a persistent liar with a reason",
    async (how, _, when, temperature, skipped) => {
      const { model, one, two, fleet, notes, replies } = await open({ kind });
      const asked = longer(200, temperature).map((request, i) => ({
        ...request,
        // All prompts differ, because swapping replies to equal prompts is harmless.
        promptTokens: [1 + (i % 12), 1 + (Math.floor(i / 12) % 12), 1 + Math.floor(i / 144), 5],
      }));
      const expected = await healthyReplies(temperature, asked);
      one.faults = lying(how, 13, when);
      expect(said(await model.sample(asked))).toEqual(expected);
      expect(replies).toHaveLength(200);
      for (const { gap } of replies) expect(gap).toBeLessThan(1e-6);
      expect(fleet.servers[0]?.state).toBe(skipped ? "quarantined" : "up");
      expect(fleet.servers[1]).toMatchObject({ state: "up", url: two.url, failures: 0 });
      expect(fleet.servers[0]?.failures).toBeGreaterThan(0);
      expect(notes.every((note) => note.startsWith(`${one.url}: `))).toBe(true);
      const ends = notes.filter((note) => note.includes("the server is in quarantine"));
      expect(ends).toHaveLength(skipped ? 1 : 0);
    },
  );

  test("excludes a server that samples at random with true log-probs", async () => {
    const { model, one, fleet, notes, replies } = await open({ kind });
    one.faults = lying("noise", 13);
    await model.sample(longer(200));
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined" });
    expect(notes.join("\n")).toContain("look random");
    // Some of thirteen tokens match by chance; with a real vocabulary almost none does.
    expect(replies.filter(({ server }) => server === one.url).length).toBeLessThan(100);
  });

  test("the run ends with both names if both servers fail", async () => {
    const { model, one, two } = await open({ kind });
    one.faults = lying("wrong-ids", 13);
    two.faults = lying("permuted", 13);
    const failed = await model.sample(longer(48)).then(
      () => null,
      (error: Error) => error.message,
    );
    expect(failed).toMatch(/all servers are in quarantine|log-probs of a reply differ/u);
    // The next request reports both.
    const next = await model.sample(longer(1)).then(
      () => null,
      (error: Error) => error.message,
    );
    for (const { url } of [one, two]) expect(next).toContain(url);
  });

  test("excludes a server with older weights that passes load checks", async () => {
    const { model, one, fleet, notes } = await open({ kind });
    const snapshot = await model.snapshot();
    await snapshot.sample(requests(12));
    await step(model);
    one.faults = lying("stale", 13);
    await model.sample(longer(64));
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined" });
    expect(notes.at(-1)).toMatch(/the server is in quarantine/u);
    await snapshot.dispose();
  });

  test("detects a lying server with locally computed log-probs", async () => {
    const { model, one, fleet } = await open({ kind, fake: { logProbs: "raw" }, model: { logProbs: "forward" } });
    const healthy = await open({ kind, fake: { logProbs: "raw" }, model: { logProbs: "forward" } });
    one.faults = lying("wrong-ids", 13);
    expect(said(await model.sample(longer(48, 0.7)))).toEqual(said(await healthy.model.sample(longer(48, 0.7))));
    expect(fleet.servers.map(({ state }) => state)).toEqual(["quarantined", "up"]);
  });

  test("compares vLLM's cut distributions one-sidedly and finds liars", async () => {
    const cut = longer(48).map((request) => ({ ...request, sampling: { ...request.sampling, topP: 0.9 } }));
    const { model, one, fleet } = await open({ kind, model: { logProbs: "forward" } });
    expect(await model.sample(cut)).toHaveLength(48);
    expect(fleet.servers.map(({ state, failures }) => [state, failures])).toEqual([
      ["up", 0],
      ["up", 0],
    ]);
    one.faults = lying("permuted", 13);
    expect(await model.sample(cut)).toHaveLength(48);
    expect(fleet.servers.map(({ state }) => state)).toEqual(["quarantined", "up"]);
  });
});

test("the learner reuses the check's pass", async () => {
  const { model, local } = await open();
  const passed = vi.spyOn(local, "forward");
  const replies = await model.sample(longer(24));
  const rows = passed.mock.calls.flatMap(([sequences]) => sequences);
  expect(rows).toHaveLength(24);
  const sequences = replies.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens }));
  const { logProbs, entropy } = await model.forward(sequences);
  expect(passed.mock.calls.flatMap(([group]) => group)).toHaveLength(24);
  const sequenceLogProbs = await local.forward(sequences);
  expect([logProbs, entropy]).toEqual([sequenceLogProbs.logProbs, sequenceLogProbs.entropy]);
  // Updated weights give other log-probs.
  await step(model);
  passed.mockClear();
  await model.forward(sequences);
  expect(passed.mock.calls.flatMap(([group]) => group)).toHaveLength(24);
});

test("a server stays excluded after a new probe if its last replies fail", async () => {
  const { model, one, fleet } = await open();
  one.faults = lying("wrong-ids", 13);
  await model.sample(longer(24));
  expect(fleet.servers[0]).toMatchObject({ state: "quarantined" });
  one.faults = () => null;
  for (let i = 0; i < 5; i++) await model.sample(requests(4));
  expect(fleet.servers[0]).toMatchObject({ state: "quarantined", inFlight: 0 });
});
