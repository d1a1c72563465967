import type { Engine } from "@laconic/core";
import type { Kernels } from "@laconic/engine/kernels";
import { createInlineEngine, createLocalEngine, type OptimizerPlace } from "@laconic/engine";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { askTorch, engineCases, parityCases, parityErrors, type TorchAnswer } from "@laconic/engine/testing";
import { createKernels, findTorch, torchKernels } from "@laconic/kernels-torch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallQwen } from "../../../test/qwen-half-billion.ts";
import { loadLibrary } from "../src/native/library.ts";
import { Torch } from "../src/native/torch.ts";
import { torchKernelSet } from "../src/torch-kernels.ts";
import { installedTorch } from "./installed-torch.ts";

const match = installedTorch();
const missing = "missing" in match;
const constants = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, maxGradNorm: 1 };
const cpu = { device: "cpu", torch: missing ? "" : match.install.folder } as const;

describe.skipIf(missing).each(["float32", "bfloat16"] as const)("the libtorch kernels on the CPU, %s", (dtype) => {
  let kernels: Promise<Kernels> | null = null;
  for (const item of kernelCases) test(item.name, () => item.run(() => (kernels ??= createKernels({ ...cpu, dtype }))));
});

describe.skipIf(missing).each(["float32", "bfloat16"] as const)("plain attention on the CPU, %s", (dtype) => {
  const create = (): Kernels => {
    const library = loadLibrary(findTorch({ LACONIC_TORCH: cpu.torch }), { device: "cpu", tf32: false });
    return torchKernelSet(new Torch(library, "cpu"), dtype, { attention: "math" });
  };
  for (const item of kernelCases.filter(({ name }) => name.includes("ttention")))
    test(item.name, () => item.run(create));
});

describe.skipIf(missing)("the local engine on libtorch, on a worker thread", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createLocalEngine({ device: torchKernels(cpu) });
  });
  afterAll(() => engine.close());
  // Starting a thread takes longer than the cases do, so they share an engine.
  for (const item of engineCases)
    test(item.name, () => item.run(async () => ({ ...engine, close: () => Promise.resolve() })));
});

test.skipIf(missing)("exact weights on the host give the same rounded weights, with AdamW and Muon", async () => {
  const trained = async (optimizer: OptimizerPlace): Promise<unknown> => {
    const engine = await createInlineEngine([await createKernels({ ...cpu, dtype: "bfloat16" })], { optimizer });
    const model = await engine.createModel({ kind: "config", config: smallQwen, seed: 1 });
    for (const muon of [{ muon: 0.02 }, {}, {}]) {
      const sequences = [{ promptTokens: [1, 2], completionTokens: [3, 4, 5] }];
      await model.forwardBackward(sequences, ({ values }) => values.map((_, i) => i - 1.5));
      await model.optimStep({ ...constants, ...muon });
    }
    const { logProbs } = await model.forward([{ promptTokens: [3], completionTokens: [1, 2, 5] }]);
    await engine.close();
    return logProbs.values;
  };
  expect(await trained("host")).toEqual(await trained("device"));
});

const answers = missing ? Promise.resolve({ missing: match.missing }) : askTorch(parityCases);
test.for(parityCases)("libtorch agrees with Hugging Face transformers: $name", async (item, { skip }) => {
  const outcome = await answers;
  if ("missing" in outcome) return skip(outcome.missing);
  const answer = outcome.answer[parityCases.indexOf(item)] as TorchAnswer;
  const errors = await parityErrors(await createKernels(cpu), item, answer);
  expect(errors.logProbs).toBeLessThan(1e-5);
  expect(errors.entropy).toBeLessThan(1e-5);
  expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 2e-5))).toEqual([]);
  expect(errors.gradNorm).toBeLessThan(1e-5);
  expect(Object.entries(errors.changes).filter(([, error]) => !(error < 1e-3))).toEqual([]);
});
