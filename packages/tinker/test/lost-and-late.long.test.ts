import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { conformanceOptimizer } from "@laconic/engine/testing";
import { fileJournal, TinkerClient } from "@laconic/tinker";
import type { Fault } from "@laconic/tinker/testing";
import { expect, test } from "vitest";
import { refusal } from "../../../test/refusal.ts";
import { summing, type ServedOptions } from "./test-server.ts";
import { logProbs, once, request, sequences, source, step, withServed } from "./faulty-runs.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

test("a server that dies during a save leaves no reference, and the earlier checkpoint resumes", async () => {
  const fault = once("save_weights", null, { kind: "drop" });
  await withServed({ record: { ...summing, deduplicates: false }, server: { fault } }, async (served, model) => {
    const [first, second] = [await temporaryFolder(), await temporaryFolder()];
    await step(model);
    await model.save(first);
    const saved = await logProbs(model);
    await step(model);
    expect(await refusal(model.save(second))).toFailWith("api_unavailable");
    served.server.forget();
    expect(await readdir(second)).toEqual([]);
    const fresh = await served.engine.createModel(source);
    await fresh.load(first);
    expect([fresh.weightVersion, await logProbs(fresh)]).toEqual([1, saved]);
    expect(await refusal(fresh.load(second))).toFailWith("checkpoint_missing");
  });
});

test("an unwritable journal is an error, and nothing is sent", async () => {
  const journal = fileJournal(join(await temporaryFolder(), "missing", "tinker.jsonl"));
  await withServed({ client: { journal } }, async ({ server }, model) => {
    expect(await refusal(step(model))).toFailWith("run_unwritable");
    expect(server.log.some(({ path }) => path === "forward")).toBe(false);
  });
});

test("rejects a checkpoint that its server never finished", async () => {
  const pending: Fault = { kind: "status", status: 425, text: "Checkpoint is still being created" };
  const fault = (path: string): Fault | null => (path === "load_weights" ? pending : null);
  await withServed({ server: { fault } }, async (served, model) => {
    const folder = await temporaryFolder();
    await model.save(folder);
    const fresh = await served.engine.createModel(source);
    expect(await refusal(fresh.load(folder))).toFailWith("api_unavailable", { status: 425 });
  });
});

test.each(["save_weights", "save_weights_for_sampler"])(
  "a name taken by %s in a lost attempt does not end the run",
  (path) =>
    withServed({ server: { fault: once(path, { kind: "status", status: 409 }) } }, async ({ server }, model) => {
      const folder = await temporaryFolder();
      await (path === "save_weights" ? model.save(folder) : model.sample([request]));
      const bodies = server.log.filter((item) => item.path === path).map(({ body }) => body);
      expect(bodies).toHaveLength(2);
      expect(bodies[0]).not.toEqual(bodies[1]);
    }),
);

test("the server rejects a repeated number with another body", () =>
  withServed({}, async ({ client }, model) => {
    const again = await TinkerClient.connect({ baseUrl: client.transport.base });
    await step(model);
    // A journal that was lost starts at 1 again.
    const resumed = await again.resumeModel(model.id);
    const before = await logProbs(model);
    const adam = { learningRate: 1, beta1: 0, beta2: 0, epsilon: 1, weightDecay: 0 };
    expect(await refusal(resumed.optimStep(adam))).toFailWith("api_refused", { status: 409 });
    expect(await logProbs(model)).toEqual(before);
    again.close();
  }));

test("an unknown session ends its models before a request reaches another session's model", async () => {
  let silence: LaconicError | null = null;
  const client = { heartbeatMs: 5, onSilence: (error: LaconicError) => (silence ??= error) };
  await withServed({ client }, async ({ server }, model) => {
    await step(model);
    server.forget();
    await expect.poll(() => silence?.detail["status"]).toBe(404);
    const sent = server.log.filter(({ path }) => path !== "session_heartbeat").length;
    const error = await refusal(model.forward(sequences));
    expect(error).toFailWith("engine_failed", "lost session");
    expect(server.log.filter(({ path }) => path !== "session_heartbeat")).toHaveLength(sent);
  });
});

test("detects a server that answers for another model", async () => {
  await withServed({ server: { fault: once("asample", { kind: "other-weights" }) } }, async ({ server }, model) => {
    const [reply] = await model.sample([request]);
    const { promptTokens, tokens: completionTokens } = reply!;
    const call = model.forwardBackward([{ promptTokens, completionTokens }], ({ values }) => values.map(() => -1));
    expect((await refusal(call)).message).toContain("the server sampled with other weights than it trains");
    await model.optimStep(conformanceOptimizer).catch(() => undefined);
    expect(server.log.some(({ path }) => path === "optim_step")).toBe(false);
  });
  const fault = once("get_info", { kind: "other-model" });
  await withServed({ server: { fault } }, async ({ client }, model) => {
    expect((await refusal(client.resumeModel(model.id))).message).toContain("got another");
  });
});

test("a server too slow for one request ends the model, and nothing is sent twice", async () => {
  const fault = once("optim_step", { kind: "slow", ms: 2000 });
  const options: ServedOptions = {
    record: { ...summing, deduplicates: false },
    server: { fault },
    client: { exchangeMs: 200 },
  };
  await withServed(options, async ({ server }, model) => {
    const error = await refusal(step(model));
    expect(error).toFailWith("api_unavailable", { outcome: "unknown" });
    expect(error.message).toContain("no reply in time");
    expect(server.log.filter(({ path }) => path === "optim_step")).toHaveLength(1);
    expect(await refusal(model.forward(sequences))).toFailWith("engine_failed");
  });
});

test.each([425, 502, 504])("retries status %i for a pass if numbers run once", (status) =>
  withServed({ server: { fault: once("forward_backward", { kind: "status", status }) } }, async ({ server }, model) => {
    await step(model);
    expect(server.log.filter(({ path }) => path === "forward_backward")).toHaveLength(2);
  }),
);
