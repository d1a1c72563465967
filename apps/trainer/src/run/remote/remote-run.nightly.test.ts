import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import {
  skyrlTrainServer,
  startTinkerServer,
  type TinkerServer,
  type TinkerServerOptions,
} from "@laconic/tinker/testing";
import { expect, test } from "vitest";
import { cli, expectRefused, laconic, outputOf, rowsIn } from "../../../test/laconic.ts";
import { smallRun } from "../../../test/small-run.ts";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { shippedCheckpoint } from "@laconic/runtime/models";

const base = "relay-one-fact";

/** As SkyRL's on JAX is: averages, clips nothing, samplers follow their model. */
const skyrl: TinkerServerOptions["as"] = {
  reduction: { sequences: "mean", positions: "mean" },
  promptLogProbs: "without-first",
  sampledAt: "one",
  samplers: "live",
  gradNorm: "skyrl.ai/grad_norm",
  clips: false,
};

async function withServer(
  as: TinkerServerOptions["as"],
  body: (server: TinkerServer, run: string) => Promise<void>,
): Promise<void> {
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
  const folder = await temporaryFolder();
  const bases = { [base]: { kind: "folder", path: fileURLToPath(shippedCheckpoint) } } as const;
  const server = await startTinkerServer({ engine, bases, folder, holdMs: 5000, ...(as && { as }) });
  try {
    await body(server, join(await temporaryFolder(), "run"));
  } finally {
    await server.close();
    await engine.close();
  }
}

const small = [...smallRun, "device=auto", "lora.rank=4", "lora.alpha=32", "train.optimizer.maxGradNorm=null"];

test("a run trains on a server, resumes in a new session, and is evaluated there", () =>
  withServer(skyrl, async (server, run) => {
    const words = [...small, `engine=tinker:${server.url}`];
    const first = await laconic("train", ...words, "--run", run, "--json");
    expect([first.code, first.err]).toEqual([0, expect.stringContaining("probing") as string]);
    expect(first.err).toContain("loss over sequences: mean");
    const environment = JSON.parse(await readFile(join(run, "environment.json"), "utf8")) as Record<string, unknown>;
    expect(environment).toMatchObject({
      engine: { kind: "remote", backend: "tinker" },
      server: { baseModel: base, reduction: { sequences: "mean", positions: "mean" }, clips: false },
    });
    expect(JSON.parse(await readFile(join(run, "config.json"), "utf8"))).toMatchObject({
      engine: { tinker: { url: server.url, model: base } },
    });
    const journal = (await readFile(join(run, "tinker.jsonl"), "utf8")).trimEnd().split("\n");
    expect(journal.filter((line) => line.includes('"optim_step"'))).toHaveLength(4);
    // A restart with an empty memory: sessions and models are gone, checkpoints are not.
    server.forget();
    const more = await laconic("train", "--resume", "--run", run, "train.steps=3", "--json");
    expect([more.code, more.err]).toEqual([0, expect.stringContaining("from step 3 on train.steps is 3") as string]);
    expect(await rowsIn(run, "metrics.jsonl")).toHaveLength(3);
    const loaded = server.log.filter(({ path }) => path === "load_weights").map(({ body: sent }) => sent);
    expect(loaded).toEqual([expect.objectContaining({ optimizer: true })]);
    const evaluated = await outputOf("eval", run, "--limit", "20", "--json");
    expect(JSON.parse(evaluated)).toMatchObject({ step: 3, problems: 20 });
    await expectRefused(["serve", run, "--port", "0"], "the weights of this run are on");
  }));

test("runs over binary and JSON wires are equal", async () => {
  const losses: number[][] = [];
  for (const wire of ["json", "protobuf"])
    await withServer(skyrl, async (server, run) => {
      const tinker = { url: server.url, wire, samplerTtlSeconds: 3600 };
      const { code } = await laconic("train", ...small, `engine=${JSON.stringify({ tinker })}`, "--run", run, "--json");
      expect(code).toBe(0);
      const sent = (path: string): unknown[] => server.log.flatMap((item) => (item.path === path ? [item.body] : []));
      const sdk_version = wire === "json" ? "0.24.1" : "0.25.0";
      expect(sent("create_session").at(-1)).toMatchObject({ sdk_version });
      expect(sent("save_weights_for_sampler").at(-1)).toMatchObject({ ttl_seconds: 3600 });
      const rows = await rowsIn(run, "metrics.jsonl");
      losses.push(rows.map((row) => row["reward/mean"] ?? Number.NaN));
    });
  // Advantages are float32 there, which moves no sampled token here.
  expect(losses[1]).toEqual(losses[0]);
});

test("rejects a resume on a server with different behavior by name", async () => {
  await withServer(skyrl, async (server, run) => {
    await outputOf("train", ...small, `engine=tinker:${server.url}`, "--run", run);
    await withServer({ ...skyrl, samplers: "frozen" }, async (other) => {
      const again = await laconic("train", "--resume", "--run", run, `engine.tinker.url=${other.url}`, "train.steps=3");
      expect(again.code).toBe(2);
      expect(again.err).toContain('the input server samplers was "live" when the run started and is "frozen"');
    });
  });
});

test("a server that loses state ends the run, which resumes from its checkpoint", () =>
  withServer(skyrl, async (server, run) => {
    const words = [...small, "train.steps=4", `engine=tinker:${server.url}`];
    let forgotten = false;
    const watch = setInterval(() => {
      const saved = server.log.findIndex(({ path }) => path === "save_weights");
      if (forgotten || saved < 0 || !server.log.slice(saved).some(({ path }) => path === "optim_step")) return;
      forgotten = true;
      server.forget();
    }, 1);
    const ended = await laconic("train", ...words, "--run", run);
    clearInterval(watch);
    expect(ended.code).toBe(1);
    expect(ended.err).toMatch(/the server lost (?:model|sampler)|request \S+ expired on the server/u);
    expect(ended.err).toContain(`continue from the last checkpoint: laconic train --resume --run ${run}`);
    const again = await laconic("train", "--resume", "--run", run);
    expect([again.code, again.err]).toEqual([0, expect.stringMatching(/(?:validation|test) at step 4/u) as string]);
  }));

test.each([
  [["lora=null"], "lora: the server trains adapters"],
  [["lora.alpha=8"], "lora.alpha: is 8, but the server uses 32"],
  [["lora.dropout=0.1"], "lora.dropout: is not part of the protocol"],
  [["device=wasm"], "device: has no effect"],
  [["workers=2"], "workers: has no effect"],
  [["memory.recompute=layer"], "memory: has no effect"],
  [['bases={"policy":"shipped"}'], "bases.policy: a remote engine has one base model"],
  [["train.sampling.temperature=0.7"], "train.sampling.temperature: is 0.7"],
  [["engine=tinkr:http://127.0.0.1:1"], 'engine: "tinkr:http://127.0.0.1:1" is not an engine'],
  [["engine.tinker.port=1"], "engine"],
])("rejects %j before contacting a server", async (words, reason) => {
  const run = join(await temporaryFolder(), "run");
  const { code, err } = await laconic(
    ...cli`train ${small} engine.tinker.url=http://127.0.0.1:1 ${words}
    --run ${run}`,
  );
  expect([code, err.split("\n").at(-1)]).toEqual([2, expect.stringContaining(reason) as string]);
  expect(existsSync(run)).toBe(false);
});

test("rejects unsupported settings after the probe and leaves no files", () =>
  withServer({ ...skyrl, severalModels: false }, async (server, run) => {
    const refused = async (...words: string[]): Promise<string> => {
      const { code, err } = await laconic("train", ...small, `engine=tinker:${server.url}`, ...words, "--run", run);
      expect([code, existsSync(run)]).toEqual([2, false]);
      return err.split("\n").at(-1) ?? "";
    };
    expect(await refused("train.optimizer.maxGradNorm=1")).toContain("the server does not clip gradients");
    expect(await refused("train.refreshOldPolicyEvery=2", "train.checkpoint.every=2")).toContain(
      "train.refreshOldPolicyEvery: needs weights of an earlier step",
    );
    const own = ["policies=own", "train.budget=null"];
    expect(await refused(...own)).toContain("models, but the server trains one");
    expect(await refused(`engine=tinker:other@${server.url}`)).toContain(
      "model other not found on the server; available: relay-one-fact",
    );
  }));

test("a run trains on a server with fixed betas, epsilon and clip, and reports it", () =>
  withServer(skyrlTrainServer, async (server, run) => {
    const { code, err } = await laconic("train", ...small, `engine=tinker:${server.url}`, "--run", run, "--json");
    expect([code, err]).toEqual([
      0,
      expect.stringContaining("the server has its own optimizer: beta1, beta2") as string,
    ]);
    expect(err).toContain("clips gradients at its own norm");
    expect(JSON.parse(await readFile(join(run, "environment.json"), "utf8"))).toMatchObject({
      server: { optimizer: "own", clips: false, clipsItself: true, gradNorm: "skyrl.ai/grad_norm" },
    });
  }));

test("a dry run shows the engine, a plan the transfer, doctor the server's behavior", () =>
  withServer(skyrl, async (server) => {
    const engine = `engine=tinker:${server.url}`;
    const dry = await laconic("train", ...small, engine, "--dry-run");
    expect(JSON.parse(dry.out)).toMatchObject({
      engine: { tinker: { url: server.url } },
      lora: { rank: 4, alpha: 32 },
    });
    const plan = await outputOf("plan", ...small, engine, "--json");
    expect(JSON.parse(plan)).toMatchObject({ engine: `tinker:${server.url}`, replies: 16, steps: 2 });
    for (const size of [["--vocabulary", "47"], []]) {
      const doctor = await laconic("doctor", "--engine", `tinker:${server.url}`, ...size, "--json");
      expect([doctor.code, doctor.err]).toEqual([0, expect.stringContaining("probing") as string]);
      expect(JSON.parse(doctor.out)).toMatchObject({ baseModel: base, samplers: "live", clips: false });
    }
  }));
