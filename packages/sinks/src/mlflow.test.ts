import { expect, test } from "vitest";
import { memoryFileSystem } from "@laconic/core/files";
import { fakeMlflow } from "../test/fake-mlflow.ts";
import { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "@laconic/trainer/testing";
import { mlflowSink, type MlflowOptions } from "./mlflow.ts";

type Sink = ReturnType<typeof mlflowSink>;

async function tell(sink: Sink, steps: number): Promise<void> {
  await sink.begin(sinkRun);
  await sink.evaluation(evaluationAt(0));
  await sink.transcripts([hostileEpisode], 0);
  for (let step = 1; step <= steps; step++) await sink.log(metricsAt(step), step);
}

function place(server: ReturnType<typeof fakeMlflow>, more: Partial<MlflowOptions> = {}): MlflowOptions {
  const fileSystem = memoryFileSystem({ [`${sinkRun.directory}/config.json`]: "{}" });
  return {
    url: "http://localhost:5000",
    experiment: "relay",
    wallTime: () => 1000,
    fetch: server.fetch,
    fileSystem,
    ...more,
  };
}

test("a run has its experiment, name, params, metrics, transcripts and status", async () => {
  const server = fakeMlflow();
  const sink = mlflowSink(place(server, { url: "http://ann:s%C3%BCss@localhost:5000/" }));
  await tell(sink, 2);
  await sink.close("finished");
  const [run] = server.runs.values();
  expect(run).toMatchObject({ experiment: "1", name: "brief-relay", status: "FINISHED" });
  expect(Object.fromEntries(run?.params ?? [])).toMatchObject({
    "task.name": "relay",
    "train.budget.targetTokens": "2.5",
  });
  expect(run?.files.get("transcripts/step-000000.txt")).toContain("grade: 0");
  expect(server.reading()["validation/silence/solver"]).toEqual({ 0: 0.125 });
  expect(server.headers[0]?.["authorization"]).toBe(`Basic ${Buffer.from("ann:süss").toString("base64")}`);
});

test("a resumed run goes on in its run, and sends what the server has not", async () => {
  const server = fakeMlflow();
  const options = place(server);
  const first = mlflowSink(options);
  await tell(first, 3);
  await first.close("interrupted");
  expect([...server.runs.values()].map(({ status }) => status)).toEqual(["KILLED"]);
  const second = mlflowSink(options);
  await tell(second, 5);
  expect(server.runs.size).toBe(1);
  await second.close("finished");
  const [run] = server.runs.values();
  const rewards = [...(run?.metrics.values() ?? [])].filter(({ key }) => key === "reward/mean").map(({ step }) => step);
  expect(rewards).toEqual([1, 2, 3, 4, 5]);
  expect(run?.status).toBe("FINISHED");
});

test("many names and many rows go in calls of at most a thousand", async () => {
  const server = fakeMlflow();
  const sink = mlflowSink(place(server));
  const config = { many: Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`key-${i}`, "v".repeat(7000)])) };
  await sink.begin({ ...sinkRun, config });
  for (let step = 1; step <= 30; step++)
    await sink.log(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`m/${i}`, i])), step);
  await sink.close("finished");
  const [run] = server.runs.values();
  expect([run?.params.size, run?.metrics.size]).toEqual([250, 3000]);
});

test("what MLflow would refuse or lose is told in another way: names, half characters, calls of more than a megabyte", async () => {
  const server = fakeMlflow();
  const sink = mlflowSink(place(server));
  const long = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`long-${i}`, "\n".repeat(6000)]));
  const cut = `${"v".repeat(5999)}\u{1f600}`;
  await sink.begin({ ...sinkRun, config: { long, "a:b": 1, "a;b": 2, [`${"n".repeat(248)}/end`]: 3, cut } });
  await sink.log({ "agent/a:b": 1, "agent/a;b": 2, größe: 3 }, 1);
  await sink.close("finished");
  const [run] = server.runs.values();
  const params = Object.fromEntries(run?.params ?? []);
  expect(Object.keys(params)).toHaveLength(104);
  expect(params).toMatchObject({ a_b: "1", a_b_2: "2", [`${"n".repeat(248)}/_`]: "3", cut: "v".repeat(5999) });
  expect(server.reading()).toEqual({ "agent/a_b": { 1: 1 }, "agent/a_b_2": { 1: 2 }, größe: { 1: 3 } });
});

test("a run is made once, also where what follows fails at first", async () => {
  const server = fakeMlflow();
  const passing = server.fetch;
  let batches = 0;
  const sink = mlflowSink(
    place(server, {
      fetch: (url, init) =>
        url.endsWith("log-batch") && batches++ < 2 ? Promise.reject(new Error("reset")) : passing(url, init),
      // Pauses take no time; limits never come.
      timer: { now: () => 0, after: (pause, go) => (pause <= 10_000 && queueMicrotask(go), () => undefined) },
    }),
  );
  await tell(sink, 1);
  await sink.close("finished");
  expect(server.runs.size).toBe(1);
  expect(server.reading()["reward/mean"]).toEqual({ 1: 0.125 });
});

test("a server that is busy is asked again; a refusal says what it was", async () => {
  const server = fakeMlflow();
  server.faults.push(() => new Response("busy", { status: 503 }));
  const sink = mlflowSink(place(server));
  await tell(sink, 1);
  await sink.close("finished");
  expect(server.reading()["reward/mean"]).toEqual({ 1: 0.125 });
  const refused = mlflowSink(place(server));
  server.faults.push(() => Response.json({ error_code: "PERMISSION_DENIED", message: "not yours" }, { status: 403 }));
  await tell(refused, 1);
  await expect(refused.close("finished")).rejects.toThrow(
    "GET http://localhost:5000/api/2.0/mlflow/experiments/get-by-name: 403 not yours",
  );
});
