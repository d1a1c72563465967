import { createInlineEngine } from "@laconic/engine";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { describe, expect, test } from "vitest";
import { smallQwen } from "../../../test/qwen-half-billion.ts";
import { loadLibrary } from "../src/native/library.ts";
import { torchKernelSet, type KernelChoices } from "../src/torch-kernels.ts";
import { installedTorch } from "./installed-torch.ts";
import { PretendGpu } from "./pretend-gpu.ts";
import { RecordingTorch } from "./recording-library.ts";

/** Operators whose sums are atomic on CUDA (docs/devices.md). */
const atomic = ["aten::_flash_attention_backward", "aten::scatter_add_"];

const config = { ...smallQwen, vocab_size: 512, hidden_size: 128, intermediate_size: 256 };

async function calledBy(choices: Partial<KernelChoices>): Promise<ReadonlySet<string>> {
  const called = new Set<string>();
  for (const sharePrefixes of [true, false]) {
    const torch = new RecordingTorch(([kind, name]) => kind === "call" && called.add(String(name)));
    const kernels = torchKernelSet(torch, "bfloat16", { attention: "fused", caching: "pages", ...choices });
    const engine = await createInlineEngine([kernels], { sharePrefixes });
    const model = await engine.createModel({ kind: "config", config, seed: 1 });
    const sequences = [3, 4].map((token) => ({ promptTokens: [1, 2], completionTokens: [token, 5, 6] }));
    for (let batch = 0; batch < 2; batch++)
      await model.forwardBackward(sequences, ({ values }) => new Float64Array(values.length).fill(1));
    await engine.close();
  }
  return called;
}

test("an update uses atomic sums by default and none in deterministic mode", async () => {
  const byDefault = await calledBy({});
  expect(atomic.filter((name) => byDefault.has(name)).toSorted()).toEqual([
    "aten::_flash_attention_backward",
    "aten::scatter_add_",
  ]);
  const ordered = await calledBy({ deterministic: true });
  // The head adds to one place of each row, which nothing else adds to.
  expect(atomic.filter((name) => ordered.has(name))).toEqual(["aten::scatter_add_"]);
});

const match = installedTorch();
describe.skipIf("missing" in match).each([false, true])(
  "kernels for CUDA on the CPU, deterministic: %s",
  (deterministic) => {
    const cases = kernelCases.filter(({ name }) => /^(?:attention|placeRows|scatterAdd|gatherRows)/iu.test(name));
    const some = cases.filter(({ name }) => !/cache|pages|thousand/.test(name));
    for (const item of some)
      test(item.name, async () => {
        const { install } = match as Exclude<typeof match, { readonly missing: string }>;
        const library = loadLibrary(install, { device: "cpu", tf32: false, threads: 1 });
        const choices = { attention: "fused", normBackward: "composed", deterministic } as const;
        const kernels = torchKernelSet(new PretendGpu(library), "bfloat16", choices);
        expect(kernels.deterministic).toBe(deterministic);
        await item.run(async () => kernels);
      });
  },
);
