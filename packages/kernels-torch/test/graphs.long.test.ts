import { recorderCases } from "@laconic/engine/testing";
import { describe, expect, test } from "vitest";
import { loadLibrary } from "../src/native/library.ts";
import { torchKernelSet, type CacheKind } from "../src/torch-kernels.ts";
import { installedTorch } from "./installed-torch.ts";
import { TapedTorch } from "./taped-torch.ts";

const found = installedTorch();

describe.skipIf("missing" in found).each(["slots", "pages"] as const)(
  "graphs on PyTorch's CPU, cache of %s",
  (caching) => {
    const create = (
      kind: CacheKind,
    ): { readonly torch: TapedTorch; readonly kernels: ReturnType<typeof torchKernelSet> } => {
      const { install } = found as Exclude<typeof found, { readonly missing: string }>;
      const torch = new TapedTorch(loadLibrary(install, { device: "cpu", tf32: false, threads: 1 }));
      return { torch, kernels: torchKernelSet(torch, "float32", { attention: "fused", caching: kind, graphs: true }) };
    };

    for (const item of recorderCases)
      test(item.name, async () => {
        const made: ReturnType<typeof create>[] = [];
        await item.run(() => {
          made.push(create(caching));
          return (made.at(-1) as ReturnType<typeof create>).kernels;
        });
        for (const { torch } of made) expect(torch.liveHandles).toBe(0);
        expect(made.at(-1)?.torch.launched).toBeGreaterThan(5);
        expect(made.at(-1)?.kernels.recorder?.counts.refused).toEqual({});
      });
  },
);
