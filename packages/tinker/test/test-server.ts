import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { conformanceConfig } from "@laconic/engine/testing";
import { wasmKernels } from "@laconic/engine/wasm";
import {
  TinkerClient,
  tinkerEngine,
  type ServerRecord,
  type TinkerClientOptions,
  type TinkerEngineOptions,
} from "@laconic/tinker";
import { startTinkerServer, type TinkerServer, type TinkerServerOptions } from "@laconic/tinker/testing";

/** The hosted service as documented: losses are summed, samplers stay, gradients are clipped. */
export const summing: ServerRecord = {
  baseModel: "tiny",
  contextLength: 48,
  reduction: { sequences: "sum", positions: "sum" },
  deduplicates: true,
  promptLogProbs: "null-first",
  sampledAt: "sampling",
  samplers: "frozen",
  gradNorm: "grad_norm",
  optimizer: "asked",
  clips: true,
  clipsItself: false,
  severalModels: true,
};

/** SkyRL on JAX: losses are averaged, samplers follow their model, log-probs are at temperature 1. */
export const averaging: ServerRecord = {
  ...summing,
  reduction: { sequences: "mean", positions: "mean" },
  promptLogProbs: "without-first",
  sampledAt: "one",
  samplers: "live",
  gradNorm: "skyrl.ai/grad_norm",
};

export interface Served {
  readonly engine: Engine;
  readonly client: TinkerClient;
  readonly server: TinkerServer;
  readonly local: Engine;
  close(): Promise<void>;
}

export interface ServedOptions {
  /** Engine shared by several servers and closed by its creator. Default: a new one. */
  readonly local?: Engine;
  readonly record?: ServerRecord;
  readonly bases?: TinkerServerOptions["bases"];
  readonly server?: Partial<TinkerServerOptions>;
  readonly client?: Partial<TinkerClientOptions>;
  readonly engine?: Partial<TinkerEngineOptions>;
}

const quick = { nowMs: () => performance.now(), sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) };

export async function serve(options: ServedOptions = {}): Promise<Served> {
  const { record = summing, bases = { tiny: { kind: "config", config: conformanceConfig, seed: 1 } } } = options;
  const folder = await mkdtemp(join(tmpdir(), "laconic-tinker-"));
  const local = options.local ?? (await createLocalEngine({ device: wasmKernels(), workers: 1 }));
  const server = await startTinkerServer({ engine: local, bases, folder, as: record, ...options.server });
  const { deduplicates } = record;
  const client = await TinkerClient.connect({ baseUrl: server.url, clock: quick, deduplicates, ...options.client });
  const engine = tinkerEngine({ client, record, vocabularySize: 13, ...options.engine });
  return {
    engine,
    client,
    server,
    local,
    async close() {
      await engine.close();
      await server.close();
      if (options.local === undefined) await local.close();
      await rm(folder, { recursive: true });
    },
  };
}
