import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { wandbSink } from "../../src/sinks/wandb.ts";
import { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "../../src/testing/index.ts";
import { hasPython, runPython } from "./python-client.ts";

interface Uploaded {
  readonly files: Record<string, string>;
  readonly history: Record<string, number>[];
  run: Record<string, unknown> | null;
  exit: number | null;
}

async function wandbServer(): Promise<{ readonly url: string; readonly uploaded: Uploaded }> {
  const uploaded: Uploaded = { files: {}, history: [], run: null, exit: null };
  const bucket = { id: "bucket", name: "abcd1234", displayName: "brief-relay", config: "{}" };
  const project = { id: "p1", name: "p", entity: { id: "e1", name: "me" } };
  const answer = (method: string, path: string, body: string, own: string): unknown => {
    if (method === "PUT") uploaded.files[path.slice("/upload/".length)] = body;
    const sent = (path === "/graphql" || path.endsWith("/file_stream") ? JSON.parse(body) : {}) as {
      readonly query?: string;
      readonly variables?: Record<string, unknown>;
      readonly exitcode?: number;
      readonly files?: Record<string, { readonly content: string[] }>;
    };
    for (const line of sent.files?.["wandb-history.jsonl"]?.content ?? [])
      uploaded.history.push(JSON.parse(line) as Record<string, number>);
    uploaded.exit = sent.exitcode ?? uploaded.exit;
    const { query = "", variables = {} } = sent;
    if (query.includes("upsertBucket")) {
      uploaded.run ??= variables; // what is changed later comes alone
      return { data: { upsertBucket: { bucket: { ...bucket, project }, inserted: true } } };
    }
    if (query.includes("createRunFiles")) {
      const names = variables["files"] as readonly string[];
      const files = names.map((name) => ({ name, uploadUrl: `${own}/upload/${name}` }));
      return { data: { createRunFiles: { runID: "bucket", uploadHeaders: [], files } } };
    }
    return query.includes("serverInfo") ? { data: { serverInfo: { features: [] } } } : { data: {} };
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      const body = Buffer.concat(chunks).toString();
      response.end(JSON.stringify(answer(request.method ?? "", request.url ?? "", body, url())));
    });
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  onTestFinished(() => void server.close());
  return { url: url(), uploaded };
}

const hasWandb = await hasPython("wandb");

test.skipIf(!hasWandb)(
  "W&B's client sends the folder's settings, one row per step, transcripts and the end",
  async () => {
    const directory = await temporaryFolder();
    const { url, uploaded } = await wandbServer();
    let now = 1_800_000_000;
    const sink = wandbSink({ directory, project: "p", newId: () => "abcd1234", wallTime: () => (now += 0.1) });
    await sink.begin(sinkRun);
    await sink.evaluation(evaluationAt(0));
    await sink.transcripts([hostileEpisode], 0);
    // Exceeds one block of the log.
    const wide = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`wide/${i}`, i]));
    for (let step = 1; step <= 40; step++) await sink.log({ ...metricsAt(step), ...(step % 10 === 0 && wide) }, step);
    await sink.evaluation(evaluationAt(40));
    await sink.close("finished");
    const key = {
      WANDB_BASE_URL: url,
      WANDB_API_KEY: "a".repeat(40),
      HOME: directory,
      WANDB_DIR: directory,
      WANDB_ERROR_REPORTING: "false",
    };
    await runPython(["-m", "wandb", "sync", directory], { ...key, NO_PROXY: "127.0.0.1" });
    expect(uploaded.history.map(({ _step }) => _step)).toEqual(Array.from({ length: 41 }, (_, step) => step));
    expect(uploaded.history[7]).toMatchObject({ "reward/mean": 7 / 8, "tokens/episode_mean": 5 });
    expect(uploaded.history[40]).toMatchObject({ "reward/mean": 5, "validation/accuracy": 5, "wide/1499": 1499 });
    expect(uploaded.history[0]).toMatchObject({
      "validation/accuracy": 0,
      "validation/group/known/accuracy_high": 0.5,
    });
    expect(uploaded.run).toMatchObject({ name: "abcd1234", project: "p", displayName: "brief-relay" });
    expect(uploaded.files["config.yaml"]).toMatch(/targetTokens: 2\.5/u);
    expect(uploaded.files["transcripts/step-000000.txt"]).toContain("<script>alert(1)</script>");
    expect(uploaded.files["transcripts/step-000000.txt"]).not.toMatch(/[\u202e\u0000\u001b]/u);
    expect(uploaded.exit).toBe(0);
  },
);
