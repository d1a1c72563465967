import { join } from "node:path";
import type { Engine, TrainableModel } from "@laconic/core";
import { createInlineEngine, localPolicy } from "@laconic/engine";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import {
  Fleet,
  fleetPolicy,
  probeFleet,
  sglangServer,
  vllmServer,
  type SampledReply,
  type ServerStatus,
} from "@laconic/openai/fleet";
import { lying, startFakeSglang, startFakeVllm, type FakeServer } from "@laconic/openai/testing";
import {
  openRun,
  parseTrainConfig,
  silentRecorder,
  runSpec,
  train,
  type Metrics,
  type TrainingParts,
} from "@laconic/trainer";
import { tinyAdapter, tinyLlama, tinySettings, tinyTask, tinyTokenizer } from "@laconic/trainer/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const settings = {
  ...tinySettings,
  steps: 6,
  prices: {},
  optimizer: { learningRate: { peak: 0.02, warmUpSteps: 0, decay: "constant", finalFraction: 1 } },
  evaluation: { every: 0, problems: 12, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
};
const episodes = 6 * 8;

interface Set {
  readonly fakes: readonly FakeServer[];
  readonly replies: SampledReply[];
  readonly folder: string;
  readonly engine: Engine;
  readonly sleeps?: boolean;
}

async function servers(kind: "vllm" | "sglang"): Promise<Set> {
  const engine = await createInlineEngine([createReferenceKernels()]);
  const start = kind === "vllm" ? startFakeVllm : startFakeSglang;
  const fakes = [
    await start({ engine, base: tinyLlama, contextLength: 32 }),
    await start({ engine, base: tinyLlama, contextLength: 32 }),
  ];
  const folder = await temporaryFolder();
  onTestFinished(async () => {
    for (const fake of fakes) await fake.close();
    await engine.close();
  });
  return { engine, fakes, folder, replies: [] };
}

async function partsOn(
  kind: "vllm" | "sglang",
  { engine, fakes, folder, replies, sleeps = false }: Set,
  source = tinyAdapter,
  notes: string[] = [],
): Promise<TrainingParts & { readonly local: TrainableModel; readonly fleet: Fleet }> {
  const connect = kind === "vllm" ? vllmServer : sglangServer;
  const { vocabularySize } = tinyTokenizer;
  const fleet = new Fleet({
    servers: fakes.map(({ url }) => connect({ url })),
    vocabularySize,
    // The port decides which prompts prefer a server; without slack, each gets part of every batch.
    slack: 0,
    sleeps,
    onReply: (reply) => replies.push(reply),
    onNote: (text) => notes.push(text),
  });
  const local = await engine.createModel(source);
  const task = tinyTask();
  const policy = fleetPolicy(
    {
      model: local,
      speak: (sampler: Parameters<typeof localPolicy>[0]["sampler"]) =>
        localPolicy({ id: "actor", sampler, tokenizer: tinyTokenizer, batching: "continuous" }),
      agents: task.topology.agents,
    },
    fleet,
    { name: "run.policy", folder },
  );
  await fleet.clear("run.");
  await probeFleet(fleet, policy.model, { vocabularySize });
  return { task, policies: { policy }, local, fleet };
}

async function trained(
  parts: TrainingParts,
  input: object = {},
): Promise<Awaited<ReturnType<typeof train>> & { readonly rows: readonly Metrics[] }> {
  const rows: Metrics[] = [];
  const recorder = silentRecorder((row) => rows.push(row));
  const spec = runSpec({ ...parts, settings: parseTrainConfig({ ...settings, ...input }) });
  return { ...(await train(spec, { recorder })), rows };
}

describe.each(["vllm", "sglang"] as const)("on %s", (kind) => {
  test("a run learns and loses no episode after a server's death during a step", async () => {
    const set = await servers(kind);
    const [one, two] = set.fakes as [FakeServer, FakeServer];
    const parts = await partsOn(kind, set);
    let asked = 0;
    let killed = false;
    one.faults = (path) => {
      // Killed in step 3, with replies in flight.
      if (/completions|generate/u.test(path) && parts.local.weightVersion === 4 && ++asked === 5) {
        killed = true;
        void one.kill();
      }
      return null;
    };
    const { rows } = await trained(parts, { asynchronous: null });
    expect(killed).toBe(true);
    expect(rows).toHaveLength(6);
    expect(rows.map((row) => row["scoring/scored"])).toEqual(Array.from({ length: 6 }, () => episodes));
    // A step has two optimizer steps, so versions 0, 2, 4 ... are sampled; each end evaluates 12 problems.
    const versions = set.replies.map(({ version }) => version);
    const count = (version: number): number => versions.filter((value) => value === version).length;
    expect([0, 2, 4, 6, 8, 10, 12].map(count)).toEqual([
      episodes + 12,
      ...Array.from({ length: 5 }, () => episodes),
      12,
    ]);
    expect(set.replies.some(({ attempts }) => attempts > 1)).toBe(true);
    for (const row of rows) expect(row["sampling/logp_difference_max"]).toBeLessThan(1e-6);
    expect(set.replies.filter(({ version, server }) => version > 4 && server !== two.url)).toEqual([]);
  });

  test("a run learns and repeats itself on repeatable servers", async () => {
    const set = await servers(kind);
    const parts = await partsOn(kind, set);
    const { rows } = await trained(parts);
    expect(rows.at(-1)?.["rewards/task/mean"]).toBeGreaterThan(rows[0]?.["rewards/task/mean"] as number);
    const again = await trained(await partsOn(kind, { ...set, replies: [] }));
    expect(again.rows.map((row) => row["rewards/task/mean"])).toEqual(rows.map((row) => row["rewards/task/mean"]));
  });
});

test.each([
  { name: "an adapter", source: tinyAdapter },
  { name: "all weights", source: tinyLlama },
])("servers sleep during updates of $name, and nothing else changes", async ({ source }) => {
  const outcomeOf = async (sleeps: boolean): Promise<unknown> => {
    const set = { ...(await servers("vllm")), sleeps };
    const parts = await partsOn("vllm", set, source);
    const isAsleep = async (): Promise<boolean[]> =>
      Promise.all(
        set.fakes.map(async ({ url }) => {
          const { is_sleeping } = (await (await fetch(`${url}/is_sleeping`)).json()) as { is_sleeping: boolean };
          return is_sleeping;
        }),
      );
    const pass = parts.local.forwardBackward.bind(parts.local);
    parts.local.forwardBackward = async (...call) => {
      expect(await isAsleep()).toEqual([sleeps, sleeps]);
      return pass(...call);
    };
    const { rows } = await trained(parts);
    await parts.fleet.clear("run.");
    expect(await isAsleep()).toEqual([false, false]);
    expect(set.fakes.flatMap(({ names }) => names)).toEqual([]);
    return rows.map((row) => [row["rewards/task/mean"], row["actor/grad_norm"]]);
  };
  expect(await outcomeOf(true)).toEqual(await outcomeOf(false));
});

test("quarantines a server with other weights after waking", async () => {
  const set = { ...(await servers("vllm")), sleeps: true };
  const notes: string[] = [];
  const parts = await partsOn("vllm", set, tinyAdapter, notes);
  const [one] = set.fakes as [FakeServer];
  one.faults = () => (one.log.some(({ path }) => path === "/wake_up") ? { kind: "stale" } : null);
  const { rows } = await trained(parts);
  expect(parts.fleet.servers[0]).toMatchObject({ state: "quarantined", thrown: 0 });
  expect(notes.some((note) => /loaded run.policy-v2.*log-probs differ/u.test(note))).toBe(true);
  for (const row of rows) expect(row["sampling/logp_difference_max"]).toBeLessThan(1e-6);
});

test.each(["wrong-ids", "permuted", "swapped"] as const)(
  "a server that fails after the probe (%s) changes no evaluation or weight of a run",
  async (how) => {
    const outcomeOf = async (bad: boolean): Promise<{ server: ServerStatus; reported: unknown; notes: string[] }> => {
      const set = await servers("vllm");
      const notes: string[] = [];
      const parts = await partsOn("vllm", set, tinyAdapter, notes);
      const [one] = set.fakes as [FakeServer];
      if (bad) one.faults = lying(how, tinyTokenizer.vocabularySize);
      const { before, after, rows } = await trained(parts);
      const sequence = { promptTokens: [1, 2, 3], completionTokens: [4, 5, 6] };
      const reported = {
        accuracy: [before.accuracy, after.accuracy],
        rewards: rows.map((row) => [row["rewards/task/mean"], row["actor/grad_norm"]]),
        weights: (await parts.local.forward([sequence])).logProbs,
      };
      const server = parts.fleet.servers.find(({ url }) => url === one.url) as ServerStatus;
      return { server, reported, notes };
    };
    const [well, bad] = [await outcomeOf(false), await outcomeOf(true)];
    expect(bad.reported).toEqual(well.reported);
    expect(well.notes).toEqual([]);
    const { url, thrown, quarantines } = bad.server;
    const isThrown = new RegExp(`^${url}: .*it is discarded and requested again$`, "u");
    expect(bad.notes.filter((note) => isThrown.test(note))).toHaveLength(1);
    expect(thrown).toBeGreaterThan(0);
    expect(quarantines > 0 || thrown < 10).toBe(true);
    expect(bad.notes.some((note) => note.includes("the server is in quarantine"))).toBe(quarantines > 0);
  },
);

test("a killed run resumes on servers with its leftovers", async () => {
  const set = await servers("vllm");
  const directory = join(set.folder, "run");
  const config = parseTrainConfig(settings);
  const open = (resume: boolean): ReturnType<typeof openRun> =>
    openRun({ directory, resume, config: { ...config }, environment: {}, keepCheckpoints: 2, now: () => 0 });

  // The process ends in step 4 of 6, after sampling; the last checkpoint is step 2.
  const first = await partsOn("vllm", set);
  const run = await open(false);
  const killed = first.local.forwardBackward.bind(first.local);
  let passes = 0;
  first.local.forwardBackward = (...call) => {
    if (++passes > 6) throw new Error("killed");
    return killed(...call);
  };
  await expect(train(runSpec({ ...first, settings: config }), { recorder: run })).rejects.toThrow("killed");
  await run.close();
  const left = set.fakes.flatMap(({ names }) => names);
  expect(left.some((name) => name.includes("-v6-"))).toBe(true);

  set.replies.length = 0;
  const second = await partsOn("vllm", set);
  expect(set.fakes.flatMap(({ names }) => names).filter((name) => left.includes(name))).toEqual([]);
  const resumed = await open(true);
  const result = await train(runSpec({ ...second, settings: config }), { recorder: resumed });
  await resumed.close();
  expect(result).toMatchObject({ steps: 6, interrupted: false });
  const versions = [...new globalThis.Set(set.replies.map(({ version }) => version))];
  expect(versions).toEqual([4, 6, 8, 10, 12]);
  expect(set.replies).toHaveLength(4 * episodes + 12);
});

test("requests samples of older versions by their name", async () => {
  const set = await servers("vllm");
  const parts = await partsOn("vllm", set);
  const { rows } = await trained(parts, { asynchronous: { maxLag: 2, importanceCap: 2 } });
  expect(rows).toHaveLength(6);
  const lags = rows.map((row) => row["sampling/lag_steps_max"] as number);
  expect(Math.max(...lags)).toBeLessThanOrEqual(2);
  expect(Math.max(...lags)).toBeGreaterThan(0);
  // Replies have log-probs of the requested version, and released versions are unloaded.
  expect(new globalThis.Set(set.replies.map(({ version }) => version)).size).toBeGreaterThan(2);
  for (const fake of set.fakes) expect(fake.names.length).toBeLessThanOrEqual(1);
});
