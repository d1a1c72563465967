import { appendFile, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { baselineNamed } from "@laconic/baselines";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import type { CompletionRequest, LanguageModel } from "@laconic/core";
import type { StoredCalls } from "@laconic/core/run-folder";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { maths, settings as shared } from "../test/bench-run.ts";
import { benchJobs, openJobs, openRecords, runBench, type SampleRecord } from "./index.ts";
import { openCallFile } from "./kept-calls.ts";
import { sampleKey } from "./sample-record.ts";

const problems = ["2 + 2", "3 + 3", "fails"].map((question, i): BenchmarkProblem => ({
  id: `p${i}`,
  question,
  gold: String(2 * (i + 2)),
  grading: { kind: "numeric" },
}));
const set = { benchmark: "sums", split: "test", problems, exemplars: [], calibration: [] };
const settings = { ...shared, methods: ["debate"] };

function servedModel(): { readonly model: LanguageModel; readonly requests: CompletionRequest[] } {
  const requests: CompletionRequest[] = [];
  const inner = scriptedModel(() => "I say #### 4");
  let failing = 0;
  return {
    requests,
    model: {
      id: "served",
      complete(request) {
        requests.push(request);
        if (JSON.stringify(request.prompt).includes("fails") && ++failing % 6 === 2)
          return Promise.reject(new TypeError("the server hung up"));
        return inner.complete(request);
      },
    },
  };
}

async function play(folder: string): Promise<{ records: SampleRecord[]; requests: CompletionRequest[] }> {
  const file = await openRecords(join(folder, "samples.jsonl"));
  const callFile = await openCallFile(join(folder, "calls.jsonl.gz"), file.records.values());
  const { model, requests } = servedModel();
  const jobs = openJobs(benchJobs([set], settings, [baselineNamed("debate")]), file.records);
  await runBench(jobs, settings, { model, graders: { maths }, price: null }, file, { concurrency: 1, callFile });
  await callFile.close();
  await file.close();
  return { records: [...file.records.values()], requests };
}

async function callsOf(folder: string, { requests }: SampleRecord): Promise<StoredCalls> {
  const bytes = await readFile(join(folder, "calls.jsonl.gz"));
  const { from, bytes: length } = requests as { from: number; bytes: number };
  return JSON.parse(gunzipSync(bytes.subarray(from, from + length)).toString()) as StoredCalls;
}

test("each sample has its requests as the model got them, its replies, and the way to its verdict", async () => {
  const folder = await temporaryFolder();
  const { records, requests } = await play(folder);
  const [first, second, failed] = records as [SampleRecord, SampleRecord, SampleRecord];
  expect([first.correct, second.correct, failed.status]).toEqual([true, false, "error"]);
  const retained = await Promise.all(records.map((record) => callsOf(folder, record)));
  expect(retained.map(({ sample }) => sample)).toEqual(records.map((record) => sampleKey(record)));
  const flat = retained.flatMap(({ calls }) => calls);
  expect(flat.map(({ prompt, sampling }) => ({ prompt, sampling }))).toEqual(
    requests.map(({ prompt, sampling }) => ({ prompt, sampling })),
  );
  expect(retained[0]?.calls).toHaveLength(first.calls);
  expect(
    retained[0]?.calls.every(({ reply, finishReason }) => reply === "I say #### 4" && finishReason === "stop"),
  ).toBe(true);
  expect(retained[2]?.calls.filter(({ error }) => error === "the server hung up")).toHaveLength(1);
  expect(second.steps).toEqual([
    { name: "found after ####", answer: "4", gold: "6" },
    { name: "exact number", answer: "4", gold: "6" },
  ]);
});

test("a truncated write is removed, and the next attempt's calls follow the whole ones", async () => {
  const folder = await temporaryFolder();
  const { records: before } = await play(folder);
  const path = join(folder, "calls.jsonl.gz");
  const { size } = await stat(path);
  await appendFile(path, Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
  const { records } = await play(folder);
  expect(records[2]).toMatchObject({ attempt: 2, requests: { from: size } });
  expect(await callsOf(folder, records[0] as SampleRecord)).toEqual(await callsOf(folder, before[0] as SampleRecord));
  expect((await callsOf(folder, records[2] as SampleRecord)).calls.length).toBeGreaterThan(0);
  // What any tool reads of it: every member is whole.
  expect(
    gunzipSync(await readFile(path))
      .toString()
      .trim()
      .split("\n"),
  ).toHaveLength(4);
});
