// Checks everything that a GPU has to confirm, each part in a process with a time limit: a plain PyTorch loop at
// Qwen2.5-0.5B's shape, conformance, equal bits, speed, parity, peers, and the quickstart. Finished parts are in
// gpu-all.jsonl, so a later call resumes. Writes gpu-all.md.
//   npm run gpu:check -- [--device cuda] [--out docs/benchmarks] [--parts peer,conformance,...] [--minutes 8] [--again]
// --small uses a tiny model, for machines without a GPU: --device cpu --small.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { print } from "./measure.ts";
import { readOptions } from "./options.ts";
import { root, tsx } from "./processes.ts";

/** Ordered by importance, with time limits in seconds: together eight minutes. */
const limits = {
  peer: 70,
  conformance: 50,
  twice: 50,
  speed: 50,
  parity: 40,
  nano: 50,
  vllm: 60,
  trl: 60,
  quickstart: 50,
};

/** They read the checkpoint that `peer` writes. */
const readers = ["parity", "vllm", "trl"];

type Row = Readonly<Record<string, unknown>>;

interface Outcome {
  readonly part: string;
  readonly device: string;
  readonly small: boolean;
  readonly seconds: number;
  readonly outcome: "done" | "failed" | "time ran out";
  readonly rows: readonly Row[];
}

const { values: flags } = readOptions({
  options: {
    device: { type: "string", default: "cuda" },
    out: { type: "string", default: join(root, "docs/benchmarks") },
    small: { type: "boolean", default: false },
    parts: { type: "string", default: Object.keys(limits).join() },
    again: { type: "boolean", default: false },
    minutes: { type: "string", default: "8" },
  },
});
const device = flags.device === "cpu" ? "cpu" : "cuda";
const chosen = flags.parts.split(",");
const unknown = chosen.filter((name) => !(name in limits));
if (unknown.length > 0) throw new Error(`unknown part ${unknown.join(", ")}; known: ${Object.keys(limits).join(", ")}`);

mkdirSync(flags.out, { recursive: true });
const record = join(flags.out, "gpu-all.jsonl");
const page = join(flags.out, "gpu-all.md");
const outcomes = new Map(flags.again ? [] : recorded().map((outcome) => [outcome.part, outcome]));
const isDone = (part: string) => outcomes.get(part)?.outcome === "done";
const work = mkdtempSync(join(tmpdir(), "laconic-gpu-"));
const end = performance.now() + 60_000 * Number(flags.minutes);
try {
  for (const [part, seconds] of Object.entries(limits)) if (chosen.includes(part)) await check(part, seconds);
} finally {
  rmSync(work, { recursive: true, force: true });
}
writeFileSync(page, pageText());
print("written", { page });

function recorded(): Outcome[] {
  if (!existsSync(record)) return [];
  const lines = readFileSync(record, "utf8").split("\n").slice(0, -1);
  const all = lines.map((line) => JSON.parse(line) as Outcome);
  return all.filter((outcome) => outcome.device === device && outcome.small === flags.small);
}

async function check(part: string, seconds: number): Promise<void> {
  const isWanted = part === "peer" && readers.some((name) => chosen.includes(name) && !isDone(name));
  if (isDone(part) && !isWanted) return print("part", { part, before: true });
  if (readers.includes(part) && !existsSync(join(work, "model")))
    return print("part", { part, left: "it needs the checkpoint of the part peer" });
  const left = (end - performance.now()) / 1000;
  if (left < 1) return print("part", { part, left: "out of budget: call it again" });
  const outcome = await runPart(part, Math.min(seconds, left));
  outcomes.set(part, outcome);
  appendFileSync(record, `${JSON.stringify(outcome)}\n`);
  print("part", { part, seconds: outcome.seconds, outcome: outcome.outcome });
}

/** A process group ends the part's children too. */
async function runPart(part: string, limit: number): Promise<Outcome> {
  const words = [...tsx("gpu/part.ts"), part, device, flags.small ? "small" : "full", work];
  const start = performance.now();
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"], detached: true });
  const closed = once(child, "close");
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, 1000 * limit);
  const rows: Row[] = [];
  for await (const line of createInterface(child.stdout)) {
    console.log(line);
    if (line.startsWith(`{"`)) rows.push(JSON.parse(line) as Row);
  }
  const [code] = await closed;
  clearTimeout(timer);
  const isFailed = code !== 0 || rows.some((row) => typeof row["failed"] === "string");
  const ended = isFailed ? "failed" : "done";
  const seconds = (performance.now() - start) / 1000;
  return { part, device, small: flags.small, seconds, outcome: isLate ? "time ran out" : ended, rows };
}

function pageText(): string {
  const rows = [...outcomes.values()].flatMap((outcome) => outcome.rows);
  const gpu = shown(rows.find(({ bench }) => bench === "machine")?.["gpu"] ?? "a GPU");
  const isDry = device === "cpu" || flags.small;
  return [
    `# ${device === "cuda" ? gpu : "a dry run on the processor"}${flags.small ? ", small" : ""}`,
    "",
    "`npm run gpu:check` wrote this page; its rows are in `gpu-all.jsonl`.",
    ...(isDry ? ["", "A dry run: it tests the command, not a GPU."] : []),
    "",
    "| part | seconds | outcome |",
    "| --- | --- | --- |",
    ...Object.keys(limits).map((part) => {
      const outcome = outcomes.get(part);
      return `| ${part} | ${outcome?.seconds.toFixed(1) ?? ""} | ${outcome?.outcome ?? "not run"} |`;
    }),
    "",
    "| section | result |",
    "| --- | --- |",
    ...rows.filter(({ bench }) => bench !== "machine").map(lineOf),
    "",
  ].join("\n");
}

function lineOf({ bench, ...facts }: Row): string {
  const cells = Object.entries(facts).map(([key, value]) => `${key} ${shown(value)}`);
  return `| ${String(bench)} | ${cells.join(", ").replaceAll("|", "\\|").replaceAll("\n", " ")} |`;
}

function shown(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toPrecision(4);
  return typeof value === "string" ? value : JSON.stringify(value);
}
