import { positional } from "../cli/arguments.ts";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { LaconicError, refuseSetting } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import { runFiles, sendRun, type SinkOutcome } from "@laconic/trainer";
import { folderSource, lastRow, runMissing } from "@laconic/trainer/reading";
import { command, type Command } from "../cli/command.ts";
import { printResult } from "../cli/terminal.ts";
import { referenced } from "@laconic/runtime/resolver";
import { openSinks, sinkSettings } from "@laconic/runtime";
import { jsonFlag } from "../cli/flags.ts";

export const sendCommand: Command = command({
  description: "Send a run's metrics, validation values and transcripts to a sink",
  examples: ["laconic view send runs/quickstart tensorboard"],
  args: {
    directory: positional("Run folder", "RUN"),
    sink: positional('tensorboard, wandb, JSON such as {"wandb":{"project":"p"}}, or FILE.ts'),
    ...jsonFlag,
  },
  run: async ({ directory, sink, json }, { terminal }) => {
    const folder = resolve(directory);
    const written: unknown = sink.startsWith("{") ? parseJson(sink, "sink") : sink;
    const parsed = sinkSettings.safeParse([referenced(written, { directory: process.cwd() }, ["sinks", "0"])], {
      error: issueWords,
    });
    if (!parsed.success) refuseSetting("sink", `${parsed.error.issues[0]?.message}`);
    if (!existsSync(join(folder, runFiles.config))) throw runMissing(folder);
    const sinks = await openSinks(parsed.data, folder);
    const failed = await sendRun({ directory: folder, sinks, outcome: await outcomeOf(folder) });
    const [reason] = failed;
    if (reason !== undefined) throw new LaconicError("api_unavailable", reason, { sink });
    printResult(terminal, json, { sent: folder, sink }, () => `${folder} sent to ${sink}`);
  },
});

async function outcomeOf(directory: string): Promise<SinkOutcome> {
  const last = await lastRow(folderSource(directory), runFiles.metrics);
  const done = last?.["progress/done_frac"];
  return done === 1 ? "finished" : "interrupted";
}
