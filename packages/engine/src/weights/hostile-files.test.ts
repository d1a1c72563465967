import type { UnknownRecord } from "@laconic/core";
import { execFile } from "node:child_process";
import { rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { defaultFiles } from "#platform";
import { adapterShapes } from "../lora/lora-settings.ts";
import { tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { openModelFolder, readJsonFile } from "./model-folder.ts";
import { parseHeader } from "./safetensors.ts";

const json = Object.values(tinyConfigs)[0] as UnknownRecord;
const config = parseModelConfig(json);

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder, "config.json"), JSON.stringify(json));
});

test.skipIf(process.platform === "win32").each(["config.json", "model.safetensors", "model.safetensors.index.json"])(
  "%s that is a pipe is refused, not waited for",
  async (name) => {
    await rm(join(folder, name), { force: true });
    await promisify(execFile)("mkfifo", [join(folder, name)]);
    const opened = openModelFolder(defaultFiles, folder);
    await expect(opened).rejects.toFailWith("weights_invalid");
    await expect(opened).rejects.toThrow(`${name} is not a file`);
  },
);

test.skipIf(process.platform === "win32")("nor is a device or a folder a file", async () => {
  await expect(readJsonFile("/dev/zero")).rejects.toFailWith("weights_invalid");
  await expect(readJsonFile(folder)).rejects.toFailWith("weights_invalid");
});

test("a JSON file of gigabytes is refused unread", async () => {
  await truncate(join(folder, "config.json"), 2 ** 33);
  await expect(openModelFolder(defaultFiles, folder)).rejects.toThrow(/has 8589934592 bytes, the limit is 67108864/);
});

test.each(["pytorch_model.bin", "pytorch_model.bin.index.json"])("%s alone says how to convert it", async (name) => {
  await writeFile(join(folder, name), "pickle");
  const opened = openModelFolder(defaultFiles, folder);
  await expect(opened).rejects.toFailWith("checkpoint_missing", { folder });
  await expect(opened).rejects.toThrow(
    /AutoModelForCausalLM\.from_pretrained\(.*\)\.save_pretrained\(.*safe_serialization=True/,
  );
});

test.each([
  ["vocab_size", 1e15],
  ["hidden_size", 1e12],
  ["num_hidden_layers", 1e9],
  ["num_attention_heads", 1e6],
  ["num_key_value_heads", 1e6],
  ["head_dim", 1e9],
  ["intermediate_size", 2 ** 40],
  ["max_position_embeddings", 1e9],
])("a configuration whose %s is %d is refused before anything is made by it", (key, value) => {
  expect(() => parseModelConfig({ ...json, [key]: value })).toFailWith("model_unsupported", { key });
});

test("positions and width of heads are bounded together: their table is made first", () => {
  const wide = { ...json, head_dim: 4096, max_position_embeddings: 1 << 20 };
  expect(() => parseModelConfig(wide)).toThrow(/max_position_embeddings is 1048576: expected at most 65536/);
});

test("a value nested a million deep is named without being shown", () => {
  const deep = JSON.parse(`${"[".repeat(1e6)}${"]".repeat(1e6)}`) as unknown;
  expect(() => parseModelConfig({ ...json, model_type: deep })).toThrow(/model_type is a list/);
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a header nested a million deep, or with a name of megabytes, is no stack overflow", () => {
  const nested = `{"a":${"[".repeat(1e6)}${"]".repeat(1e6)}}`;
  expect(() => parseHeader(bytes(nested), 0, "f")).toThrow(/nested more than 100 levels deep/);
  const name = `${'\\"'.repeat(4e6)}:`;
  const entry = '{"dtype":"F32","shape":[0],"data_offsets":[0,0]}';
  expect(parseHeader(bytes(`{"${name}":${entry}}`), 0, "f").entries.size).toBe(1);
  expect(() => parseHeader(bytes(`{"a":${entry},"a":${entry}}`), 0, "f")).toThrow(/repeats a key/);
});

test("a rank above the model's width is refused before matrices are made", () => {
  const rank = config.hiddenSize;
  expect(adapterShapes(config, { rank, alpha: 1 }).size).toBeGreaterThan(0);
  for (const above of [rank + 1, 1e12])
    expect(() => adapterShapes(config, { rank: above, alpha: 1 })).toFailWith("config_invalid", { key: "lora.rank" });
});
