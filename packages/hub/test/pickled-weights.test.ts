import { readdir } from "node:fs/promises";
import { checkpointFiles, openSnapshot, type Snapshot } from "@laconic/hub";
import { startFakeHub, type FakeHub } from "@laconic/hub/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const repo = "owner/tiny-model";
const weights = Uint8Array.from({ length: 3000 }, (_, i) => (i * 7919) >> 5);
const config = new TextEncoder().encode('{"model_type":"qwen2"}');

let cacheFolder = "";
let hub: FakeHub;
beforeEach(async () => {
  cacheFolder = await temporaryFolder();
});
afterEach(() => hub.close());

function open(files: readonly string[]): Promise<Snapshot> {
  return openSnapshot({ repo, cacheFolder, endpoint: hub.endpoint, files });
}

test.each(["pytorch_model.bin", "pytorch_model-00001-of-00002.bin"])(
  "rejects %s alone before a download and explains the conversion",
  async (name) => {
    hub = await startFakeHub(repo, { "config.json": { bytes: config }, [name]: { bytes: weights, large: true } });
    const opened = open(checkpointFiles);
    await expect(opened).rejects.toFailWith("checkpoint_missing", { file: name });
    await expect(opened).rejects.toThrow('save_pretrained("FOLDER", safe_serialization=True)');
    expect(await readdir(cacheFolder, { recursive: true })).toEqual([]);
    expect((await open(["config.json"])).files).toEqual(["config.json"]);
  },
);

test("ignores pickles if safetensors exist", async () => {
  hub = await startFakeHub(repo, {
    "config.json": { bytes: config },
    "model.safetensors": { bytes: weights, large: true },
    "pytorch_model.bin": { bytes: weights, large: true },
  });
  expect((await open(checkpointFiles)).files).toEqual(["config.json", "model.safetensors"]);
});
