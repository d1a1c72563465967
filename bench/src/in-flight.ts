/**
 * What episodes cost the process that plays them, apart from any model: memory while so many wait for their first reply at once, and time and
 * disk of many, by phase. Replies are those of a table of eleven tokens. Numbers of episodes are multiples of 8.
 *
 *     npx tsx bench/src/in-flight.ts OUT.jsonl [IN_FLIGHT...] [--played EPISODES]
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { LanguageModel } from "@laconic/core";
import { eachRow, folderSource, runFiles } from "@laconic/trainer/reading";
import { onePolicy } from "@laconic/trainer";
import { tabularModel, tabularPolicy, tinyRun, tinyTask, tinyTokenizer } from "@laconic/trainer/testing";
import { machine } from "./measure.ts";
import { readOptions } from "./options.ts";

const [, script = ""] = process.argv;
const { values, positionals } = readOptions({
  allowPositionals: true,
  options: { played: { type: "string", default: "100000" } },
});
const [out = "in-flight.jsonl", ...numbers] = positionals;
const perProblem = 8;

if (out === "measure") await measure(numbers[0] as "waiting" | "played", Number(numbers[1]));
else
  for (const [kind, count] of [
    ...(numbers.length > 0 ? numbers : ["10000", "100000"]).map((each) => ["waiting", each] as const),
    ["played", values.played] as const,
  ]) {
    // In a process of its own each.
    const line = execFileSync(process.execPath, ["--expose-gc", ...process.execArgv, script, "measure", kind, count], {
      encoding: "utf8",
      maxBuffer: 1 << 20,
    });
    appendFileSync(out, line);
    process.stdout.write(line);
  }

async function measure(kind: "waiting" | "played", count: number): Promise<void> {
  const result = kind === "waiting" ? await waiting(count) : await play(count);
  const row = { bench: "in-flight", machine: machine(), kind, episodes: count, ...result };
  process.stdout.write(`${JSON.stringify(row)}\n`);
}

/** Memory when all of a step's episodes wait for their first reply, against before. */
async function waiting(count: number): Promise<Record<string, unknown>> {
  let asked = -1; // the evaluation before training asks once
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const before = memory();
  let during = before;
  const since = performance.now();
  let seconds = 0;
  const gated = (model: LanguageModel): LanguageModel => ({
    ...model,
    async complete(request) {
      if (++asked === 0) return model.complete(request);
      if (asked === count) {
        seconds = (performance.now() - since) / 1000;
        during = memory();
        release();
      }
      await released;
      return model.complete(request);
    },
  });
  await run(count, count, gated);
  const perEpisode = (during.heap - before.heap) / count;
  return { secondsToAsk: seconds, before, during, heapBytesPerEpisode: Math.round(perEpisode) };
}

/** Time by phase and disk of so many episodes, 4,096 a step. */
async function play(count: number): Promise<Record<string, unknown>> {
  const directory = mkdtempSync(join(tmpdir(), "laconic-in-flight-"));
  try {
    const since = performance.now();
    const cpu = process.cpuUsage();
    await run(count, 4096, (model) => model, join(directory, "run"));
    const used = process.cpuUsage(cpu);
    const phases: Record<string, number> = {};
    for await (const row of eachRow(folderSource(join(directory, "run")), runFiles.timing))
      for (const [name, value] of Object.entries(row))
        if (name.startsWith("timing_s/") && typeof value === "number")
          phases[name.slice("timing_s/".length)] = (phases[name.slice("timing_s/".length)] ?? 0) + value;
    return {
      seconds: (performance.now() - since) / 1000,
      processorSeconds: (used.user + used.system) / 1e6,
      phases,
      bytesOnDisk: bytesIn(join(directory, "run")),
      after: memory(),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function run(
  count: number,
  perStep: number,
  wrap: (model: LanguageModel) => LanguageModel,
  directory?: string,
): Promise<void> {
  const place = directory ?? mkdtempSync(join(tmpdir(), "laconic-in-flight-"));
  const model = tabularModel({ vocabularySize: tinyTokenizer.vocabularySize });
  const parts = onePolicy(tinyTask(), model, (sampler) => wrap(tabularPolicy(sampler, tinyTokenizer)));
  await tinyRun({
    directory: place,
    parts,
    settings: {
      steps: Math.ceil(count / perStep),
      problemsPerStep: perStep / perProblem,
      episodesPerProblem: perProblem,
      evaluation: { every: 0, problems: 1, transcripts: 1 },
      checkpoint: { every: 10, keep: 2 },
    },
    now: () => performance.now(),
  });
  if (directory === undefined) rmSync(place, { recursive: true });
}

function memory(): { readonly heap: number; readonly resident: number } {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heap: heapUsed + arrayBuffers, resident: rss };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, each) => sum + (each.isFile() ? statSync(join(each.parentPath, each.name)).size : 0),
    0,
  );
}
