// What the dashboard's server takes on a run folder of 100 MB: first answers, the index, searches, memory. The folder repeats
// the records of a real run of three steps, each time about other problems. `view.ts RUN` repeats those of another run.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gunzipSync, gzipSync } from "node:zlib";
import { gzipMember, recordVersion, runFiles } from "@laconic/core/run-folder";
import { closeServer } from "@laconic/serve/server";
import {
  createViewServer,
  openViewer,
  webFolder,
  type EpisodePage,
  type RunDetail,
  type RunSummary,
} from "@laconic/view";
import { machine, print } from "../measure.ts";
import { laconic } from "../processes.ts";
import { readWords } from "../options.ts";

const megabytes = 100;
const repeats = 9;
const reported = ({ ms, cpuMs }: Timed): object => ({ ms, cpuMs });
const residentMegabytes = (): number => Math.round(process.memoryUsage().rss / 1e6);
const round = (value: number): number => Math.round(value * 10) / 10;

const [, script = ""] = process.argv;
const [given, made] = readWords();
if (given === "measure" && made !== undefined) await measure(made);
else {
  const folder = mkdtempSync(join(tmpdir(), "laconic-bench-view-"));
  try {
    await webFolder(); // so that what is measured finds them
    enlarge(given ?? trainSmallRun(folder), join(folder, "runs"));
    // In a process that made none of it.
    execFileSync(process.execPath, [...process.execArgv, script, "measure", join(folder, "runs")], {
      stdio: "inherit",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function trainSmallRun(folder: string): string {
  const run = join(folder, "small");
  const words = [
    "train",
    "preset:relay-quickstart",
    "train.steps=3",
    "train.evaluation.problems=50",
    "--device",
    "wasm",
  ];
  const { status, stderr } = spawnSync(process.execPath, [laconic, ...words, "--run", run], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return run;
}

function enlarge(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.includes("checkpoints") });
  const lines = (name: string): string[] => readFileSync(join(from, name), "utf8").trimEnd().split("\n");
  const of = (line: string, step: number): string => line.replace(/"step":\d+/u, `"step":${step}`);
  const records = gunzipSync(readFileSync(join(from, runFiles.episodes)))
    .toString()
    .trimEnd()
    .split("\n")
    .filter((line) => line.includes(`"kind":"step"`));
  const rows = { metrics: lines("metrics.jsonl"), timing: lines("timing.jsonl") };
  const config = JSON.parse(readFileSync(join(from, "config.json"), "utf8")) as { train: { steps: number } };
  const file = openSync(join(to, runFiles.episodes), "w");
  let step = 0;
  let bytes = 0;
  for (; bytes < megabytes * 1e6; step++) {
    const content = of(records[step % records.length] as string, step + 1).replaceAll(`"relay:`, `"relay:${step}:`);
    const head = { step: step + 1, kind: "step", version: recordVersion, isComplete: true } as const;
    bytes += writeSync(file, gzipMember(gzipSync(`${content}\n`), head));
  }
  closeSync(file);
  for (const [name, own] of Object.entries(rows))
    writeFileSync(
      join(to, `${name}.jsonl`),
      Array.from({ length: step }, (_, i) => `${of(own[i % own.length] as string, i + 1)}\n`).join(""),
    );
  writeFileSync(join(to, "config.json"), JSON.stringify({ ...config, train: { ...config.train, steps: step } }));
}

interface Timed {
  readonly body: string;
  readonly ms: number;
  /** Of this process, which asks and answers. */
  readonly cpuMs: number;
}

type Ask = (path: string) => Promise<Timed>;

async function measure(runs: string): Promise<void> {
  const beforeMegabytes = residentMegabytes();
  const opening = performance.now();
  const onError = (error: unknown): void => {
    throw error instanceof Error ? error : new Error(String(error));
  };
  const viewer = await openViewer({ folders: [runs], onError });
  const server = createViewServer(viewer, onError);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const openMs = round(performance.now() - opening);
  const ask = (path: string): Promise<Timed> => timed(`${address}${path}`);
  const { id, steps } = await measureFirstAnswers(ask, openMs);
  await measureSearches(ask, `/api/runs/${id}/episodes`);
  const episode = await ask(`/api/runs/${id}/episodes/s${Math.floor(steps / 2)}.3`);
  print("episode", { ...reported(episode), kilobytes: round(episode.body.length / 1000) });
  const { kb } = /VmHWM:\s+(?<kb>\d+)/u.exec(readFileSync("/proc/self/status", "utf8"))?.groups ?? {};
  const highestMegabytes = Math.round(Number(kb) / 1024);
  print("memory", { beforeMegabytes, afterMegabytes: residentMegabytes(), highestMegabytes });
  await viewer.close();
  await closeServer(server, 100);
}

async function timed(address: string): Promise<Timed> {
  const start = performance.now();
  const used = process.cpuUsage();
  const body = await (await fetch(address)).text();
  return { body, ms: round(performance.now() - start), cpuMs: round(cpuMilliseconds(used)) };
}

function cpuMilliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

async function measureFirstAnswers(ask: Ask, openMs: number): Promise<{ readonly id: string; readonly steps: number }> {
  const page = await ask("/dashboard/");
  const list = await ask("/api/runs");
  const [{ id, bytes, step: steps }] = JSON.parse(list.body) as [RunSummary];
  const detail = await ask(`/api/runs/${id}`);
  const first = await ask(`/api/runs/${id}/episodes`);
  const columns = await ask(`/api/runs/${id}/columns?names=reward/mean,tokens/episode_mean`);
  const { episodes, longestMs, ...index } = await measureIndex(ask, `/api/runs/${id}`);
  print("view", {
    machine: machine(),
    megabytes: Math.round(bytes / 1e6),
    steps,
    episodes,
    openMs,
    page: reported(page),
    list: reported(list),
    detail: reported(detail),
    firstEpisodes: reported(first),
    columns: reported(columns),
    index,
    longestAnswerMeanwhileMs: longestMs,
  });
  return { id, steps };
}

/** Until all episodes are indexed; the longest answer in the meantime. */
async function measureIndex(
  ask: Ask,
  run: string,
): Promise<{
  readonly episodes: number;
  readonly longestMs: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  let episodes = 0;
  let longestMs = 0;
  while (episodes < (JSON.parse((await ask(run)).body) as RunDetail).episodes) {
    const { body, ms } = await ask(`${run}/episodes?text=nothing&limit=20`);
    episodes = (JSON.parse(body) as EpisodePage).indexed;
    longestMs = Math.max(longestMs, ms);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const seconds = round((performance.now() - start) / 1000);
  return { episodes, longestMs, seconds, cpuSeconds: round(cpuMilliseconds(cpu) / 1000) };
}

async function measureSearches(ask: Ask, episodes: string): Promise<void> {
  const queries = {
    "a word of many": "text=nothing",
    "a word of none": "text=zebra",
    "three words": "text=w+is+6",
    wrong: "correct=false",
    "silent agent": "agent=holder-a&silent=true",
    "most tokens": "sort=tokens",
    "most reward, page 1000": "sort=reward&offset=50000",
  };
  for (const [name, query] of Object.entries(queries)) {
    const times: Timed[] = [];
    for (let i = 0; i < repeats; i++) times.push(await ask(`${episodes}?${query}`));
    const { total } = JSON.parse(times[0]?.body ?? "") as EpisodePage;
    const median = (of: (each: Timed) => number): number =>
      times.map((each) => of(each)).toSorted((a, b) => a - b)[repeats >> 1] as number;
    print("search", { name, total, medianMs: median(({ ms }) => ms), medianCpuMs: median(({ cpuMs }) => cpuMs) });
  }
}
