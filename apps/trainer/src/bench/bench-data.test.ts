import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { main } from "../main.ts";

async function bench(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const terminal = recordingTerminal();
  const code = await main(["bench", ...words], { terminal });
  return { code, out: terminal.out.join("\n"), err: terminal.err.join("\n") };
}

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-bench-data-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A server that answers with what stands in the question's brackets. */
async function server(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const http = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { messages } = JSON.parse(Buffer.concat(pieces).toString()) as { messages: { content: string }[] };
      const text = messages.map(({ content }) => content).join("\n");
      asked.push(text);
      const reply = {
        choices: [{ finish_reason: "stop", message: { content: `#### ${/\[(.*?)\]/u.exec(text)?.[1] ?? ""}` } }],
        usage: { prompt_tokens: 9, completion_tokens: 5 },
      };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply));
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, asked };
}

const csv =
  'capital,of\nParis,"Which city governs France, [Paris]?"\nRome,Which city governs Italy [Milan]?\n,nothing\n';

test("a table of questions of one's own; the same bytes again, or none", async () => {
  const [folder, { url, asked }] = [await temporary(), await server()];
  const [file, run] = [join(folder, "capitals.csv"), join(folder, "bench")];
  await writeFile(file, csv);
  const given = ["--data", file, "--grading", "text", "--columns", "question=of,gold=capital", "--run", run];
  const rest = ["--methods", "vanilla", "--model", "fake", "--base-url", url];
  const strict = await bench(...given, ...rest);
  expect([strict.code, strict.err]).toEqual([2, expect.stringContaining("capitals.csv row 4: capital is empty")]);
  const { code, out, err } = await bench(...given, ...rest, "--lenient", "--json");
  expect([code, asked.length]).toEqual([0, 2]);
  expect(err).toContain("capitals: 1 rows left out; the first is");
  expect(asked[0]).toContain('End with a line "#### TEXT"');
  const { summaries } = JSON.parse(out) as { summaries: { benchmark: string; accuracy: { value: number } }[] };
  expect(summaries.map(({ benchmark, accuracy }) => [benchmark, accuracy.value])).toEqual([["capitals", 0.5]]);
  expect(await readFile(join(run, "report.md"), "utf8")).toContain("Questions: capitals 2 of 2.");
  expect((await bench("--resume", "--run", run)).code).toBe(0);
  expect(asked).toHaveLength(2);
  await writeFile(file, csv.replace("Rome", "Milan"));
  const changed = await bench("--resume", "--run", run);
  expect([changed.code, changed.err]).toEqual([2, expect.stringContaining("has changed since this bench was started")]);
});

const asking = ["--methods", "vanilla", "--model", "m"];

test.for([
  [[], "--benchmarks is missing, or --data"],
  [["--data", "a.csv"], "--grading is missing: numeric, letter, maths, code or text"],
  [["--data", "a.csv", "--grading", "number"], "--grading kind: expected numeric, letter"],
  [["--data", "a.csv", "--grading", "{"], "--grading is not JSON"],
  [["--data", "a.csv", "--grading", "text", "--columns", "answer"], '--columns "answer" is not NAME=COLUMN'],
  [["--data", "a.csv", "--grading", "text", "--columns", "answer=b"], '--columns Unrecognized key: "answer"'],
  [["--data", "/no/such/a.csv", "--grading", "text"], "/no/such/a.csv: there is no such file"],
  [["--data", "gsm8k.jsonl", "--grading", "text"], "gsm8k is what a benchmark is called"],
  [["--benchmarks", "gsm8k", "--grading", "text"], "--grading has no effect without --data"],
] as const)("%j is refused", async ([given, reason]) => {
  const { code, out, err } = await bench(...given, ...asking);
  expect([code > 0, out]).toEqual([true, ""]);
  expect(err).toContain(reason);
});
