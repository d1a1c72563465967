import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SampleQuery, SampleRow } from "@laconic/view";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { answerRequest } from "../src/requests.ts";
import { writtenBench } from "./fixture/written-bench.ts";
import { openedData } from "./small-runs.ts";

async function opened(questions: number) {
  const folder = await temporaryFolder();
  await writtenBench(folder, questions);
  const data = await openedData([folder]);
  const [bench] = await data.benches();
  const id = bench?.id as string;
  const rows = async (query: SampleQuery = {}): Promise<readonly SampleRow[]> =>
    (await data.samples(id, query))?.rows ?? [];
  return { folder, data, bench, id, rows };
}

const named = (rows: readonly SampleRow[]): string[] => rows.map(({ problem, method }) => `${problem} ${method}`);

test("finds samples by method, verdict, text and disagreement, grouped by question", async () => {
  const { bench, rows, data, id } = await opened(12);
  expect(bench).toMatchObject({ samples: 36, methods: ["cot", "debate", "vanilla"], benchmarks: ["gsm8k"] });
  expect(named(await rows({ limit: 4 }))).toEqual(["q0 cot", "q0 debate", "q0 vanilla", "q1 cot"]);
  expect(named(await rows({ limit: 2, offset: 34 }))).toEqual(["q11 debate", "q11 vanilla"]);
  expect(named(await rows({ verdict: "failed" }))).toEqual(["q4 vanilla"]);
  expect(named(await rows({ method: "debate", verdict: "right" }))).toEqual(
    ["q0", "q3", "q6", "q9"].map((q) => `${q} debate`),
  );
  // Even and not a multiple of three, or the other way round.
  const apart = ["q2", "q3", "q4", "q8", "q9", "q10"];
  expect(named(await rows({ method: "cot", against: "debate" }))).toEqual(
    apart.flatMap((q) => [`${q} cot`, `${q} debate`]),
  );
  expect(named(await rows({ method: "debate", against: "cot", verdict: "right" }))).toEqual([
    "q2 cot",
    "q3 debate",
    "q4 cot",
    "q8 cot",
    "q9 debate",
    "q10 cot",
  ]);
  expect(named(await rows({ text: "BUYS onerror" }))).toEqual(["q7 cot", "q7 debate", "q7 vanilla"]);
  expect(named(await rows({ text: "many.", method: "cot" }))).toEqual(
    ["q1", "q3", "q5", "q7", "q9", "q11"].map((q) => `${q} cot`),
  );
  expect(await rows({ method: "nobody" })).toEqual([]);
  expect((await rows({ sort: "cost", limit: 1 }))[0]).toMatchObject({
    method: "vanilla",
    usd: expect.closeTo(0.0003, 9),
  });
  expect((await data.samples(id, { benchmark: "gsm8k", limit: 1 }))?.total).toBe(36);
});

test("a sample has question, ordered requests and replies, and verdict steps", async () => {
  const { data, id, rows } = await opened(9);
  const [row] = await rows({ method: "debate", text: "onerror" });
  const detail = await data.sample(id, row?.key as string);
  expect(detail).toMatchObject({
    row: { problem: "q7", verdict: "wrong", tokens: 104, calls: 2, seconds: 1 },
    gold: "15",
    extracted: "7",
    rule: "after ####, exact number",
    steps: [{ name: "exact number", answer: "7", gold: "15" }],
    grading: "numeric",
    callsMissing: null,
  });
  expect(detail?.calls.map(({ agent }) => agent)).toEqual(["solver0", "solver1"]);
  expect(detail?.calls[0]?.prompt).toMatchObject({
    messages: [{ role: "system" }, { role: "user", content: detail?.question }],
  });
  expect(named(detail?.others ?? [])).toEqual(["q7 cot", "q7 vanilla"]);
  expect(await data.sample(id, "0123456789ab")).toBeNull();
  expect(await data.sample(id, "../../etc")).toBeNull();
  expect(await data.sample("nobody", row?.key as string)).toBeNull();
});

test("a sample has its score and the end of each test", async () => {
  const { folder, id, rows } = await opened(4);
  const debate = await rows({ method: "debate" });
  expect(debate.map(({ problem, verdict, score }) => [problem, verdict, score])).toEqual([
    ["q0", "right", null],
    ["q1", "wrong", null],
    ["q2", "wrong", 0.4],
    ["q3", "right", null],
  ]);
  const path = join(folder, "samples.jsonl");
  const text = await readFile(path, "utf8");
  const stray = JSON.stringify({ name: "x", answer: "y", gold: null, ended: 3 });
  expect(text).toContain('"steps":[{"name":"case 1');
  await writeFile(path, text.replace('"steps":[{"name":"case 1', `"steps":[${stray},{"name":"case 1`));
  const other = await openedData([folder]);
  expect((await other.sample(id, debate[2]?.key as string))?.steps).toEqual([
    { name: "case 1 of 2", answer: "7", gold: "7", ended: "passed" },
    { name: "case 2 of 2", answer: "time", gold: "9", ended: "time" },
  ]);
});

test("a key names the same sample in another process, with its last record", async () => {
  const { folder, data, id, rows } = await opened(3);
  const before = (await rows({ method: "cot" }))[1];
  const line = (await readFile(join(folder, "samples.jsonl"), "utf8")).split("\n")[3] as string;
  expect(JSON.parse(line)).toMatchObject({ problem: "q1", method: "cot", correct: false });
  await appendFile(join(folder, "samples.jsonl"), `${JSON.stringify({ ...JSON.parse(line), correct: true })}\n`);
  const other = await openedData([folder]);
  for (const viewData of [data, other]) {
    const samplePage = await viewData.samples(id, {});
    expect([samplePage?.total, samplePage?.rows[3]]).toEqual([9, { ...before, verdict: "right" }]);
    expect((await viewData.sample(id, before?.key as string))?.row.verdict).toBe("right");
  }
});

test("reports lost or foreign calls as missing and shows the rest of the sample", async () => {
  const { folder, data, id, rows } = await opened(3);
  const path = join(folder, "samples.jsonl");
  const lines = (await readFile(path, "utf8")).trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const written = records.map((record, i) => ({
    ...record,
    requests: i === 0 ? null : i === 1 ? records[2]?.["requests"] : record["requests"],
  }));
  await writeFile(path, `${written.map((record) => JSON.stringify(record)).join("\n")}\n`);
  const last = records.at(-1)?.["requests"] as { from: number };
  await truncate(join(folder, "calls.jsonl.gz"), last.from + 10);
  const all = await rows({ sort: "question" });
  const missing = await Promise.all(all.map(async ({ key }) => (await data.sample(id, key))?.callsMissing));
  expect(missing).toEqual([
    "The bench stores no requests.",
    "calls.jsonl.gz: missing or damaged.",
    ...Array.from({ length: 6 }, () => null),
    "calls.jsonl.gz: missing or damaged.",
  ]);
});

test("rejects invalid sample queries by name", async () => {
  const asked: SampleQuery[] = [];
  const data = { samples: async (_: string, query: SampleQuery) => void asked.push(query) };
  const read = (text: string): Promise<unknown> =>
    answerRequest(data as never, "benches/b/samples", new URLSearchParams(text));
  await read("text=a&method=cot&against=&verdict=wrong&offset=20&limit=10");
  expect(asked[0]).toEqual({
    text: "a",
    method: "cot",
    verdict: "wrong",
    offset: 20,
    limit: 10,
  });
  await expect(read("verdict=good")).rejects.toThrow("verdict is not one of right, wrong, failed, undecided");
  await expect(read("limit=501")).rejects.toThrow("limit is 501, at most 500 are allowed");
});
