import { createHash } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { startFakeHub } from "@laconic/hub/testing";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Benchmark } from "./benchmark.ts";
import { openSplit } from "./open-split.ts";
import { benchmarkNamed } from "./registry.ts";

const rows = new TextEncoder().encode('{"question":"1 + 1?","answer":"so\\n#### 2"}\n');
const sha256 = createHash("sha256").update(rows).digest("hex");

async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const tiny = (url: string, hash = sha256): Benchmark => ({
  ...benchmarkNamed("gsm8k"),
  splits: {
    test: {
      rows: 1,
      files: [{ path: "gsm8k/test.jsonl", url: `${url}/rows`, bytes: rows.length, sha256: hash }],
      hub: { repo: "acme/gsm8k", files: ["main/test-*.jsonl"] },
    },
  },
});

test("a pinned file is downloaded once, checked, and read from the folder afterwards", async () => {
  let asked = 0;
  const url = await serverOf((_, response) => {
    asked += 1;
    response.end(rows);
  });
  const folder = await temporaryFolder();
  const progress: number[] = [];
  const onProgress = ({ bytes }: { bytes: number }): void => void progress.push(bytes);
  const first = await openSplit(tiny(url), { folder, onProgress });
  expect(first.problems).toHaveLength(1);
  expect(first.files).toEqual([{ path: join(folder, "gsm8k/test.jsonl"), sha256, known: true }]);
  expect(progress.at(-1)).toBe(rows.length);
  expect((await openSplit(tiny(url), { folder, offline: true })).problems).toEqual(first.problems);
  expect(asked).toBe(1);
  await writeFile(join(folder, "gsm8k/test.jsonl"), "{}\n");
  await expect(openSplit(tiny(url), { folder })).rejects.toMatchObject({ code: "data_invalid" });
});

test("other bytes than the known ones are never put in place", async () => {
  const url = await serverOf((_, response) => response.end(rows));
  const folder = await temporaryFolder();
  await expect(openSplit(tiny(url, "0".repeat(64)), { folder })).rejects.toMatchObject({ code: "checkpoint_corrupt" });
  await expect(readFile(join(folder, "gsm8k/test.jsonl"))).rejects.toThrow("ENOENT");
  await expect(openSplit(tiny(url), { folder, offline: true })).rejects.toMatchObject({ code: "data_invalid" });
});

test("an interrupted transfer resumes at its last byte", async () => {
  const ranges: (string | undefined)[] = [];
  const url = await serverOf((request, response) => {
    ranges.push(request.headers.range);
    if (ranges.length > 1)
      return void response
        .writeHead(206, { "content-range": `bytes 10-${rows.length - 1}/${rows.length}` })
        .end(rows.subarray(10));
    response.writeHead(200, { "content-length": rows.length });
    response.write(rows.subarray(0, 10), () => setTimeout(() => response.destroy(), 50));
  });
  expect((await openSplit(tiny(url), { folder: await temporaryFolder() })).problems).toHaveLength(1);
  expect(ranges).toEqual([undefined, "bytes=10-"]);
});

test("the first download from the hub pins a commit, and its bytes must stay equal", async () => {
  const hub = await startFakeHub("acme/gsm8k", { "main/test-0.jsonl": { bytes: rows } });
  onTestFinished(() => hub.close());
  const folder = await temporaryFolder();
  const options = {
    folder,
    from: "hub" as const,
    hub: { cacheFolder: join(folder, "hub"), offline: false, endpoint: hub.endpoint },
  };
  const benchmark = tiny("http://127.0.0.1:9");
  const first = await openSplit(benchmark, options);
  expect(first.problems).toMatchObject([{ gold: "2" }]);
  const note = join(folder, "gsm8k/hub-test.json");
  expect(JSON.parse(await readFile(note, "utf8"))).toEqual({
    repo: "acme/gsm8k",
    commit: hub.commit,
    files: { "main/test-0.jsonl": sha256 },
  });
  expect((await openSplit(benchmark, { ...options, offline: true })).problems).toEqual(first.problems);
  await writeFile(note, (await readFile(note, "utf8")).replace(sha256, "0".repeat(64)));
  // The pinned file's bytes are known, so a note that contradicts them is what is wrong; other bytes are refused.
  const strange = {
    ...benchmark,
    splits: { test: { rows: 1, hub: { repo: "acme/gsm8k", files: ["main/test-*.jsonl"] } } },
  };
  await expect(openSplit(strange, options)).rejects.toMatchObject({
    message: expect.stringContaining(`its sha256 is ${sha256}, expected ${"0".repeat(64)}`) as string,
  });
  expect((await openSplit(strange, { ...options, allowChanged: true })).problems).toHaveLength(1);
});

test("a source that a split does not have is refused by name", async () => {
  const folder = await temporaryFolder();
  const refusal = async (name: string, split: string, from: "pinned" | "hub"): Promise<string> =>
    openSplit(benchmarkNamed(name), { folder, split, from }).then(
      () => "",
      (error: Error) => error.message,
    );
  expect(await refusal("svamp", "all", "hub")).toBe(
    "SVAMP, split all: split not found on the hub; other splits: test, train, ours-train, ours-test",
  );
  expect(await refusal("svamp", "test", "pinned")).toBe(
    "SVAMP, split test: it is only on the hub; other splits: all, train, ours-train, ours-test",
  );
  expect(await refusal("svamp", "test", "hub")).toContain("hubEnvironment");
});
