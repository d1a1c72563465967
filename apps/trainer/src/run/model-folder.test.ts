import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startFakeHub, type FakeHub } from "@laconic/hub/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recordingTerminal } from "../../test/recording-terminal.ts";
import { openModelFolder } from "@laconic/runtime/models";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

let hub: FakeHub;
let cache = "";
beforeEach(async () => {
  cache = await temporaryFolder();
  hub = await startFakeHub("owner/tiny", {
    "config.json": { bytes: new TextEncoder().encode('{"model_type":"qwen2"}') },
    "model.safetensors": { bytes: new Uint8Array(3_000_000), large: true },
    "pytorch_model.bin": { bytes: new Uint8Array(10) },
  });
  vi.stubEnv("HF_HUB_CACHE", cache);
  vi.stubEnv("HF_ENDPOINT", hub.endpoint);
  vi.stubEnv("HF_HUB_OFFLINE", "");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await hub.close();
});

test("downloads a hub name with progress and pins its commit", async () => {
  const terminal = recordingTerminal();
  const opened = await openModelFolder("hub:owner/tiny", terminal);
  expect(opened).toMatchObject({ pinned: `hub:owner/tiny@${hub.commit}`, name: "owner/tiny" });
  expect(await readFile(join(opened.folder, "config.json"), "utf8")).toContain("qwen2");
  expect(hub.seen.filter(({ path }) => path.includes("pytorch_model"))).toEqual([]);
  expect(terminal.err.at(-1)).toMatch(/^owner\/tiny {2}100 % {2}2.86 MiB of 2.86 MiB {2}.* left$/);
});

test("a pinned name needs no hub after its download", async () => {
  const { pinned, folder } = await openModelFolder("hub:owner/tiny", recordingTerminal());
  vi.stubEnv("HF_HUB_OFFLINE", "1");
  expect(await openModelFolder(pinned, recordingTerminal())).toMatchObject({ folder, pinned });
  await expect(openModelFolder("hub:owner/other", recordingTerminal())).rejects.toFailWith("checkpoint_missing");
});

test("a missing folder explains how to name a hub model", async () => {
  await expect(openModelFolder("owner/tiny", recordingTerminal())).rejects.toThrow(
    "write a Hugging Face model as hub:owner/tiny",
  );
  await expect(openModelFolder("./nowhere", recordingTerminal())).rejects.not.toThrow("hub:");
});
