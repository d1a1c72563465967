import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { tensorBoardSink } from "../../src/sinks/tensorboard.ts";
import { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "../../src/testing/index.ts";
import { hasPython, runPython } from "./python-client.ts";

/** Reads a folder with TensorBoard's own plugins, and text as its page shows it. */
const readBack = `
import json, sys
from tensorboard import plugin_util
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import metadata
from tensorboard.util import tensor_util
from google.protobuf import json_format
events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0, "tensors": 0})
events.Reload()
content = lambda tag: events.SummaryMetadata(tag).plugin_data.content
texts = lambda tag: [tensor_util.make_ndarray(e.tensor_proto).item() for e in events.Tensors(tag)]
tags = events.Tags()["tensors"]
start = metadata.parse_session_start_info_plugin_data(content(metadata.SESSION_START_INFO_TAG))
experiment = metadata.parse_experiment_plugin_data(content(metadata.EXPERIMENT_TAG))
print(json.dumps({
    "scalars": {tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]},
    "hparams": json_format.MessageToDict(start)["hparams"],
    "infos": [[i.name, i.type] for i in experiment.hparam_infos],
    "metrics": [m.name.tag for m in experiment.metric_infos],
    "end": metadata.parse_session_end_info_plugin_data(content(metadata.SESSION_END_INFO_TAG)).status,
    "layout": json_format.MessageToDict(layout_pb2.Layout.FromString(texts("custom_scalars__config__")[0])),
    "texts": {tag: [plugin_util.markdown_to_safe_html(t) for t in texts(tag)] for tag in tags if tag.startswith("transcripts/")},
}))
`;

interface Read {
  readonly scalars: Readonly<Record<string, readonly (readonly [step: number, value: number])[]>>;
  readonly hparams: Readonly<Record<string, unknown>>;
  readonly infos: readonly (readonly [name: string, type: number])[];
  readonly metrics: readonly string[];
  readonly end: number;
  readonly layout: unknown;
  readonly texts: Readonly<Record<string, readonly string[]>>;
}

const hasTensorBoard = await hasPython("tensorboard");

test.skipIf(!hasTensorBoard)(
  "TensorBoard reads every step once, validation values, settings, chart and text of a resumed run",
  async () => {
    const directory = await temporaryFolder();
    for (const last of [3, 5]) {
      const sink = tensorBoardSink({ directory, wallTime: () => 1000 + last });
      await sink.begin(sinkRun);
      await sink.evaluation(evaluationAt(0));
      await sink.transcripts([hostileEpisode], 0);
      for (let step = 1; step <= last; step++) await sink.log({ ...metricsAt(step), "stop/error": Number.NaN }, step);
      await sink.evaluation(evaluationAt(last));
      await sink.close(last === 5 ? "finished" : "interrupted");
    }
    const read = JSON.parse(await runPython(["-c", readBack, directory])) as Read;
    expect(read.scalars["reward/mean"]).toEqual([1, 2, 3, 4, 5].map((step) => [step, step / 8]));
    expect(read.scalars).not.toHaveProperty("stop/error");
    expect(read.scalars["validation/accuracy"]).toEqual([
      [0, 0],
      [5, 0.625],
    ]);
    expect(read.scalars["validation/accuracy_high"]?.[1]).toEqual([5, 0.8125]);
    expect(read.scalars["validation/group/known/accuracy"]?.[1]).toEqual([5, 0.15625]);
    expect(read.scalars["validation/silence/solver"]?.[0]).toEqual([0, 0.125]);
    expect(read.hparams).toEqual({
      "task.name": "relay",
      "task.level": "one-fact",
      "train.seed": 7,
      "train.steps": 6,
      "train.budget.targetTokens": 2.5,
      "train.sampling.temperature": 1,
      "chatTemplateArguments.enable_thinking": false,
      list: '[1,{"a":2}]',
    });
    expect(read.infos.slice(0, 3)).toEqual([
      ["task.name", 1],
      ["task.level", 1],
      ["train.seed", 3],
    ]);
    expect(read.metrics).toEqual(["validation/accuracy", "validation/tokens"]);
    expect(read.end).toBe(1); // success
    expect(read.layout).toEqual({
      category: [
        {
          title: "validation problems",
          chart: [
            {
              title: "accuracy, with its interval of 95 %",
              margin: {
                series: [
                  { value: "validation/accuracy", lower: "validation/accuracy_low", upper: "validation/accuracy_high" },
                ],
              },
            },
            { title: "tokens per episode", multiline: { tag: ["validation/tokens"] } },
          ],
        },
      ],
    });
    const [html = ""] = read.texts["transcripts/1"] ?? [];
    // The page shows the text as a code block, without other elements.
    expect(new Set(html.match(/<\/?\w+/gu))).toEqual(new Set(["<pre", "<code", "</code", "</pre"]));
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; [x](javascript:alert(2))");
  },
);
