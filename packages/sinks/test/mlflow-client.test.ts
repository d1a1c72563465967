import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { mlflowSink } from "../src/mlflow.ts";
import { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "@laconic/trainer/testing";
import { hasPython, runPython } from "./python-client.ts";
import { pythonServer } from "./python-server.ts";

/** What MLflow's own client finds on its server. */
const readBack = `
import json, sys
from mlflow import MlflowClient
client = MlflowClient(sys.argv[1])
experiment = client.get_experiment_by_name(sys.argv[2])
def told(run):
    files = [f.path for f in client.list_artifacts(run.info.run_id, "transcripts")]
    return {
        "name": run.info.run_name,
        "status": run.info.status,
        "times": [run.info.start_time, run.info.end_time],
        "tags": run.data.tags,
        "params": run.data.params,
        "last": run.data.metrics,
        "metrics": {k: [[m.step, m.value] for m in client.get_metric_history(run.info.run_id, k)] for k in run.data.metrics if "wide/" not in k},
        "files": {f: open(client.download_artifacts(run.info.run_id, f), encoding="utf-8").read() for f in files},
    }
print(json.dumps([told(run) for run in client.search_runs([experiment.experiment_id])]))
`;

interface ToldRun {
  readonly name: string;
  readonly status: string;
  readonly times: readonly [number, number];
  readonly tags: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  /** The last value of each metric. */
  readonly last: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, readonly (readonly [step: number, value: number])[]>>;
  readonly files: Readonly<Record<string, string>>;
}

const quiet = { MLFLOW_DISABLE_TELEMETRY: "true", DO_NOT_TRACK: "true", MLFLOW_SERVER_ENABLE_JOB_EXECUTION: "false" };
const hasMlflow = await hasPython("mlflow.server");

/** Settings that MLflow would refuse or cut as they are, and what it is told instead. */
const wayward: Readonly<Record<string, readonly [value: unknown, name: string, told: string]>> = {
  "a:b": [1, "wayward.a_b", "1"],
  "a;b": [2, "wayward.a_b_2", "2"],
  "x//y": [3, "wayward.x/_/y", "3"],
  "x/../up": [4, "wayward.x/___/up", "4"],
  "end/": [5, "wayward.end/_", "5"],
  größe: [6, "wayward.größe", "6"],
  [`${"n".repeat(240)}/more`]: [7, `wayward.${"n".repeat(240)}/_`, "7"],
  cut: [`${"v".repeat(5999)}😀`, "wayward.cut", "v".repeat(5999)],
  hidden: ["one\ntwo\u0000\u202e\ud800", "wayward.hidden", "one\ntwo\\u0000\\u202e\\ud800"],
};

test.skipIf(!hasMlflow)(
  "MLflow's own client finds in its own server every step once, settings, transcripts and the end of a resumed run",
  { timeout: 300_000 },
  async () => {
    const [directory, data] = [await temporaryFolder(), await temporaryFolder()];
    const server = await pythonServer(
      (port) => [
        "-m",
        "mlflow",
        "server",
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "--workers",
        "1",
        "--backend-store-uri",
        `sqlite:///${data}/mlflow.db`,
        "--artifacts-destination",
        `${data}/files`,
      ],
      /startup complete|Listening at/u,
      quiet,
    );
    const many = Object.fromEntries(Array.from({ length: 210 }, (_, i) => [`many-${i}`, "\n".repeat(7000)]));
    const settings = Object.fromEntries(Object.entries(wayward).map(([name, [value]]) => [name, value]));
    const config = { ...sinkRun.config, many, wayward: settings };
    const experiment = "brief teams: a/b? #1 ä";
    const wide = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`wide/${i}`, i]));
    for (const last of [3, 5]) {
      let now = 1_700_000_000_000 + last * 1000;
      const sink = mlflowSink({ url: server.url, experiment, wallTime: () => (now += 0.5) });
      await sink.begin({ ...sinkRun, directory, config });
      await sink.evaluation(evaluationAt(0));
      await sink.transcripts([hostileEpisode], 0);
      for (let step = 1; step <= last; step++) {
        const odd = { "agent/a:b": step, "agent/a;b": -step, none: Number.NaN, much: Infinity, tiny: 5e-324 };
        await sink.log({ ...metricsAt(step), ...odd, ...(step === 4 && wide) }, step);
      }
      await sink.evaluation(evaluationAt(last));
      await sink.close(last === 5 ? "finished" : "interrupted");
    }
    const runs = JSON.parse(await runPython(["-c", readBack, server.url, experiment], quiet)) as readonly ToldRun[];
    expect(runs).toHaveLength(1);
    const { name, status, times, tags, params, last, metrics, files } = runs[0] as ToldRun;
    expect([name, status, ...times]).toEqual(["brief-relay", "FINISHED", expect.any(Number), expect.any(Number)]);
    expect(times[0]).toBeGreaterThan(1_700_000_003_000);
    expect(times[1]).toBeGreaterThan(1_700_000_005_000);
    expect(tags).toMatchObject({ "mlflow.source.name": "laconic", "mlflow.source.type": "LOCAL" });
    expect(params).toEqual({
      "task.name": "relay",
      "task.level": "one-fact",
      "train.seed": "7",
      "train.steps": "6",
      "train.budget.targetTokens": "2.5",
      "train.sampling.temperature": "1",
      "chatTemplateArguments.enable_thinking": "false",
      list: '[1,{"a":2}]',
      ...Object.fromEntries(Array.from({ length: 210 }, (_, i) => [`many.many-${i}`, "\n".repeat(6000)])),
      ...Object.fromEntries(Object.values(wayward).map(([, key, reported]) => [key, reported])),
    });
    const steps = [1, 2, 3, 4, 5];
    expect(metrics["reward/mean"]).toEqual(steps.map((step) => [step, step / 8]));
    expect(metrics["silence/solver/frac"]).toEqual(steps.map((step) => [step, 1 / step]));
    expect(metrics["agent/a_b"]).toEqual(steps.map((step) => [step, step]));
    expect(metrics["agent/a_b_2"]).toEqual(steps.map((step) => [step, -step]));
    expect(metrics["tiny"]).toEqual(steps.map((step) => [step, 5e-324]));
    expect(metrics["validation/accuracy"]).toEqual([0, 3, 5].map((step) => [step, step / 8]));
    expect(metrics["validation/group/known/accuracy_high"]?.[0]).toEqual([0, 0.5]);
    expect(last).toMatchObject(wide);
    expect(Object.keys(last).filter((metric) => ["none", "much", "step"].includes(metric))).toEqual([]);
    expect(Object.keys(files)).toEqual(["transcripts/step-000000.txt"]);
    expect(files["transcripts/step-000000.txt"]).toContain("<script>alert(1)</script>");
    expect(files["transcripts/step-000000.txt"]).not.toMatch(/[\u202e\u0000\u001b]/u);
    expect(server.printed()).not.toContain("Traceback");
  },
);
