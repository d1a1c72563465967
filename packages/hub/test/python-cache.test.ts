import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findPython } from "@laconic/core/platform";
import { openSnapshot } from "@laconic/hub";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startFakeHub, type FakeHub } from "@laconic/hub/testing";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const python = findPython();
const script = fileURLToPath(new URL("python_hub.py", import.meta.url));
const repo = "owner/tiny-model";
const weights = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7919) >> 5);

let hub: FakeHub;
let cacheFolder = "";
beforeEach(async () => {
  cacheFolder = await realpath(await temporaryFolder());
  hub = await startFakeHub(repo, {
    "config.json": { bytes: new TextEncoder().encode('{"model_type":"qwen2"}') },
    "model.safetensors": { bytes: weights, large: true },
    "deep/below/notes.txt": { bytes: new TextEncoder().encode("notes") },
  });
});
afterEach(() => hub.close());

async function ask(skip: (reason: string) => never, ...args: readonly string[]): Promise<string> {
  const env = { ...process.env, HF_HUB_DISABLE_XET: "1", HF_HUB_DISABLE_TELEMETRY: "1", HF_HUB_OFFLINE: "0" };
  const outcome = await promisify(execFile)(python, [script, ...args], { env }).then(
    ({ stdout }) => stdout.trim(),
    (error: Error & { readonly code?: string | number; readonly stderr?: string }) => error,
  );
  if (typeof outcome === "string") return outcome.split("\n").at(-1) ?? "";
  if (outcome.code === "ENOENT") return skip(`no Python at ${python}; set LACONIC_PYTHON`);
  if (outcome.code === 3) return skip((outcome.stderr ?? "").trim());
  throw new Error(`python_hub.py failed: ${outcome.stderr ?? outcome.message}`);
}

test("finds Python's download, offline and pinned, without a request", async ({ skip }) => {
  const folder = await ask(skip, "download", hub.endpoint, repo, cacheFolder);
  const expected = {
    folder,
    commit: hub.commit,
    files: ["config.json", "deep/below/notes.txt", "model.safetensors"],
  };
  hub.seen.length = 0;
  expect(await openSnapshot({ repo, cacheFolder, offline: true })).toEqual(expected);
  expect(
    await openSnapshot({ repo, cacheFolder, endpoint: hub.endpoint, revision: hub.commit, files: expected.files }),
  ).toEqual(expected);
  expect(hub.seen).toEqual([]);

  const online = await openSnapshot({ repo, cacheFolder, endpoint: hub.endpoint });
  expect(online.files.toSorted()).toEqual(expected.files);
  expect(hub.seen.filter(({ path }) => path.includes("/resolve/"))).toEqual([]);
});

test("continues Python's partial snapshot", async ({ skip }) => {
  const folder = await ask(skip, "download", hub.endpoint, repo, cacheFolder, "model.safetensors");
  hub.seen.length = 0;
  expect((await openSnapshot({ repo, cacheFolder, endpoint: hub.endpoint })).folder).toBe(folder);
  expect(hub.seen.filter(({ server }) => server === "storage")).toEqual([]);
  expect(await readFile(join(folder, "deep/below/notes.txt"), "utf8")).toBe("notes");
});

test("Python finds our download by branch and by commit", async ({ skip }) => {
  const { folder, commit } = await openSnapshot({ repo, cacheFolder, endpoint: hub.endpoint });
  for (const revision of ["main", commit]) expect(await ask(skip, "find", repo, cacheFolder, revision)).toBe(folder);
  hub.seen.length = 0;
  expect(await ask(skip, "download", hub.endpoint, repo, cacheFolder)).toBe(folder);
  expect(hub.seen.filter(({ method, path }) => method === "GET" && path.includes("/resolve/"))).toEqual([]);
});
