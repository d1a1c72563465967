import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { parameterShapes } from "../transformer/parameters.ts";
import { fitWeights } from "./fit-weights.ts";
import { readModelFolder, readTrainingState } from "./model-folder.ts";
import { encodeSafetensors, type StoredTensor } from "./safetensors.ts";

const json = Object.values(tinyConfigs)[0] as Readonly<Record<string, unknown>>;
const config = parseModelConfig(json);
const weights = new Map<string, StoredTensor>(
  Array.from(parameterShapes(config), ([name, shape], i) => [
    name,
    { shape, values: new Float32Array(shape.reduce((product, n) => product * n, 1)).fill(i) },
  ]),
);

let root = "";
let count = 0;
let folder = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "laconic-folder-"));
});
beforeEach(() => {
  folder = join(root, String(count++));
});
afterAll(() => rm(root, { recursive: true }));

async function put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

test("a sharded checkpoint is read as one", async () => {
  const all = [...weights];
  const shards = { "a-1.safetensors": all.slice(0, 3), "a-2.safetensors": all.slice(3) };
  const weightMap = Object.entries(shards).flatMap(([file, part]) => part.map(([name]) => [name, file]));
  await put({
    "config.json": JSON.stringify(json),
    "model.safetensors.index.json": JSON.stringify({ weight_map: Object.fromEntries(weightMap) }),
    ...Object.fromEntries(Object.entries(shards).map(([file, part]) => [file, encodeSafetensors(new Map(part))])),
  });
  const read = await readModelFolder(folder);
  expect(read.config).toEqual(json);
  expect(read.tensors).toEqual(weights);
  expect(await readTrainingState(folder)).toBeNull();
});

test.each([
  ["a shard outside the folder", { a: "../secret.safetensors" }],
  ["a shard that is the folder above", { a: ".." }],
  ["no shards", {}],
  ["a map that is none", 3],
])("%s is refused", async (_, weight_map) => {
  await put({ "config.json": "{}", "model.safetensors.index.json": JSON.stringify({ weight_map }) });
  await expect(readModelFolder(folder)).rejects.toMatchObject({ code: "weights_invalid" });
});

test("a missing folder, shard or configuration is missing; a broken one is invalid", async () => {
  await expect(readModelFolder(folder)).rejects.toMatchObject({ code: "checkpoint_missing" });
  await put({ "config.json": "{}" });
  await expect(readModelFolder(folder)).rejects.toMatchObject({ code: "checkpoint_missing" });
  await put({ "model.safetensors.index.json": JSON.stringify({ weight_map: { a: "b.safetensors" } }) });
  await expect(readModelFolder(folder)).rejects.toMatchObject({ code: "checkpoint_missing" });
  await put({ "config.json": "[]" });
  await expect(readModelFolder(folder)).rejects.toMatchObject({ code: "weights_invalid" });
  await put({ "config.json": "{" });
  await expect(readModelFolder(folder)).rejects.toMatchObject({ code: "weights_invalid" });
});

test("the same tensor in two shards is refused", async () => {
  const one = encodeSafetensors(new Map([...weights].slice(0, 1)));
  await put({
    "config.json": JSON.stringify(json),
    "model.safetensors.index.json": JSON.stringify({ weight_map: { a: "a.safetensors", b: "b.safetensors" } }),
    "a.safetensors": one,
    "b.safetensors": one,
  });
  await expect(readModelFolder(folder)).rejects.toThrow("is in another file too");
});

test("optimiser state without steps or with half its moments is refused", async () => {
  const moment = { shape: [1], values: Float32Array.of(1) };
  await put({ "optimizer.safetensors": encodeSafetensors(new Map([["first.a", moment]]), { steps: "3" }) });
  await expect(readTrainingState(folder)).rejects.toThrow("second.a is missing");
  await put({ "optimizer.safetensors": encodeSafetensors(new Map(), {}) });
  await expect(readTrainingState(folder)).rejects.toThrow("the step count is missing");
});

test("weights fit a model by name, shape and finite values; what follows from the rest is left out", () => {
  const extra = new Map(weights)
    .set("lm_head.weight", { shape: [1], values: Float32Array.of(0) })
    .set("model.layers.0.self_attn.rotary_emb.inv_freq", { shape: [1], values: Float32Array.of(0) });
  expect([...fitWeights(config, extra).keys()]).toEqual([...weights.keys()]);

  const [name, { shape, values }] = [...weights][0] as [string, StoredTensor];
  const wrong: readonly [StoredTensor | undefined, string][] = [
    [undefined, `tensor ${name} is missing`],
    [{ shape: shape.toReversed(), values }, `tensor ${name} has shape [12, 11], expected [11, 12]`],
    [{ shape, values: Float32Array.from(values).with(5, NaN) }, `tensor ${name} holds NaN at element 5`],
  ];
  for (const [tensor, message] of wrong) {
    const changed = new Map(weights);
    if (tensor) changed.set(name, tensor);
    else changed.delete(name);
    expect(() => fitWeights(config, changed)).toThrow(message);
  }
  expect(() => fitWeights(config, new Map(weights).set("odd", { shape, values }))).toThrow(
    "tensor odd does not belong",
  );
});
