import { spawn, type ChildProcess } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSnapshot, type SnapshotOptions } from "@laconic/hub";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256, startFakeHub, type FakeHub } from "@laconic/hub/testing";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const repo = "owner/tiny-model";
const weights = Uint8Array.from({ length: 400_000 }, (_, i) => (i * 7919) >> 5);
const blob = sha256(weights);
const script = fileURLToPath(new URL("open-in-child.ts", import.meta.url));

let hub: FakeHub;
let cacheFolder = "";
beforeEach(async () => {
  cacheFolder = await temporaryFolder();
  hub = await startFakeHub(repo, { "model.safetensors": { bytes: weights, large: true } });
});
afterEach(() => hub.close());

const options = (): SnapshotOptions => ({ repo, cacheFolder, endpoint: hub.endpoint });
const blobs = (): Promise<string[]> => readdir(join(cacheFolder, "models--owner--tiny-model", "blobs"));

function start(): { readonly child: ChildProcess; readonly done: Promise<{ code: number | null; out: string }> } {
  const child = spawn(process.execPath, ["--import", "tsx", script, JSON.stringify(options())], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (text) => (out += String(text)));
  return { child, done: new Promise((resolve) => child.on("close", (code) => resolve({ code, out }))) };
}

test("the next process continues a killed process's download", async () => {
  const { child, done } = start();
  const half = weights.length / 2;
  hub.faults.push(({ server }, response) => {
    if (server !== "storage") return false;
    // The rest never comes.
    response.writeHead(200, { "content-length": weights.length }).write(weights.subarray(0, half));
    return true;
  });
  await new Promise<void>((resolve) => {
    child.stdout?.on("data", (text) => String(text).includes(`${half}\n`) && resolve());
  });
  child.kill("SIGKILL");
  await done;
  expect((await blobs()).map((name) => name.replace(/\..*-\d+-[0-9a-f]{8}\./, "."))).toEqual([`${blob}.incomplete`]);

  hub.faults.length = 0;
  hub.seen.length = 0;
  const { folder } = await openSnapshot(options());
  expect(await readFile(join(folder, "model.safetensors"))).toEqual(Buffer.from(weights));
  expect(hub.seen.flatMap(({ server, range }) => (server === "storage" ? [range] : []))).toEqual([`bytes=${half}-`]);
  expect(await blobs()).toEqual([blob]);
});

test("concurrent downloads of one file both complete", async () => {
  let waiting = 0;
  let release = (): void => undefined;
  const together = new Promise<void>((resolve) => (release = resolve));
  hub.faults.push(({ server }, response) => {
    if (server !== "storage") return false;
    waiting += 1;
    if (waiting === 2) release();
    response.writeHead(200, { "content-length": weights.length }).write(weights.subarray(0, 1000));
    void together.then(() => response.end(weights.subarray(1000)));
    return true;
  });
  const ended = await Promise.all([start().done, start().done]);
  expect(ended.map(({ code }) => code)).toEqual([0, 0]);
  const folders = ended.map(
    ({ out }) => (JSON.parse(out.trim().split("\n").at(-1) ?? "") as { folder: string }).folder,
  );
  expect(new Set(folders).size).toBe(1);
  expect(await readFile(join(folders[0] ?? "", "model.safetensors"))).toEqual(Buffer.from(weights));
  expect(await blobs()).toEqual([blob]);
});
