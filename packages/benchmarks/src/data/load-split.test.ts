import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { Benchmark } from "./benchmark.ts";
import { findFiles } from "./open-split.ts";
import { loadSplit, type LoadOptions, type LoadedSplit } from "./load-split.ts";
import { benchmarkNamed } from "./registry.ts";

async function load(
  name: string,
  content: string | Uint8Array,
  options: LoadOptions = {},
  change: Partial<Benchmark> = {},
  file = "rows.jsonl",
): Promise<LoadedSplit> {
  const folder = await temporaryFolder();
  const path = join(folder, file);
  await writeFile(path, content);
  const benchmark = { ...benchmarkNamed(name), ...change };
  const split = benchmark.defaultSplit;
  return loadSplit(benchmark, split, await findFiles(benchmark, split, path), options);
}

const rowsOf = (...rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const good = { question: "1 + 1?", answer: "One and one. <<1+1=2>>2\n#### 2" };
const bad = { question: "2 + 2?", answer: "four" };
const oneRow = { splits: { test: { rows: 1 } } };

test("strict mode stops at a bad row with file, row and reason", async () => {
  await expect(load("gsm8k", rowsOf(good, bad, { question: "no answer" }))).rejects.toMatchObject({
    code: "data_invalid",
    detail: { row: 2, refused: 2 },
    message: expect.stringMatching(
      /rows\.jsonl row 2: answer does not end with "#### " and a number \| .*row 3: answer: .*lenient mode/,
    ) as string,
  });
});

test("lenient mode leaves bad rows out, lists them, and counts", async () => {
  const { problems, refused, warnings } = await load("gsm8k", rowsOf(good, bad), { mode: "lenient" });
  expect(problems).toEqual([
    { id: "gsm8k/test/0", question: "1 + 1?", gold: "2", solution: "One and one. 2", grading: { kind: "numeric" } },
  ]);
  expect(refused).toMatchObject([{ row: 2 }]);
  expect(warnings).toEqual(["GSM8K, split test: 1 problems, expected 1319"]);
});

test("an id that comes twice is refused where it comes again", async () => {
  const row = { ID: "chal-1", Body: "Two", Question: "How many?", Answer: 2.0 };
  const { problems, refused } = await load("svamp", rowsOf(row, row), { mode: "lenient" });
  expect(problems.map(({ id, question, published }) => [id, question, published])).toEqual([
    ["svamp/chal-1", "Two. How many?", "Two How many?"],
  ]);
  expect(refused[0]?.reason).toMatch(/^the id svamp\/chal-1 is that of .* row 1 too$/);
});

test("another number of rows is refused unless a changed file is allowed", async () => {
  await expect(load("gsm8k", rowsOf(good))).rejects.toMatchObject({
    message: "GSM8K, split test: 1 problems, expected 1319",
  });
  expect((await load("gsm8k", rowsOf(good), { allowChanged: true })).warnings).toHaveLength(1);
  expect((await load("gsm8k", rowsOf(good), {}, oneRow)).warnings).toEqual([]);
});

test("a file under a known name with other bytes is refused unless allowed", async () => {
  const known = { path: "rows.jsonl", url: "https://example.org/rows.jsonl", bytes: 3, sha256: "0".repeat(64) };
  const change = { splits: { test: { rows: 1, files: [known] } } };
  await expect(load("gsm8k", rowsOf(good), {}, change)).rejects.toMatchObject({
    code: "data_invalid",
    message: expect.stringMatching(
      /is not the GSM8K that is known: its sha256 is [0-9a-f]{64}, expected 0{64}/,
    ) as string,
  });
  const { files, warnings } = await load("gsm8k", rowsOf(good), { allowChanged: true }, change);
  expect(files).toMatchObject([{ known: false }]);
  expect(warnings).toHaveLength(1);
});

test("a missing file is named with the searched places", async () => {
  const benchmark = benchmarkNamed("gsm8k");
  await expect(findFiles(benchmark, "test", "/no/such")).rejects.toMatchObject({
    message: "GSM8K, split test: /no/such not found",
  });
  await expect(findFiles(benchmark, "test", tmpdir())).rejects.toMatchObject({
    message: expect.stringContaining("holds none of gsm8k/test.jsonl") as string,
  });
  await expect(findFiles(benchmark, "validation", ".")).rejects.toMatchObject({
    code: "config_invalid",
    message: "gsm8k has no split validation; it has test, train",
  });
  expect(() => benchmarkNamed("toString")).toThrow("unknown benchmark toString; there are mmlu, mmlu-153, ");
});

test("rows of the hub's Parquet say the same as the pinned files", async () => {
  const column = (name: string, data: unknown[]): { name: string; data: unknown[] } => ({ name, data });
  const parquet = (...columns: { name: string; data: unknown[] }[]): Uint8Array =>
    new Uint8Array(parquetWriteBuffer({ columnData: columns }));
  const rows = async (name: string, bytes: Uint8Array): Promise<unknown> =>
    (await load(name, bytes, { allowChanged: true }, {}, "x.parquet")).problems.map(({ question, gold, metadata }) => [
      question,
      gold,
      metadata,
    ]);
  expect(await rows("gsm8k", parquet(column("question", ["1 + 1?"]), column("answer", ["so\n#### 1,002"])))).toEqual([
    ["1 + 1?", "1002", undefined],
  ]);
  expect(await rows("multiarith", parquet(column("question", [" q "]), column("final_ans", ["7"])))).toEqual([
    ["q", "7", undefined],
  ]);
  const choices = [["w", "x", "None", "z"]];
  expect(
    await rows(
      "mmlu",
      parquet(
        column("question", ["q"]),
        column("subject", ["law"]),
        column("choices", choices),
        column("answer", [2n]),
      ),
    ),
  ).toEqual([["q", "C", { subject: "law" }]]);
  expect(await rows("minerva", parquet(column("question", ["q"]), column("answer", ["4.5e33"])))).toEqual([
    ["q", "4.5e33", undefined],
  ]);
  expect(await rows("tldr", parquet(column("prompt", ["POST: p"]), column("completion", [" sum"])))).toEqual([
    ["POST: p", "sum", undefined],
  ]);
});
