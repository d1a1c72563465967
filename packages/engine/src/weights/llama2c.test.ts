import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryFileSystem } from "@laconic/core/files";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { createInlineEngine } from "../local/local-engine.ts";
import { defaultFiles } from "#platform";
import { convertLlama2c, openLlama2c } from "./llama2c.ts";
import { openModelFolder } from "./model-folder.ts";

const shape = { dim: 8, hidden: 12, layers: 2, heads: 2, kvHeads: 1, vocabulary: 10, positions: 6 };
const head = shape.dim / shape.heads;
const weights =
  shape.vocabulary * shape.dim +
  shape.layers * (2 * shape.dim + 2 * shape.dim ** 2 + 2 * head * shape.dim + 3 * shape.hidden * shape.dim) +
  shape.dim;

function checkpoint(tied: boolean): Uint8Array {
  const sizes = Object.values(shape);
  if (!tied) sizes[5] = -shape.vocabulary;
  const count = weights + shape.positions * head + (tied ? 0 : shape.vocabulary * shape.dim);
  const view = new DataView(new ArrayBuffer(28 + 4 * count));
  sizes.forEach((size, i) => view.setInt32(4 * i, size, true));
  for (let i = 0; i < count; i++) view.setFloat32(28 + 4 * i, i, true);
  return new Uint8Array(view.buffer);
}

async function tensorsOf(bytes: Uint8Array): Promise<Record<string, readonly number[]>> {
  const { tensors } = await openLlama2c(memoryFileSystem({ "m.bin": bytes }), "m.bin");
  const read = await Promise.all(
    [...tensors].map(async ([name, source]) => [name, [...(await source.read())]] as const),
  );
  return Object.fromEntries(read);
}

test("tensors lie where llama2.c writes them, and rotary rows come in halves", async () => {
  const match = await tensorsOf(checkpoint(true));
  const first = (name: string): number | undefined => match[name]?.[0];
  expect(first("model.embed_tokens.weight")).toBe(0);
  expect(first("model.layers.0.input_layernorm.weight")).toBe(80);
  expect(first("model.layers.1.input_layernorm.weight")).toBe(88);
  const query = 80 + 2 * 8;
  const rows = match["model.layers.0.self_attn.q_proj.weight"]?.filter((_, i) => i % 8 === 0);
  // Two heads of four rows: 0 2 1 3 and 4 6 5 7.
  expect(rows).toEqual([0, 2, 1, 3, 4, 6, 5, 7].map((row) => query + 8 * row));
  expect(match["model.layers.0.self_attn.k_proj.weight"]?.filter((_, i) => i % 8 === 0)).toEqual(
    [0, 2, 1, 3].map((row) => query + 2 * 64 + 8 * row),
  );
  expect(first("model.norm.weight")).toBe(weights - 8);
});

test("a separate head follows the rotary angles", async () => {
  expect((await tensorsOf(checkpoint(false)))["lm_head.weight"]?.[0]).toBe(weights + shape.positions * head);
});

test.each([
  ["cut short", checkpoint(true).subarray(0, -4), /has \d+ bytes, expected \d+ by its header .*: truncated/],
  ["longer", new Uint8Array([...checkpoint(true), 0, 0, 0, 0]), /not a llama2\.c checkpoint/],
  ["a few bytes", new Uint8Array(9), /fewer than the header/],
  ["text", new TextEncoder().encode("this is no model at all, but a text"), /not valid for a Llama/],
  ["a pickle", new Uint8Array([0x50, 0x4b, 3, 4, ...new Uint8Array(60)]), /not valid for a Llama/],
] as const)("a file that is %s is refused", async (_, bytes, message) => {
  const opened = openLlama2c(memoryFileSystem({ "m.bin": bytes }), "m.bin");
  await expect(opened).rejects.toFailWith("weights_invalid", { file: "m.bin" });
  await expect(opened).rejects.toThrow(message);
});

test("a later version says how to export it as version 0", async () => {
  const view = new DataView(new ArrayBuffer(256));
  view.setUint32(0, 0x616b_3432, true);
  view.setInt32(4, 2, true);
  const opened = openLlama2c(memoryFileSystem({ "m.bin": new Uint8Array(view.buffer) }), "m.bin");
  await expect(opened).rejects.toFailWith("model_unsupported");
});

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");

test.skipIf(!existsSync(join(stories, "stories260K.c64.bin")))(
  "the story model in both formats has the same weights and log-probs (needs LACONIC_DATA)",
  async () => {
    const folder = await temporaryFolder();
    await convertLlama2c(join(stories, "stories260K.c64.bin"), folder);
    const [ours, twin] = [await openModelFolder(defaultFiles, folder), await openModelFolder(defaultFiles, stories)];
    expect([...ours.tensors.keys()].toSorted()).toEqual([...twin.tensors.keys()].toSorted());
    for (const [name, source] of twin.tensors)
      expect(await ours.tensors.get(name)?.read(), name).toEqual(Float32Array.from(await source.read()));
    await Promise.all([ours.close(), twin.close()]);
    const sequences = [{ promptTokens: [1, 403, 407, 261], completionTokens: [378, 432, 346, 268, 421] }];
    const engine = await createInlineEngine([createReferenceKernels()]);
    const values: number[][] = [];
    for (const path of [folder, stories]) {
      const model = await engine.createModel({ kind: "folder", path });
      values.push([...(await model.forward(sequences)).logProbs.values]);
    }
    await engine.close();
    expect(values[0]).toEqual(values[1]);
  },
);

test("a written folder can be opened", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "m.bin"), checkpoint(true));
  const config = await convertLlama2c(join(folder, "m.bin"), folder);
  expect(JSON.parse(await readFile(join(folder, "config.json"), "utf8"))).toEqual(config);
  const opened = await openModelFolder(defaultFiles, folder);
  expect(opened.tensors.size).toBe(2 + 9 * shape.layers);
  await opened.close();
});
