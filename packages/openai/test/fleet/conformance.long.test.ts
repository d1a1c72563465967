import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ModelSource, TrainableModel } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import { conformanceConfig, engineCasesFor, type EngineProfile } from "@laconic/engine/testing";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import { FleetModel } from "@laconic/openai/fleet";
import { samplerCases, type SampledModel } from "@laconic/openai/testing";
import { beforeAll, describe, test } from "vitest";
import { adapter, base, onFakes, step, type OnFakesOptions } from "./on-fakes.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const whole: ModelSource = { kind: "config", config: conformanceConfig, seed: 2 };
const onLocal = async (): Promise<SampledModel> => {
  const engine = await createInlineEngine([createReferenceKernels()]);
  return { model: await engine.createModel(adapter), versions: Infinity, close: () => engine.close() };
};
const onServers = (versions: number, options: OnFakesOptions) => async (): Promise<SampledModel> => {
  const { model } = await onFakes(options);
  return { model, versions, close: () => Promise.resolve() };
};

describe.each([
  ["the local engine", onLocal],
  ["adapters on vLLM", onServers(Infinity, { kind: "vllm" })],
  ["adapters on SGLang", onServers(Infinity, { kind: "sglang" })],
  ["vLLM that sleeps", onServers(Infinity, { kind: "vllm", fleet: { sleeps: true } })],
  ["all weights on vLLM", onServers(1, { kind: "vllm", source: whole })],
  ["all weights on SGLang", onServers(1, { kind: "sglang", source: whole })],
  [
    "vLLM whose log-probs are computed here",
    onServers(Infinity, { kind: "vllm", fake: { logProbs: "raw" }, model: { logProbs: "forward" } }),
  ],
])("%s", (_, create) => {
  for (const item of samplerCases) test(item.name, () => item.run(create));
});

describe.each(["vllm", "sglang"] as const)("an engine that samples on %s", (kind) => {
  // Fresh adapters change nothing, so other weights are trained ones: the servers have one base.
  const folder = sharedFolder();
  beforeAll(async () => {
    const engine = await createInlineEngine([createReferenceKernels()]);
    const model = await engine.createModel(adapter);
    for (const seed of [1, 2]) {
      await step(model);
      await mkdir(join(folder, String(seed)));
      await model.save(join(folder, String(seed)));
      await rm(join(folder, String(seed), "optimizer.safetensors"));
    }
    await engine.close();
  });

  const profile: EngineProfile = {
    source: (seed) => ({ kind: "adapter-folder", base, path: join(folder, String(seed === 2 ? 2 : 1)) }),
    stored: (path) => ({ kind: "adapter-folder", base, path }),
    digits: 5,
    whole: false,
  };
  for (const item of engineCasesFor(profile))
    test(item.name, () =>
      item.run(async () => {
        const served = await onFakes({ kind });
        // Critics run on the trainer: a run opens them before its policies sample on the fleet.
        const locals = new Map<TrainableModel, TrainableModel>();
        return {
          capabilities: { ...served.engine.capabilities, batchInvariant: false },
          createModel: async (source, options) => {
            const local = await served.engine.createModel(source, options);
            const model = new FleetModel(local, served.fleet, { name: `model-${locals.size}`, folder: served.folder });
            locals.set(model, local);
            return model;
          },
          createValueModel: (source, options) =>
            served.engine.createValueModel(
              source.kind === "trunk" ? { ...source, policy: locals.get(source.policy) ?? source.policy } : source,
              options,
            ),
          close: () => Promise.resolve(),
        };
      }),
    );
});
