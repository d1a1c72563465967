import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";
import { beforeAll, describe, expect, test } from "vitest";
import { memoryFileSystem } from "../packages/core/src/files/index.ts";
import { createInlineEngine } from "../packages/engine/src/index.ts";
import { createKernels } from "../packages/engine/src/wasm/index.ts";
import { kernelCases } from "../packages/engine/src/kernels/testing/index.ts";
import { relayQuickstart } from "../packages/tasks/src/presets/index.ts";
import type { ConformanceResult } from "./browser/conformance-worker.ts";
import { chromium, inChromium } from "./browser/in-chromium.ts";
import { modelFolder, session, type SessionOptions, type SessionResult } from "./browser/session.ts";
import { root } from "./workspace.ts";
import { sharedFolder } from "./temporary-folder.ts";

const slow = { timeout: 1_200_000 };
const options: SessionOptions = { settings: { ...relayQuickstart.train, seed: 1 }, steps: 12 };

const page = sharedFolder();
beforeAll(async () => {
  await build({
    root: join(root, "test/browser"),
    configFile: false,
    logLevel: "error",
    worker: { format: "es" },
    // Addresses of data are not this site's own, which is all that its policy lets it fetch.
    build: { assetsInlineLimit: 0, outDir: page, emptyOutDir: true, minify: true, target: "es2023" },
  });
});

async function inNode(): Promise<SessionResult> {
  const files = memoryFileSystem();
  for (const name of ["config.json", "model.safetensors"])
    await files.write(
      `${modelFolder}/${name}`,
      await readFile(join(root, "packages/runtime/assets/relay-one-fact", name)),
    );
  return session(await createInlineEngine([await createKernels(undefined)], { files }), files, options);
}

describe.skipIf(chromium === null)("a tab of Chromium without eval", () => {
  test("runs the suite of the wasm kernels", slow, async () => {
    const query = "worker=kernels&device=wasm";
    const { passed, failed, backend, processors } = await inChromium<ConformanceResult>(page, { query });
    expect(failed).toEqual([]);
    expect(passed).toEqual(kernelCases.map(({ name }) => name));
    // Threads of a page that is not isolated share nothing: one computes.
    expect([backend, processors]).toEqual(["wasm simd", 0]);
  });

  test("runs it with three threads on an isolated page", slow, async () => {
    const query = "worker=kernels&device=wasm-threads";
    const result = await inChromium<ConformanceResult>(page, { query, isolated: true });
    expect(result.failed).toEqual([]);
    expect(result.passed).toEqual(kernelCases.map(({ name }) => name));
    expect(result.processors).toBeGreaterThan(0);
    expect(result.helped).toBeGreaterThan(0);
  });

  test("trains 12 quickstart steps to Node's bytes", slow, async () => {
    const node = await inNode();
    expect(node.metrics).toHaveLength(12);
    expect(Object.keys(node.checkpoint)).toContain("model.safetensors");
    const inline = await inChromium<SessionResult>(page, { query: "worker=inline", options });
    expect(inline).toEqual(node);

    const query = "worker=training&steps=4";
    const worker = await inChromium<SessionResult>(page, { query, options });
    expect(worker.metrics).toEqual(node.metrics.slice(0, 4));
  });
});
