import { probeFleet } from "@laconic/openai/fleet";
import { isReplyRequest, lying } from "@laconic/openai/testing";
import { describe, expect, test, vi } from "vitest";
import { onFakes, quick, requests, step, type OnFakes, type OnFakesOptions } from "./on-fakes.ts";

/** A probe has about twenty requests, and the machine may be busy. */
const patient = { timeout: 15_000, interval: 20 };

interface Timed extends OnFakes {
  readonly pass: (ms: number) => void;
}

async function open(kind: "vllm" | "sglang", fleet: OnFakesOptions["fleet"] = {}): Promise<Timed> {
  let ms = 0;
  const sleep = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const clock = { ...quick, nowMs: () => ms, sleep };
  const made = await onFakes({ kind, fleet: { clock, concurrency: 1, ...fleet } });
  for (let steps = 0; steps < 3; steps++) await step(made.local);
  await probeFleet(made.fleet, made.model, { vocabularySize: 13, takesRaw: true });
  return { ...made, pass: (wait) => void (ms += wait) };
}

describe.each(["vllm", "sglang"] as const)("on %s", (kind) => {
  test("excludes a server with a false load within ten replies and readmits it after the load", async () => {
    const { model, fleet, one, two, notes, replies, pass } = await open(kind);
    const snapshot = await model.snapshot();
    await snapshot.sample(requests(4));
    await step(model);
    // Checks use the new weights, replies the old ones.
    one.faults = lying("stale", 13);
    let before = one.replies;
    // Sequential, so that each reply is judged before the next.
    for (const request of requests(72)) await model.sample([request]);
    // The check after a load requests one token and is not a reply.
    const checks = one.log.filter(
      ({ path, body }) => /completions|generate/u.test(path) && !isReplyRequest(path, body),
    );
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined", quarantines: 1 });
    expect(fleet.servers[0]?.thrown).toBeLessThanOrEqual(10);
    expect(one.replies - before).toBeLessThanOrEqual(10 + checks.length);
    expect(replies.every(({ gap }) => (gap ?? 1) < 1e-3)).toBe(true);

    // No probe is due yet. Later the server still fails its probe, and the wait doubles.
    pass(14_000);
    await model.sample(requests(4));
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined" });
    pass(2000);
    const asked = one.log.length;
    await model.sample(requests(4));
    await vi.waitUntil(() => /log-probs differ from the trainer's/u.test(fleet.servers[0]?.reason ?? ""), patient);
    expect(one.log.length).toBeGreaterThan(asked);
    expect(fleet.servers[0]).toMatchObject({ state: "quarantined", quarantines: 1 });

    one.faults = () => null;
    pass(31_000);
    await model.sample(requests(4));
    await vi.waitUntil(() => fleet.servers[0]?.state === "up", patient);
    expect(notes.at(-1)).toBe(`${one.url}: passed a probe and is used again`);
    before = one.replies;
    await model.sample(requests(24));
    expect(one.replies).toBeGreaterThan(before);
    expect(fleet.servers.map(({ state }) => state)).toEqual(["up", "up"]);
    expect(replies.every(({ gap }) => (gap ?? 1) < 1e-3)).toBe(true);
    expect(two.inFlight).toBe(0);
    await snapshot.dispose();
  });

  test("with all servers in quarantine, probes each at once and uses a recovered one", async () => {
    const { model, fleet, one, two, replies } = await open(kind);
    two.faults = lying("wrong-ids", 13);
    // Ten wrong replies, then correct ones before the probe, which starts when both are excluded.
    one.faults = lying("permuted", 13, (nth) => nth < 10);
    expect(await model.sample(requests(24))).toHaveLength(24);
    expect(fleet.servers.map(({ state, quarantines }) => [state, quarantines])).toEqual([
      ["up", 1],
      ["quarantined", 1],
    ]);
    expect(replies.every(({ server, gap }) => server !== two.url && (gap ?? 1) < 1e-3)).toBe(true);
  });

  test("silent servers end a request by name within the patience time and one reply", async () => {
    let ms = 0;
    const waits: AbortController[] = [];
    const timeout = (): AbortSignal => {
      const late = new AbortController();
      waits.push(late);
      return late.signal;
    };
    const clock = { ...quick, nowMs: () => ms, timeout };
    const { model, one, two } = await open(kind, { clock, replyMs: 20_000, patienceMs: 30_000 });
    await model.sample(requests(4));
    const never = new Promise<void>(() => undefined);
    const hanging = (path: string, body: unknown): { kind: "waits"; until: Promise<void> } | null =>
      isReplyRequest(path, body) ? { kind: "waits", until: never } : null;
    for (const fake of [one, two]) fake.faults = hanging;
    let failed: unknown = null;
    const asked = model.sample(requests(1)).catch((error: unknown) => (failed = error));
    // Each missing reply takes 20 s, while the health checks succeed.
    for (let late = 0; failed === null; late += 1) {
      expect(late).toBeLessThan(4);
      await vi.waitUntil(() => failed !== null || one.inFlight + two.inFlight > late);
      ms += 20_000;
      for (const wait of waits.splice(0)) wait.abort(new DOMException("late", "TimeoutError"));
      await vi.waitUntil(() => failed !== null || one.inFlight + two.inFlight > late + 1);
    }
    await asked;
    expect(failed).toFailWith("api_unavailable", /no server of the fleet worked for 30 s: .*no reply in time/u);
    expect(ms).toBe(40_000);
  });
});
