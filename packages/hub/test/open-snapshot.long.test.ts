import { mkdir, readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { LaconicError } from "@laconic/core";
import {
  checkpointFiles,
  openSnapshot,
  type DownloadProgress,
  type Snapshot,
  type SnapshotOptions,
} from "@laconic/hub";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  gitHash,
  sendBytes,
  sha256,
  signature,
  startFakeHub,
  type FakeHub,
  type Fault,
  type Seen,
} from "@laconic/hub/testing";
import { breakOffAfter } from "./break-off.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const repo = "owner/tiny-model";
const token = "hf_TopSecret";
const config = new TextEncoder().encode('{"model_type":"qwen2"}');
const weights = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7919) >> 5);
const weightsHash = sha256(weights);

let hub: FakeHub;
let root = "";
let cacheFolder = "";
let waits: number[] = [];
beforeEach(async () => {
  root = await temporaryFolder();
  cacheFolder = join(root, "cache");
  waits = [];
  hub = await startFakeHub(repo, {
    "config.json": { bytes: config },
    "model.safetensors": { bytes: weights, large: true },
    "original/model.safetensors": { bytes: weights, large: true },
    "README.md": { bytes: new TextEncoder().encode("# Tiny") },
  });
});
afterEach(() => hub.close());

function open(options: Partial<SnapshotOptions> = {}): Promise<Snapshot> {
  const wait = async (ms: number): Promise<void> => void waits.push(ms);
  return openSnapshot({ repo, cacheFolder, endpoint: hub.endpoint, files: checkpointFiles, wait, ...options });
}

async function failure(call: Promise<unknown>): Promise<LaconicError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!LaconicError.is(error)) throw new Error(`expected a LaconicError, got ${String(error)}`);
  const everything = inspect(error, { depth: 10, showHidden: true }) + String(error.stack);
  for (const secret of [token, signature, "Bearer"]) expect(everything).not.toContain(secret);
  return error;
}

const repository = (): string => join(cacheFolder, "models--owner--tiny-model");
const blobs = async (): Promise<string[]> => (await readdir(join(repository(), "blobs"))).toSorted();
const asked = (part: string): Seen[] => hub.seen.filter(({ path }) => path.includes(part));

function fail(part: string, count: number, answer: (seen: Seen, response: Parameters<Fault>[1]) => void): void {
  let left = count;
  hub.faults.push((seen, response) => {
    if (left === 0 || !seen.path.includes(part)) return false;
    left -= 1;
    answer(seen, response);
    return true;
  });
}

describe("a downloaded snapshot", () => {
  test("has the layout of Python's library", async () => {
    const snapshot = await open();
    expect(snapshot).toEqual({
      folder: join(repository(), "snapshots", hub.commit),
      commit: hub.commit,
      files: ["config.json", "model.safetensors"],
    });
    expect(await readFile(join(snapshot.folder, "config.json"))).toEqual(Buffer.from(config));
    expect(await readFile(join(snapshot.folder, "model.safetensors"))).toEqual(Buffer.from(weights));
    expect(await readlink(join(snapshot.folder, "model.safetensors"))).toBe(`../../blobs/${weightsHash}`);
    expect(await readlink(join(snapshot.folder, "config.json"))).toBe(`../../blobs/${gitHash(config)}`);
    expect(await readFile(join(repository(), "refs", "main"), "utf8")).toBe(hub.commit);
    expect(await blobs()).toEqual([gitHash(config), weightsHash].toSorted());
    expect(waits).toEqual([]);
  });

  test("reports progress for each piece, and the sum is right", async () => {
    const reported: DownloadProgress[] = [];
    await open({ onProgress: (progress) => reported.push(progress) });
    const total = config.length + weights.length;
    expect(reported.at(-1)).toMatchObject({ bytes: total, total });
    expect(reported.filter(({ file }) => file === "model.safetensors").length).toBeGreaterThan(2);
    for (const [i, { bytes }] of reported.entries()) expect(bytes).toBeGreaterThanOrEqual(reported[i - 1]?.bytes ?? 0);
  });

  test("downloads equal contents once", async () => {
    const { files, folder } = await open({ files: ["**.safetensors"] });
    expect(files).toEqual(["model.safetensors", "original/model.safetensors"]);
    expect(asked(weightsHash)).toHaveLength(1);
    expect(await readlink(join(folder, "original/model.safetensors"))).toBe(`../../../blobs/${weightsHash}`);
  });

  test("has all files by default, over several listing pages", async () => {
    hub.pageSize = 1;
    expect((await open({ files: undefined as never })).files).toHaveLength(4);
    expect(asked("/tree/")).toHaveLength(4);
  });

  test("stores a data set along with models", async () => {
    const { folder } = await open({ type: "dataset", files: ["config.json"], revision: "refs/pr/2" });
    expect(folder).toBe(join(cacheFolder, "datasets--owner--tiny-model", "snapshots", hub.commit));
    expect(asked("/datasets/owner/tiny-model/resolve/")).toHaveLength(1);
    const ref = join(cacheFolder, "datasets--owner--tiny-model", "refs", "refs", "pr", "2");
    expect(await readFile(ref, "utf8")).toBe(hub.commit);
  });

  test("sends the token only to the hub", async () => {
    await open({ token });
    const byServer = (server: string): Set<string | undefined> =>
      new Set(hub.seen.filter((seen) => seen.server === server).map(({ authorization }) => authorization));
    expect(byServer("hub")).toEqual(new Set([`Bearer ${token}`]));
    expect(byServer("storage")).toEqual(new Set([undefined]));
  });

  test("a listing cannot redirect the token to another origin", async () => {
    hub.faults.push((seen, response) => {
      if (seen.server !== "hub" || !seen.path.includes("/tree/")) return false;
      response.writeHead(200, { link: `<${hub.storage}/next>; rel="next"` }).end("[]");
      return true;
    });
    await failure(open({ token }));
    expect(asked("/next").map(({ authorization }) => authorization)).toEqual([undefined]);
  });
});

describe("the cache", () => {
  test("answers names of a pinned commit without requests", async () => {
    const files = ["config.json", "model.safetensors"];
    const first = await open({ files });
    hub.seen.length = 0;
    expect(await open({ files, revision: hub.commit })).toEqual(first);
    expect(hub.seen).toEqual([]);
  });

  test("avoids downloads of cached contents for a branch", async () => {
    await open();
    hub.seen.length = 0;
    await open();
    expect(asked("/resolve/")).toEqual([]);
    expect(hub.seen).toHaveLength(2);
  });

  test("is the only source when offline", async () => {
    expect(await failure(open({ offline: true }))).toFailWith("checkpoint_missing");
    const online = await open();
    await hub.close();
    expect(await open({ offline: true })).toEqual(online);
    expect(await open({ offline: true, revision: hub.commit, files: ["config.json"] })).toMatchObject({
      files: ["config.json"],
    });
    expect(await failure(open({ offline: true, files: ["merges.txt"] }))).toFailWith("checkpoint_missing", {
      file: "merges.txt",
    });
    expect(await failure(open({ offline: true, revision: "v1" }))).toFailWith("checkpoint_missing");
    expect((await failure(open())).message).toContain("ECONNREFUSED");
  });

  test("replaces a content of another size", async () => {
    await mkdir(join(repository(), "blobs"), { recursive: true });
    await writeFile(join(repository(), "blobs", weightsHash), "short");
    const { folder } = await open();
    expect(await readFile(join(folder, "model.safetensors"))).toEqual(Buffer.from(weights));
  });

  test("reports a cache that cannot be written", async () => {
    await writeFile(join(root, "cache"), "a file");
    expect(await failure(open())).toFailWith("run_unwritable");
  });

  test("names no file before all are complete", async () => {
    fail(weightsHash, 9, (_, response) => response.writeHead(500).end());
    await failure(open());
    expect(await readdir(repository())).toEqual(["blobs"]);
    expect((await blobs()).filter((name) => name.startsWith(weightsHash) && !name.endsWith(".incomplete"))).toEqual([]);
  });
});

describe("a transfer of a file", () => {
  const ranges = (): (string | undefined)[] => asked(weightsHash).map(({ range }) => range);
  const arrived = async (bytes: number): Promise<boolean> => {
    const part = (await blobs()).find((name) => name.startsWith(weightsHash) && name.endsWith(".incomplete"));
    return part !== undefined && (await stat(join(repository(), "blobs", part))).size >= bytes;
  };
  const breakOff = (from: number, to: number) => breakOffAfter(weights, from, to, arrived);

  test("continues after a broken connection", async () => {
    fail(weightsHash, 1, breakOff(0, 100_000));
    fail(weightsHash, 1, breakOff(100_000, 200_000));
    const { folder } = await open();
    expect(await readFile(join(folder, "model.safetensors"))).toEqual(Buffer.from(weights));
    expect(ranges()).toEqual([undefined, "bytes=100000-", "bytes=200000-"]);
    expect(waits).toEqual([500, 500]);
  });

  test("continues in the next call", async () => {
    fail(weightsHash, 1, breakOff(0, 100_000));
    fail(weightsHash, 9, (_, response) => response.destroy());
    expect(await failure(open())).toFailWith("hub_unavailable");
    hub.faults.length = 0;
    hub.seen.length = 0;
    await open();
    expect(ranges()).toEqual(["bytes=100000-"]);
    expect(await blobs()).toEqual([gitHash(config), weightsHash].toSorted());
  });

  test.each<[string, (seen: Seen, response: Parameters<Fault>[1]) => void]>([
    ["the whole", (_, response) => response.writeHead(200).end(weights)],
    [
      "another part",
      (_, response) =>
        response.writeHead(206, { "content-range": `bytes 7-${weights.length - 1}/${weights.length}` }).end("zzz"),
    ],
    [
      "a part of another file",
      (_, response) => response.writeHead(206, { "content-range": "bytes 100000-9/10" }).end(),
    ],
    ["nothing that is left", (_, response) => response.writeHead(416).end()],
    ["too much", (seen, response) => sendBytes({ headers: { range: seen.range } }, response, weights, {})],
  ])("recovers if the rest is answered with %s", async (_, answer) => {
    fail(weightsHash, 1, breakOff(0, 100_000));
    fail(weightsHash, 1, answer);
    const { folder } = await open();
    expect(await readFile(join(folder, "model.safetensors"))).toEqual(Buffer.from(weights));
  });

  test("stops at more bytes than listed", async () => {
    fail(weightsHash, 9, (_, response) => response.writeHead(200).end(Buffer.concat([weights, weights])));
    expect((await failure(open())).message).toContain("Misfit");
    expect(asked(weightsHash)).toHaveLength(5);
  });

  test("rejects other bytes than listed and leaves no files", async () => {
    fail(weightsHash, 9, (_, response) => response.writeHead(200).end(weights.toReversed()));
    const error = await failure(open());
    expect(error).toFailWith("checkpoint_corrupt", { file: "model.safetensors" });
    expect(asked(weightsHash)).toHaveLength(2);
    expect((await blobs()).filter((name) => name.startsWith(weightsHash))).toEqual([]);
  });

  test("checks a small file by git's hash", async () => {
    fail("/resolve/", 9, (seen, response) => {
      if (seen.path.endsWith("config.json")) response.writeHead(200).end(config.toReversed());
      else response.writeHead(500).end();
    });
    expect(await failure(open({ files: ["config.json"] }))).toFailWith("checkpoint_corrupt");
  });

  test("restarts after a damaged earlier attempt", async () => {
    await mkdir(join(repository(), "blobs"), { recursive: true });
    const part = `${weightsHash}.${hostname().replaceAll(/[^\w.]/g, "_")}-0-01234567.incomplete`;
    await writeFile(join(repository(), "blobs", part), new Uint8Array(50));
    await open();
    expect(ranges()).toEqual(["bytes=50-", undefined]);
    expect(await blobs()).toEqual([gitHash(config), weightsHash].toSorted());
  });

  test("leaves the transfer of a live process alone", async () => {
    await mkdir(join(repository(), "blobs"), { recursive: true });
    const part = `${weightsHash}.${hostname().replaceAll(/[^\w.]/g, "_")}-${process.ppid}-01234567.incomplete`;
    await writeFile(join(repository(), "blobs", part), weights.subarray(0, 50));
    await open();
    expect(ranges()).toEqual([undefined]);
    expect(await blobs()).toEqual([gitHash(config), weightsHash, part].toSorted());
  });

  test("stops on abort and can continue", async () => {
    const controller = new AbortController();
    const stop = open({
      signal: controller.signal,
      onProgress: ({ file, fileBytes }) => {
        if (file === "model.safetensors" && fileBytes > 0) controller.abort();
      },
    });
    expect(await failure(stop)).toFailWith("aborted");
    hub.seen.length = 0;
    await open();
    expect(ranges()[0]).toMatch(/^bytes=\d+-$/);
    expect(await failure(open({ signal: AbortSignal.abort() }))).toFailWith("aborted");
  });
});

describe("a failing hub", () => {
  test.each<[string, Partial<SnapshotOptions>, { code: string; message: RegExp }]>([
    ["a repository", { repo: "owner/none" }, { code: "checkpoint_missing", message: /repository not/ }],
    ["a revision", { revision: "none" }, { code: "checkpoint_missing", message: /revision not/ }],
    ["a file", { files: ["config.json", "none.json"] }, { code: "checkpoint_missing", message: /file none\.json/ }],
    ["every file", { files: ["*.gguf"] }, { code: "checkpoint_missing", message: /no file matches \*\.gguf/ }],
  ])("names a missing %s", async (_, options, expected) => {
    const error = await failure(open({ token, ...options }));
    expect(error.code).toBe(expected.code);
    expect(error.message).toMatch(expected.message);
  });

  test.each([
    [401, {}, "it needs a token"],
    [403, {}, "it needs a token"],
    [403, { "x-error-code": "GatedRepo" }, "consent to terms"],
    [418, {}, "HTTP status 418"],
  ])("answers %i %j without a retry", async (status, headers, message) => {
    fail("", 9, (_, response) => response.writeHead(status, headers).end("secret-signature"));
    const error = await failure(open());
    expect(error).toFailWith("hub_unavailable", { status });
    expect(error.message).toContain(message);
    expect(hub.seen).toHaveLength(1);
  });

  test("is asked again after Retry-After", async () => {
    fail("", 1, (_, response) => response.writeHead(429, { "retry-after": "7" }).end());
    fail("config.json", 1, (_, response) =>
      response
        .writeHead(503, { date: "Fri, 01 Jan 2027 00:00:00 GMT", "retry-after": "Fri, 01 Jan 2027 00:00:09 GMT" })
        .end(),
    );
    fail(weightsHash, 1, (_, response) => response.writeHead(502).end());
    await open();
    expect(waits.toSorted((a, b) => a - b)).toEqual([500, 7000, 9000]);
  });

  test("is not asked again after a very long Retry-After", async () => {
    fail("", 1, (_, response) => response.writeHead(429, { "retry-after": "3600" }).end());
    expect((await failure(open())).message).toContain("HTTP status 429");
    expect(waits).toEqual([]);
  });

  test("is given up after repeated failures", async () => {
    fail("", 99, (_, response) => response.writeHead(500).end("secret-signature"));
    expect(await failure(open())).toFailWith("hub_unavailable", { attempts: 5 });
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  test.each([
    "[",
    "{}",
    '[{"type":"file","path":"config.json"}]',
    '[{"type":"file","path":"x","size":1,"oid":"../x"}]',
  ])("is rejected for an invalid listing: %s", async (body) => {
    fail("/tree/", 9, (_, response) => response.writeHead(200).end(body));
    expect(await failure(open())).toFailWith("hub_unavailable");
  });

  test("is rejected without a commit", async () => {
    fail("/revision/", 9, (_, response) => response.writeHead(200).end('{"sha":"../../evil"}'));
    expect(await failure(open())).toFailWith("hub_unavailable");
  });
});

test.each(["../evil", "a/../../evil", "/evil", "a//evil", "C:evil", String.raw`..\evil`, "a/./evil", ""])(
  "a repository cannot write outside its folder: %j",
  async (name) => {
    hub.files.set(name, { bytes: config });
    expect(await failure(open({ files: ["**"] }))).toFailWith("input_invalid");
    expect(await readdir(root)).toEqual([]);
  },
);

test.each<[Partial<SnapshotOptions>, string]>([
  [{ repo: "../x" }, "input_invalid"],
  [{ repo: "a/b/c" }, "input_invalid"],
  [{ repo: "a/b--c" }, "input_invalid"],
  [{ revision: "../../x" }, "input_invalid"],
  [{ revision: "" }, "input_invalid"],
  [{ endpoint: "ftp://x" }, "config_invalid"],
  [{ endpoint: `http://user:${token}@127.0.0.1` }, "config_invalid"],
  [{ token: "secret-signature" }, "config_invalid"],
  [{ token: `${token}\nx` }, "config_invalid"],
])("rejects the request %j", async (options, code) => {
  expect((await failure(open(options))).code).toBe(code);
  expect(hub.seen).toEqual([]);
});
