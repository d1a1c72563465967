import { expect, test } from "vitest";
import { runFolder, stoppingAfter } from "../../test/run-folder.ts";
import { tinyRun } from "../testing/index.ts";
import type { MetricSink } from "./metric-sink.ts";
import { sendRun } from "./sink-set.ts";

function hearing(): { readonly sink: MetricSink; readonly heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    sink: {
      begin: ({ config }) => void heard.push(`begin ${String(config["steps"])}`),
      log: (_, step) => void heard.push(`step ${step}`),
      evaluation: ({ step, accuracy }) => void heard.push(`validation ${step} ${accuracy.toFixed(2)}`),
      transcripts: (episodes, step) => void heard.push(`transcripts ${step} ${episodes.length}`),
      close: (outcome) => void heard.push(`close ${outcome}`),
    },
  };
}

const settings = { steps: 4, evaluation: { every: 2, problems: 9, transcripts: 2 }, checkpoint: { every: 2, keep: 2 } };

test("sinks get equal data from a run, a resumed run, and a folder sent later", async () => {
  const directory = await runFolder();
  const [live, resumed, later] = [hearing(), hearing(), hearing()];
  await tinyRun({ directory, settings, sinks: [live.sink], ...stoppingAfter(3) });
  await tinyRun({ directory, settings, sinks: [resumed.sink], resume: true });
  expect(await sendRun({ directory, sinks: [later.sink], outcome: "finished" })).toEqual([]);
  const reported = [
    "begin 4",
    "validation 0 0.00",
    "transcripts 0 2",
    "step 1",
    "step 2",
    "validation 2 0.33",
    "transcripts 2 2",
    "step 3",
    "step 4",
    "validation 4 0.56",
    "transcripts 4 2",
  ];
  expect(live.heard).toEqual([...reported.slice(0, 8), "close undefined"]);
  expect(resumed.heard).toEqual([...reported, "close undefined"]);
  expect(later.heard).toEqual([...reported, "close finished"]);
});

test("a failing sink is reported with the way to send later, and other sinks get all data", async () => {
  const directory = await runFolder();
  const { sink, heard } = hearing();
  const dead: MetricSink = { name: "dead", later: "try again", log: () => Promise.reject(new Error("no route")) };
  await tinyRun({ directory, settings: { ...settings, steps: 2 } });
  expect(await sendRun({ directory, sinks: [dead, sink] })).toEqual([
    "metric sink dead failed and is off: no route; try again",
  ]);
  expect(heard.filter((text) => text.startsWith("step"))).toEqual(["step 1", "step 2"]);
  await expect(sendRun({ directory: `${directory}-no`, sinks: [] })).rejects.toFailWith("run_missing");
});
