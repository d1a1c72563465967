import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { conformanceOptimizer } from "@laconic/engine/testing";
import { fileJournal, TinkerClient, tinkerEngine, type JournalEntry } from "@laconic/tinker";
import { probeServer, skyrlTrainServer, type Fault } from "@laconic/tinker/testing";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../test/refusal.ts";
import { averaging, serve, summing, type ServedOptions } from "./test-server.ts";
import { logProbs, once, request, sequences, source, step, withServed } from "./faulty-runs.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

describe("a connection that breaks after the server has the request", () => {
  test("is retried if numbers run once, with unchanged weights", async () => {
    const trained = async (options: ServedOptions): Promise<number[]> => {
      let matches: number[] = [];
      await withServed(options, async (_, model) => {
        await step(model);
        matches = await logProbs(model);
      });
      return matches;
    };
    const plain = await trained({});
    for (const path of ["forward", "forward_backward", "optim_step"])
      expect(await trained({ server: { fault: once(path, { kind: "drop-after" }) } })).toEqual(plain);
  });

  test.each(["forward_backward", "optim_step"])("a model ends at %s if numbers can repeat", (path) =>
    withServed(
      { record: { ...summing, deduplicates: false }, server: { fault: once(path, { kind: "drop-after" }) } },
      async ({ server }, model) => {
        const error = await refusal(step(model));
        expect(error).toFailWith("api_unavailable", { outcome: "unknown" });
        const sent = server.log.length;
        expect(await refusal(model.forward(sequences))).toFailWith("engine_failed");
        expect(server.log).toHaveLength(sent);
      },
    ),
  );

  test("never doubles a step, and a checkpoint resumes", () =>
    withServed({ record: { ...summing, deduplicates: false } }, async (served, model) => {
      const folder = await temporaryFolder();
      await step(model);
      await model.save(folder);
      const saved = await logProbs(model);
      // As after a kill -9: models, sessions and promises are gone.
      served.server.forget();
      expect(await refusal(step(model))).toFailWith("engine_failed", { outcome: "lost" });
      const fresh = await served.engine.createModel(source);
      await fresh.load(folder);
      expect(fresh.weightVersion).toBe(1);
      expect(await logProbs(fresh)).toEqual(saved);
    }));
});

describe("training never uses wrong weights silently", () => {
  test.each(["not-finite", "other-weights"] as const)("a pass that returns %s ends the model before its step", (kind) =>
    withServed({ server: { fault: once("forward_backward", { kind }) } }, async ({ server }, model) => {
      const { code } = await refusal(step(model));
      expect(code).toBe(kind === "not-finite" ? "numeric_invalid" : "engine_failed");
      expect(server.log.filter(({ path }) => path === "optim_step")).toHaveLength(0);
      expect(await refusal(model.forward(sequences))).toFailWith("engine_failed");
    }),
  );

  test("does not ask a following sampler for old weights", () =>
    withServed({ record: averaging, engine: {} }, async (_, model) => {
      const snapshot = await model.snapshot();
      const [before] = await snapshot.sample([request]);
      expect(before?.tokens.length).toBeGreaterThan(0);
      await step(model);
      expect((await refusal(snapshot.sample([request]))).message).toContain("this sampler is outdated");
      expect((await refusal(snapshot.forward(sequences))).message).toContain("this sampler is outdated");
      await model.sample([request]);
    }));

  test("one save serves all samples of a weight version", () =>
    withServed({}, async ({ server }, model) => {
      const saves = (): number => server.log.filter(({ path }) => path === "save_weights_for_sampler").length;
      await Promise.all([model.sample([request, request]), model.sample([request])]);
      await model.snapshot();
      expect(saves()).toBe(1);
      await step(model);
      await model.sample([request]);
      expect(saves()).toBe(2);
    }));

  test("rejects a norm above the ceiling and unsupported clipping", async () => {
    await withServed({ engine: { gradientCeiling: 1e-6 } }, async (_, model) => {
      expect(await refusal(step(model))).toFailWith("numeric_invalid", { ceiling: 1e-6 });
      expect(await refusal(model.forward(sequences))).toFailWith("engine_failed");
    });
    await withServed({ record: { ...summing, clips: false } }, async ({ server }, model) => {
      await model.forwardBackward(sequences, ({ values }) => values.map(() => 1));
      expect(await refusal(model.optimStep(conformanceOptimizer))).toFailWith("config_invalid", { key: "maxGradNorm" });
      expect(server.log.some(({ path }) => path === "forward_backward")).toBe(false);
    });
  });
});

describe("server answers", () => {
  test.each([
    [408, "api_unavailable"],
    [409, "api_refused"],
    [422, "api_refused"],
    [500, "api_unavailable"],
    [503, "api_unavailable"],
  ])("status %i for a step that may run twice is %s without a retry", (status, code) =>
    withServed(
      {
        record: { ...summing, deduplicates: false },
        server: { fault: once("optim_step", { kind: "status", status }) },
      },
      async ({ server }, model) => {
        expect(await refusal(step(model))).toMatchObject({ code, detail: { status } });
        expect(server.log.filter(({ path }) => path === "optim_step")).toHaveLength(1);
      },
    ),
  );

  test("retries 429 and reports the waits", async () => {
    const reported: string[] = [];
    const fault = once("optim_step", { kind: "status", status: 429 }, { kind: "status", status: 429 });
    await withServed(
      {
        record: { ...summing, deduplicates: false },
        server: { fault },
        client: { onRetry: ({ path, attempt }) => reported.push(`${path} ${attempt}`) },
      },
      async (_, model) => {
        await step(model);
        expect(model.weightVersion).toBe(1);
      },
    );
    expect(reported).toEqual(["optim_step 1", "optim_step 2"]);
  });

  test("reports a forgotten promise", async () => {
    let forgetful = false;
    const fault = (path: string): Fault | null =>
      forgetful && path === "retrieve_future" ? { kind: "status", status: 410 } : null;
    await withServed({ server: { fault } }, async (_, model) => {
      forgetful = true;
      expect(await refusal(model.forward(sequences))).toMatchObject({ detail: { outcome: "expired" } });
      forgetful = false;
    });
  });

  test("a failed promise and invalid JSON are named errors", async () => {
    for (const [fault, code] of [
      [once("forward", { kind: "fails", category: "user" }), "api_refused"],
      [once("forward", { kind: "garbage" }), "reply_malformed"],
    ] as const)
      await withServed({ server: { fault } }, async (_, model) => {
        expect(await refusal(model.forward(sequences))).toMatchObject({ code });
      });
  });

  test("a result that never comes ends at the deadline", () => {
    let nowMs = 0;
    const clock = {
      nowMs: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    };
    const client = { deadlineMs: 30_000, clock };
    return withServed({ server: { fault: once("forward", { kind: "never" }) }, client }, async (_, model) => {
      expect(await refusal(model.forward(sequences))).toFailWith("api_unavailable", { deadlineMs: 30_000 });
    });
  });

  test("no error contains the key", () =>
    withServed(
      {
        client: { apiKey: "tml-secret" },
        server: { fault: once("forward", { kind: "status", status: 422, text: "tml-secret" }) },
      },
      async (_, model) => {
        const error = await refusal(model.forward(sequences));
        expect(JSON.stringify([error.message, error.detail])).not.toContain("secret");
        expect(error.message).toContain("[redacted]");
      },
    ));
});

describe("requests that are never sent", () => {
  test("include an empty batch, an invalid token and a non-finite gradient", () =>
    withServed({}, async ({ server }, model) => {
      const sent = server.log.length;
      await model.forward([]);
      await refusal(model.forward([{ promptTokens: [1], completionTokens: [13] }]));
      await refusal(model.sample([{ ...request, promptTokens: [99] }]));
      expect(server.log).toHaveLength(sent);
      await refusal(model.forwardBackward(sequences, ({ values }) => values.map(() => NaN)));
      expect((await model.optimStep(conformanceOptimizer)).applied).toBe(false);
      expect(server.log.some(({ path }) => path === "forward_backward")).toBe(false);
    }));

  test("include settings without a protocol field, rejected by name", () =>
    withServed({}, async ({ engine }, model) => {
      for (const [change, key] of [
        [{ sampling: { temperature: 1, maxTokens: 4, minP: 0.1 } }, "minP"],
        [{ topLogProbs: 1 }, "topLogProbs"],
      ] as const)
        expect((await refusal(model.sample([{ ...request, ...change }]))).detail["key"]).toBe(key);
      expect((await refusal(model.forward([{ ...sequences[0]!, temperature: 0.5 }]))).detail["key"]).toBe(
        "temperature",
      );
      for (const [lora, key] of [
        [{ rank: 4, alpha: 8 }, "alpha"],
        [{ rank: 4, alpha: 32, dropout: 0.1 }, "dropout"],
        [{ rank: 4, alpha: 32, targets: ["q_proj"] }, "targets"],
      ] as const)
        expect((await refusal(engine.createModel({ ...source, lora }))).detail["key"]).toBe(key);
      const other = { ...source, base: { kind: "folder", path: "another" } } as const;
      expect(await refusal(engine.createModel(other))).toFailWith("model_unsupported");
    }));

  test("include a key in the address and plain http to another machine", async () => {
    for (const baseUrl of ["http://user:key@127.0.0.1:1", "http://example.com", "ftp://127.0.0.1", "nothing"])
      expect(await refusal(TinkerClient.connect({ baseUrl }))).toFailWith("config_invalid");
  });
});

describe("the probe", () => {
  test.each([
    ["adds up", summing],
    ["averages", averaging],
    [
      "takes a repeated number twice, and clips nothing",
      { ...summing, deduplicates: false, clips: false, gradNorm: null },
    ],
    ["clips at a norm of its own", { ...summing, clips: false, clipsItself: true }],
    ["clips at a norm of its own, or at a smaller one that is asked for", { ...averaging, clipsItself: true }],
    ["keeps betas and epsilon, and clips at 1, as SkyRL on FSDP and Megatron", { ...summing, ...skyrlTrainServer }],
    ["keeps betas and epsilon, and clips nothing", { ...summing, optimizer: "own", clips: false } as const],
    ["keeps betas and epsilon, and clips as it is asked", { ...averaging, optimizer: "own" } as const],
  ])("detects that a server %s", (_, record) =>
    withServed({ record }, async ({ client }) => {
      expect(await probeServer(client, { baseModel: "tiny", vocabularySize: 13 })).toEqual(record);
    }),
  );

  test("rejects a server with another loss or without the model", async () => {
    await withServed({ server: { onlyLoss: "cross_entropy" } }, async ({ client }) => {
      const error = await refusal(probeServer(client, { baseModel: "tiny", vocabularySize: 13 }));
      expect(error.message).toContain("importance_sampling");
    });
    const blind = { ...summing, optimizer: "own", gradNorm: null } as const;
    await withServed({ record: blind }, async ({ client }) => {
      const error = await refusal(probeServer(client, { baseModel: "tiny", vocabularySize: 13 }));
      expect(error.message).toContain("no gradient norm is reported");
    });
    const wrong = { ...summing, ...skyrlTrainServer };
    await withServed({ record: wrong, server: { onlyLoss: "cross_entropy" } }, async ({ client }) => {
      const error = await refusal(probeServer(client, { baseModel: "tiny", vocabularySize: 13 }));
      expect(error.message).toContain("importance_sampling");
    });
    await withServed({}, async ({ client }) => {
      // Without a size, of tokens that the model itself writes.
      expect(await probeServer(client, { baseModel: "tiny" })).toEqual(summing);
      const error = await refusal(probeServer(client, { baseModel: "other", vocabularySize: 13 }));
      expect(error).toFailWith("model_unsupported", "available: tiny");
    });
  });
});

test("hundreds of samples run 64 at a time over all samplers", async () => {
  let open = 0;
  let most = 0;
  const counting: typeof fetch = async (...call) => {
    most = Math.max(most, ++open);
    return fetch(...call).finally(() => (open -= 1));
  };
  const served = await serve({ client: { fetch: counting } });
  const models = await Promise.all([1, 2].map((seed) => served.engine.createModel({ ...source, seed })));
  const short = { ...request, sampling: { temperature: 1, maxTokens: 2 } };
  const requests = Array.from({ length: 200 }, () => short);
  const replies = await Promise.all(models.map((model) => model.sample(requests)));
  expect(replies.flat()).toHaveLength(400);
  expect(most).toBeGreaterThan(32);
  expect(most).toBeLessThanOrEqual(64 + 1); // and a sign of life
  await served.close();
});

test("a journal on disk keeps numbers unique after a restart", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "journal.jsonl");
  const journal = fileJournal(file);
  const served = await serve({ client: { journal } });
  const model = await served.engine.createModel(source);
  await step(model);
  const noted = (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalEntry);
  expect(noted.map(({ seq, path }) => `${seq} ${path}`)).toEqual(["1 forward", "2 forward_backward", "3 optim_step"]);
  const again = await TinkerClient.connect({ baseUrl: served.server.url, journal: fileJournal(file) });
  const resumed = await again.resumeModel(model.id);
  await resumed.optimStep({ learningRate: 0, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 });
  expect(await fileJournal(file).lastOf(model.id)).toBe(4);
  again.close();
  await served.close();
});

test("a closed engine frees its models and stops heartbeats", async () => {
  const served = await serve({ client: { heartbeatMs: 5 } });
  await served.engine.createModel(source);
  await tinkerEngine({ client: served.client, record: summing, vocabularySize: 13 }).createModel(source);
  await served.engine.close();
  const { log } = served.server;
  expect(log.filter(({ path }) => path === "unload_model")).toHaveLength(1);
  const beats = log.filter(({ path }) => path === "session_heartbeat").length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(log.filter(({ path }) => path === "session_heartbeat").length - beats).toBeLessThanOrEqual(1);
  await served.server.close();
  await served.local.close();
});
