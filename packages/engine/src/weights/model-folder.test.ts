import type { UnknownRecord } from "@laconic/core";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sizeOf, type Kernels } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { defaultFiles } from "#platform";
import { tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { parameterShapes, type TensorSource } from "../transformer/parameters.ts";
import { heldTensors, uploadWeights } from "../transformer/weight-layout.ts";
import { fitWeights } from "./fit-weights.ts";
import { openModelFolder, openTrainingState } from "./model-folder.ts";
import { encodeSafetensors, type StoredTensor } from "./safetensors.ts";

const json = Object.values(tinyConfigs)[0] as UnknownRecord;
const config = parseModelConfig(json);
const weights = new Map<string, StoredTensor>(
  Array.from(parameterShapes(config), ([name, shape], i) => [
    name,
    { shape, values: new Float32Array(sizeOf(shape)).fill(i) },
  ]),
);

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
});

async function put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

function sourcesOf(tensors: ReadonlyMap<string, StoredTensor>): Map<string, TensorSource> {
  return new Map(Array.from(tensors, ([name, { shape, values }]) => [name, { shape, read: async () => values }]));
}

async function valuesOf(sources: ReadonlyMap<string, TensorSource>): Promise<Map<string, StoredTensor>> {
  const tensors = new Map<string, StoredTensor>();
  for (const [name, { shape, read }] of sources) tensors.set(name, { shape, values: await read() });
  return tensors;
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
  const opened = await openModelFolder(defaultFiles, folder);
  expect(opened.config).toEqual(json);
  expect(await valuesOf(opened.tensors)).toEqual(weights);
  await opened.close();
  expect(await openTrainingState(defaultFiles, folder)).toBeNull();
});

test.each([
  ["a shard outside the folder", { a: "../secret.safetensors" }],
  ["a shard that is the folder above", { a: ".." }],
  ["no shards", {}],
  ["a map that is none", 3],
])("%s is refused", async (_, weight_map) => {
  await put({ "config.json": "{}", "model.safetensors.index.json": JSON.stringify({ weight_map }) });
  await expect(openModelFolder(defaultFiles, folder)).rejects.toFailWith("weights_invalid");
});

test("a missing folder, shard or configuration is missing; a broken one is invalid", async () => {
  await expect(openModelFolder(defaultFiles, folder)).rejects.toFailWith("checkpoint_missing");
  await put({ "config.json": "{}" });
  await expect(openModelFolder(defaultFiles, folder)).rejects.toFailWith("checkpoint_missing");
  await put({ "model.safetensors.index.json": JSON.stringify({ weight_map: { a: "b.safetensors" } }) });
  await expect(openModelFolder(defaultFiles, folder)).rejects.toFailWith("checkpoint_missing");
  await put({ "config.json": "[]" });
  await expect(openModelFolder(defaultFiles, folder)).rejects.toFailWith("weights_invalid");
  await put({ "config.json": "{" });
  await expect(openModelFolder(defaultFiles, folder)).rejects.toFailWith("weights_invalid");
});

test("the same tensor in two shards is refused", async () => {
  const one = encodeSafetensors(new Map([...weights].slice(0, 1)));
  await put({
    "config.json": JSON.stringify(json),
    "model.safetensors.index.json": JSON.stringify({ weight_map: { a: "a.safetensors", b: "b.safetensors" } }),
    "a.safetensors": one,
    "b.safetensors": one,
  });
  await expect(openModelFolder(defaultFiles, folder)).rejects.toThrow("is also in another file");
});

test("optimizer state without steps or with half its moments is refused", async () => {
  const moment = { shape: [1], values: Float32Array.of(1) };
  await put({ "optimizer.safetensors": encodeSafetensors(new Map([["first.a", moment]]), { steps: "3" }) });
  await expect(openTrainingState(defaultFiles, folder)).rejects.toThrow("second.a is missing");
  await put({ "optimizer.safetensors": encodeSafetensors(new Map(), {}) });
  await expect(openTrainingState(defaultFiles, folder)).rejects.toThrow("the step count is missing");
});

test("weights fit a model by name and shape; derived ones are ignored", async () => {
  const extra = new Map(weights).set("model.layers.0.self_attn.rotary_emb.inv_freq", scalar(0));
  expect(await valuesOf(fitWeights(config, sourcesOf(extra)))).toEqual(weights);

  const [name, { shape, values }] = [...weights][0] as [string, StoredTensor];
  const wrong: readonly [StoredTensor | undefined, string][] = [
    [undefined, `tensor ${name} is missing`],
    [{ shape: shape.toReversed(), values }, `tensor ${name} has shape [12, 11], expected [11, 12]`],
  ];
  for (const [tensor, message] of wrong) {
    const changed = new Map(weights);
    if (tensor) changed.set(name, tensor);
    else changed.delete(name);
    expect(() => fitWeights(config, sourcesOf(changed))).toThrow(message);
  }
  expect(() => fitWeights(config, sourcesOf(new Map(weights).set("odd", { shape, values })))).toThrow(
    "tensor odd does not belong",
  );
});

test.each([NaN, Infinity, -Infinity])("a weight of %d is refused by name when it is read", async (bad) => {
  const [name, { shape, values }] = [...weights][3] as [string, StoredTensor];
  const changed = new Map(weights).set(name, { shape, values: Float32Array.from(values).with(5, bad) });
  const fitted = fitWeights(config, sourcesOf(changed));
  await expect(fitted.get(name)?.read()).rejects.toThrow(`tensor ${name} has ${bad} at element 5`);
});

test("a stored head must equal the embedding that it is tied to", async () => {
  const embedding = weights.get("model.embed_tokens.weight") as StoredTensor;
  const withHead = (head: StoredTensor): Map<string, TensorSource> =>
    fitWeights(config, sourcesOf(new Map(weights).set("lm_head.weight", head)));
  expect(await valuesOf(withHead(embedding))).toEqual(weights);

  const other = { ...embedding, values: Float32Array.from(embedding.values).with(7, 2) };
  await expect(withHead(other).get("model.embed_tokens.weight")?.read()).rejects.toThrow(
    "tensor lm_head.weight differs from the embedding at element 7",
  );
  expect(() => withHead(scalar(0))).toThrow("tensor lm_head.weight has shape [1], expected [11, 12]");
});

test("the host holds one tensor at a time, and a failure leaves nothing on the device", async () => {
  const kernels = createReferenceKernels();
  const events: string[] = [];
  const watched: Kernels = {
    ...kernels,
    upload(data, shape, precision) {
      events.push(`upload ${shape.join("x")}`);
      return kernels.upload(data, shape, precision);
    },
  };
  const sources = new Map(
    Array.from(weights, ([name, { shape, values }]) => {
      const read = async (): Promise<Float32Array | Float64Array> => {
        events.push(`read ${shape.join("x")}`);
        return values;
      };
      return [name, { shape, read }] as const;
    }),
  );
  const before = kernels.liveTensors();
  const uploaded = await uploadWeights(watched, sources);
  const shapes = new Map(Array.from(weights, ([name, { shape }]) => [name, shape]));
  expect(events).toEqual(
    [...heldTensors(shapes).values()].flatMap(({ shape, parts }) => [
      ...parts.map((part) => `read ${part.shape.join("x")}`),
      `upload ${shape.join("x")}`,
    ]),
  );
  kernels.free(...uploaded.values());

  const last = [...weights.keys()].at(-1) as string;
  sources.set(last, { shape: [1], read: () => Promise.reject(new Error("the disk is gone")) });
  await expect(uploadWeights(kernels, sources)).rejects.toThrow("the disk is gone");
  expect(kernels.liveTensors()).toBe(before);
});

function scalar(value: number): StoredTensor {
  return { shape: [1], values: Float32Array.of(value) };
}
