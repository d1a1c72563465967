import { createInlineEngine, createLocalEngine } from "@laconic/engine";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { askTorch, engineCases, parityCases, parityErrors, type TorchAnswer } from "@laconic/engine/testing";
import { createKernels, torchKernels } from "@laconic/kernels-torch";
import { describe, expect, test } from "vitest";
import { installedTorch, python } from "./installed-torch.ts";

const found = installedTorch();
if ("missing" in found) test.skip(`libtorch: ${found.missing}`, () => {});
else suite(found.install.folder);

function suite(torch: string): void {
  const cpu = { device: "cpu", torch } as const;

  describe.each(["float32", "bfloat16"] as const)("the libtorch kernels on the CPU, %s", async (dtype) => {
    const kernels = await createKernels({ ...cpu, dtype });
    for (const item of kernelCases) test(item.name, () => item.run(() => kernels));
  });

  describe("the local engine on libtorch, on the calling thread", () => {
    for (const item of engineCases)
      test(item.name, () => item.run(async () => createInlineEngine([await createKernels(cpu)])));
  });

  describe("the local engine on libtorch, on a worker thread", () => {
    for (const item of engineCases)
      test(item.name, { timeout: 60_000 }, () => item.run(() => createLocalEngine({ device: torchKernels(cpu) })));
  });

  const answers = askTorch(python, parityCases);
  test.for(parityCases)(
    "libtorch agrees with Hugging Face transformers: $name",
    { timeout: 120_000 },
    async (item, { skip }) => {
      const outcome = await answers;
      if ("unavailable" in outcome) return skip(outcome.unavailable);
      const answer = outcome.answers[parityCases.indexOf(item)] as TorchAnswer;
      const errors = await parityErrors(await createKernels(cpu), item, answer);
      expect(errors.logProbs).toBeLessThan(1e-5);
      expect(errors.entropy).toBeLessThan(1e-5);
      expect(Object.entries(errors.gradients).filter(([, error]) => !(error < 2e-5))).toEqual([]);
    },
  );
}
