import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { StoredCalls } from "@laconic/core/run-folder";
import { expect, test } from "vitest";
import { laconic, rowsIn } from "../../test/laconic.ts";
import { recordingServer } from "../../test/recording-server.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

test("a bench stores its server requests, and none with --no-requests", async () => {
  const folder = await temporaryFolder();
  const { url, served } = await recordingServer((_, nth) => `It is #### ${nth}`);
  const data = join(folder, "sums.jsonl");
  await writeFile(data, `{"question":"2 + 2?","gold":"4"}\n{"question":"3 + 3?","gold":"6"}\n`);
  const play = (run: string, ...more: readonly string[]) =>
    laconic(
      "bench",
      ...Object.entries({ data, grading: "numeric", methods: "debate,sc", model: "m", "base-url": url }).flatMap(
        ([name, value]) => [`--${name}`, value],
      ),
      "--run",
      join(folder, run),
      ...more,
    );
  expect((await play("kept")).code).toBe(0);
  const stored = gunzipSync(await readFile(join(folder, "kept/calls.jsonl.gz")))
    .toString()
    .trim()
    .split("\n");
  const calls = stored.flatMap((line) => (JSON.parse(line) as StoredCalls).calls);
  const asked = calls.map(({ prompt, sampling, promptTokens }) => [
    prompt.kind === "messages" && prompt.messages,
    sampling.temperature,
    sampling.maxTokens,
    promptTokens,
  ]);
  const inOrder = (each: readonly unknown[]): string[] => each.map((one) => JSON.stringify(one)).toSorted();
  expect(served.length).toBeGreaterThan(10);
  expect(inOrder(asked)).toEqual(
    inOrder(served.map((each) => [each.messages, each.temperature, each.maxTokens, each.promptTokens])),
  );
  expect((await play("bare", "--no-requests")).code).toBe(0);
  const samples = await rowsIn<{ requests: unknown }>(folder, "bare/samples.jsonl");
  expect(samples.map(({ requests }) => requests)).toEqual([null, null, null, null]);
  await expect(readFile(join(folder, "bare/calls.jsonl.gz"))).rejects.toThrow("ENOENT");
});
