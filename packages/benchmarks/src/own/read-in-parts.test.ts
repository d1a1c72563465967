import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { startFakeHub, type FakeHub } from "@laconic/hub/testing";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openProblems, type OpenedProblems, type ProblemOptions } from "./open-data.ts";

const rows = 20_000;
const table = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: "ask", data: Array.from({ length: rows }, (_, i) => `What is ${i} + ${i}?`), type: "STRING" },
      { name: "sum", data: Array.from({ length: rows }, (_, i) => 2 * i), type: "INT32" },
      { name: "context", data: Array.from({ length: rows }, (_, i) => noise(i)), type: "STRING" },
    ],
    codec: "UNCOMPRESSED",
    rowGroupSize: 1000,
  }),
);

function noise(seed: number): string {
  return Array.from({ length: 20 }, (_, i) => String((seed * 7919 + i * 104_729) % 9_999_991).padStart(10, "x")).join(
    "",
  );
}

const settings = { grading: "numeric", columns: { question: "ask", gold: "sum" } } as const;

interface Opened {
  readonly hub: FakeHub;
  served(): number;
  open(options?: Partial<ProblemOptions>, source?: string): Promise<OpenedProblems>;
}

async function hubWith(bytes: Uint8Array = table): Promise<Opened> {
  const hub = await startFakeHub("acme/sums", {
    "data/train-0.parquet": { bytes, large: true },
    "data/train-1.parquet": { bytes, large: true },
  });
  onTestFinished(() => hub.close());
  let count = 0;
  const counting = (async (...asked: Parameters<typeof fetch>) => {
    const reply = await fetch(...asked);
    const through = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, out) => {
        count += piece.length;
        out.enqueue(piece);
      },
    });
    const { status, headers } = reply;
    return new Response(reply.body?.pipeThrough(through) ?? null, { status, headers });
  }) as typeof fetch;
  const cacheFolder = await temporaryFolder();
  return {
    hub,
    served: () => count,
    open: (options, source = "hub:acme/sums/data/train-*.parquet") =>
      openProblems(source, {
        ...settings,
        rows: 20,
        ...options,
        fetch: counting,
        hub: { cacheFolder, offline: false, endpoint: hub.endpoint },
      }),
  };
}

test("20 rows of a large file need a small share of its bytes and equal those of the whole file", async () => {
  const { hub, open, served } = await hubWith();
  expect(table.length).toBeGreaterThan(4 << 20);
  const { problems, source, files } = await open();
  expect(served()).toBeLessThan(table.length / 20);
  expect(problems.map(({ question, gold }) => [question, gold])).toEqual(
    Array.from({ length: 20 }, (_, i) => [`What is ${i} + ${i}?`, String(2 * i)]),
  );
  expect(source).toBe(`hub:acme/sums@${hub.commit}/data/train-*.parquet`);
  expect(files).toEqual(
    [0, 1].map((i) => ({
      path: `hub:acme/sums/data/train-${i}.parquet`,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) as string,
    })),
  );
  const whole = await open({ rows: 2 * rows, columns: { ...settings.columns } });
  expect(whole.problems).toHaveLength(2 * rows);
  expect(whole.problems[rows - 1]?.question).toBe(`What is ${rows - 1} + ${rows - 1}?`);
  expect(whole.problems[rows]?.question).toBe("What is 0 + 0?");
  expect(served()).toBeLessThan(table.length);
});

test("a local file is read in parts, and other files only up to a number of rows", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "mine.parquet");
  await writeFile(path, table);
  const { problems, files } = await openProblems(path, { ...settings, rows: 3 });
  expect(problems.map(({ gold }) => gold)).toEqual(["0", "2", "4"]);
  expect(files[0]?.sha256).toMatch(/^[0-9a-f]{64}$/u);
  const lines = join(folder, "mine.jsonl");
  await writeFile(lines, '{"ask":"a","sum":1}\n{"ask":"b","sum":2}\nno json\n');
  expect((await openProblems([lines, path], { ...settings, rows: 2 })).problems).toHaveLength(2);
});

test("a missing column is named along with the present columns", async () => {
  const { open } = await hubWith();
  await expect(open({ columns: { question: "ask", gold: "total" } })).rejects.toThrow(
    /train-0\.parquet row 1: total is not a column; the row has ask, sum, context/u,
  );
});

test("an interrupted transfer resumes at its last byte", async () => {
  const { hub, open } = await hubWith();
  let broken = 0;
  hub.faults.push(({ server, range }, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/u.exec(range ?? "") ?? [];
    if (server !== "storage" || from === undefined || broken > 0) return false;
    broken++;
    const [start, end] = [Number(from), Number(to) + 1];
    response.writeHead(206, {
      "content-range": `bytes ${start}-${end - 1}/${table.length}`,
      "content-length": end - start,
    });
    response.write(table.subarray(start, start + 1000), () => setTimeout(() => response.destroy(), 30));
    return true;
  });
  expect((await open()).problems).toHaveLength(20);
  const ranges = hub.seen.flatMap(({ server, range }) => (server === "storage" ? [range] : []));
  const start = Number(/\d+/u.exec(ranges[0] ?? "")?.[0]);
  expect(ranges[1]).toMatch(new RegExp(String.raw`^bytes=${start + 1000}-`, "u"));
});

const answering =
  (answer: (response: ServerResponse, start: number, end: number) => void) =>
  (
    { server, range }: { readonly server: string; readonly range: string | undefined },
    response: ServerResponse,
  ): boolean => {
    if (server !== "storage") return false;
    const [, from = "0", to = "0"] = /^bytes=(\d+)-(\d+)$/u.exec(range ?? "") ?? [];
    answer(response, Number(from), Number(to) + 1);
    return true;
  };

test.for([
  ["without ranges", answering((response) => response.writeHead(200).end(table)), /byte ranges are not supported/u],
  [
    "that says another size",
    answering((response, start, end) =>
      response.writeHead(206, { "content-range": `bytes ${start}-${end - 1}/12` }).end(table.subarray(start, end)),
    ),
    /requested bytes=\d+-\d+ of \d+ bytes, received bytes \d+-\d+ of 12/u,
  ],
  [
    "that answers with another range",
    answering((response, start, end) =>
      response
        .writeHead(206, { "content-range": `bytes 0-${end - start}/${table.length}` })
        .end(table.subarray(0, end - start)),
    ),
    /received bytes 0-/u,
  ],
  [
    "that sends more than was asked for",
    answering((response, start, end) =>
      response.writeHead(206, { "content-range": `bytes ${start}-${end - 1}/${table.length}` }).end(table),
    ),
    /received more bytes than requested/u,
  ],
  [
    "that knows no such range",
    answering((response) => response.writeHead(416).end()),
    /received status 416 without a range/u,
  ],
] as const)("a server %s is refused by name", async ([, fault, reason]) => {
  const { hub, open, served } = await hubWith();
  hub.faults.push(fault);
  await expect(open()).rejects.toMatchObject({
    code: "hub_unavailable",
    message: expect.stringMatching(reason) as string,
  });
  expect(served()).toBeLessThan(table.length + (64 << 10));
});
