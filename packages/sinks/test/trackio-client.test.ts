import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { trackioSink } from "../src/trackio.ts";
import { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "@laconic/trainer/testing";
import { hasPython, runPython } from "./python-client.ts";
import { pythonServer } from "./python-server.ts";

const serve = `
import sys, trackio
trackio.show(open_browser=False, block_thread=True, host="127.0.0.1", server_port=int(sys.argv[1]), frontend_dir=sys.argv[2])
`;

/** What trackio itself reads of what its server was sent. */
const readBack = `
import json
from trackio.sqlite_storage import SQLiteStorage
runs = SQLiteStorage.get_run_records("p")
where = {"project": "p", "run": runs[0]["name"], "run_id": runs[0]["id"]}
print(json.dumps({
    "runs": [[run["name"], run["id"]] for run in runs],
    "config": SQLiteStorage.get_run_config(**where),
    "logs": SQLiteStorage.get_logs(**where),
    "traces": SQLiteStorage.get_traces(**where),
}, default=str))
`;

interface Told {
  readonly runs: readonly unknown[];
  readonly config: Readonly<Record<string, unknown>>;
  readonly logs: readonly Readonly<Record<string, unknown>>[];
  readonly traces: readonly { readonly step: number; readonly messages: readonly { readonly content: string }[] }[];
}

const hasTrackio = await hasPython("trackio");

test.skipIf(!hasTrackio)(
  "trackio's own server has every row of a resumed run once, settings and transcripts as traces, and refuses a wrong token",
  { timeout: 120_000 },
  async () => {
    const [directory, data] = [await temporaryFolder(), await temporaryFolder()];
    const own = { TRACKIO_DIR: data, HOME: data, HF_HUB_OFFLINE: "1" };
    const server = await pythonServer(
      (port) => ["-u", "-c", serve, String(port), `${data}/frontend`],
      /write_token=[\w-]+/u,
      own,
    );
    const [, writeToken = ""] = /write_token=([\w-]+)/u.exec(server.printed()) ?? [];
    const open = (token: string): ReturnType<typeof trackioSink> =>
      trackioSink({ url: server.url, project: "p", writeToken: token, newId: () => "abcd1234" });
    const wrong = open("wrong");
    await wrong.begin({ ...sinkRun, directory });
    await wrong.log(metricsAt(1), 1);
    await expect(wrong.close("interrupted")).rejects.toThrow(/bulk_log: 4\d\d/u);
    for (const last of [3, 5]) {
      const sink = open(writeToken);
      await sink.begin({ ...sinkRun, directory });
      await sink.evaluation(evaluationAt(0));
      await sink.transcripts([hostileEpisode], 0);
      for (let step = 1; step <= last; step++)
        await sink.log({ ...metricsAt(step), "agent/a:b": step, none: Number.NaN, much: Infinity }, step);
      await sink.evaluation(evaluationAt(last));
      await sink.close(last === 5 ? "finished" : "interrupted");
    }
    const reported = JSON.parse(await runPython(["-c", readBack], own)) as Told;
    expect(reported.runs).toEqual([["brief-relay", "abcd1234"]]);
    expect(reported.config).toMatchObject(sinkRun.config);
    const steps = [1, 2, 3, 4, 5];
    const valuesOf = (metric: string): unknown[] =>
      reported.logs.filter((row) => metric in row).map((row) => [row["step"], row[metric]]);
    expect(valuesOf("reward/mean")).toEqual(steps.map((step) => [step, step / 8]));
    expect(valuesOf("agent/a:b")).toEqual(steps.map((step) => [step, step]));
    expect(valuesOf("validation/accuracy")).toEqual([0, 3, 5].map((step) => [step, step / 8]));
    expect([...valuesOf("none"), ...valuesOf("much")]).toEqual([]);
    expect(reported.traces.map(({ step }) => step)).toEqual([0]);
    const [question, said] = reported.traces[0]?.messages ?? [];
    expect(question?.content).toBe("what is <b>left</b>?");
    expect(said?.content).toContain("<script>alert(1)</script>");
    expect(said?.content).not.toMatch(/[\u202e\u0000\u001b\ud800]/u);
  },
);
