import type { Engine, ModelSource } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { conformanceConfig, engineCasesFor, type EngineProfile } from "@laconic/engine/testing";
import { wasmKernels } from "@laconic/engine/wasm";
import { afterAll, beforeAll, describe, test } from "vitest";
import { averaging, serve, summing, type Served } from "./test-server.ts";
import { jsonCodec, protobufCodec, tinkerEngine, type ServerRecord } from "@laconic/tinker";

const lora = { rank: 8, alpha: 32 };
/** Fresh adapters change nothing, so other weights are another base. */
const bases = Object.fromEntries(
  [1, 2].map((seed) => [`tiny-${seed}`, { kind: "config" as const, config: conformanceConfig, seed }]),
);
const profile: EngineProfile = {
  // Seed 9 is there to load another's weights, which are of one base.
  source: (seed) => ({ kind: "adapter", base: { kind: "folder", path: `tiny-${seed === 9 ? 1 : seed}` }, lora, seed }),
  stored: (path) => ({ kind: "adapter-folder", base: { kind: "folder", path: "tiny-1" }, path }),
  digits: 5,
  whole: false,
};

/** One engine over the engines of all bases: a record is of one base. */
function overBases(served: Served, record: ServerRecord): Engine {
  const engines = Object.keys(bases).map((baseModel) => [
    baseModel,
    tinkerEngine({ client: served.client, record: { ...record, baseModel }, vocabularySize: 13 }),
  ]);
  const byBase = Object.fromEntries(engines) as Record<string, Engine>;
  return {
    capabilities: served.engine.capabilities,
    createModel(source: ModelSource, options) {
      const base = "base" in source && source.base.kind === "folder" ? source.base.path : "tiny-1";
      return (byBase[base] as Engine).createModel(source, options);
    },
    createValueModel: (source, options) => (byBase["tiny-1"] as Engine).createValueModel(source, options),
    async close() {
      for (const engine of Object.values(byBase)) await engine.close();
      await served.close();
    },
  };
}

let local: Engine;
beforeAll(async () => {
  local = await createLocalEngine({ device: wasmKernels(), workers: 1 });
});
afterAll(() => local.close());

describe.each([
  ["a server that adds losses up", summing, jsonCodec],
  // Its samplers follow the model, so it has no snapshots: those of the suite are refused, see faults.test.ts.
  [
    "a server that averages and speaks binary, as the SDK does from 0.25 on",
    { ...averaging, samplers: "frozen" as const },
    protobufCodec,
  ],
])("%s", (_, record, codec) => {
  for (const item of engineCasesFor(profile))
    test(item.name, () =>
      item.run(async () => overBases(await serve({ local, record, bases, client: { codec } }), record)),
    );
});
