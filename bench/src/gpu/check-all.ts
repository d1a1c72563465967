import { spawn } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { print } from "../measure.ts";
import { resultTable, shown, type ReportRow } from "./report.ts";

export interface AllOptions {
  readonly device: "cpu" | "cuda";
  readonly small: boolean;
  readonly out: string;
  readonly skip: readonly string[];
  readonly again: boolean;
  readonly minutes: number;
}

/** Ordered by importance, with time limits in seconds: together eight minutes. */
const parts: readonly (readonly [name: string, seconds: number])[] = [
  ["peer", 70],
  ["conformance", 50],
  ["twice", 50],
  ["speed", 50],
  ["parity", 40],
  ["nano", 50],
  ["vllm", 60],
  ["trl", 60],
  ["quickstart", 50],
];

const readers: ReadonlySet<string> = new Set(["parity", "vllm", "trl"]);

interface Outcome {
  readonly part: string;
  readonly device: string;
  readonly small: boolean;
  readonly seconds: number;
  readonly outcome: "done" | "failed" | "time ran out";
  readonly rows: readonly ReportRow[];
}

/**
 * Runs each part in a process within its time limit. Finished parts are in `gpu-all.jsonl`, so a later call resumes.
 * Writes `gpu-all.md`.
 */
export async function checkAll(options: AllOptions): Promise<void> {
  mkdirSync(options.out, { recursive: true });
  const file = join(options.out, "gpu-all.jsonl");
  const unknown = options.skip.filter((name) => !parts.some(([part]) => part === name));
  if (unknown.length > 0)
    throw new Error(`unknown part ${unknown.join(", ")}; known: ${parts.map(([part]) => part).join(", ")}`);
  const before = options.again ? [] : readOutcomes(file, options);
  const outcomes = new Map(before.map((outcome) => [outcome.part, outcome]));
  const work = mkdtempSync(join(tmpdir(), "laconic-gpu-all-"));
  const end = performance.now() + 60_000 * options.minutes;
  try {
    for (const [part, seconds] of parts) {
      if (options.skip.includes(part)) continue;
      const isDone = (name: string): boolean => outcomes.get(name)?.outcome === "done";
      const wanted = [...readers].some((name) => !isDone(name) && !options.skip.includes(name));
      const known = isDone(part) && !(part === "peer" && wanted);
      if (!known && readers.has(part) && !existsSync(join(work, "model"))) {
        print("part", { part, left: "it needs the checkpoint of the part peer" });
        continue;
      }
      const left = (end - performance.now()) / 1000;
      if (known || left < 1) {
        print("part", { part, ...(known ? { before: true } : { left: "out of budget: call it again" }) });
        continue;
      }
      const outcome = await runPart(part, Math.min(seconds, left), work, options);
      outcomes.set(part, outcome);
      appendFileSync(file, `${JSON.stringify(outcome)}\n`);
      print("part", { part, seconds: outcome.seconds, outcome: outcome.outcome });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  writeFileSync(join(options.out, "gpu-all.md"), pageOf(outcomes, options));
  print("written", { page: join(options.out, "gpu-all.md") });
}

function readOutcomes(file: string, { device, small }: AllOptions): Outcome[] {
  if (!existsSync(file)) return [];
  const last = new Map<string, Outcome>();
  for (const line of readFileSync(file, "utf8").split("\n"))
    try {
      const outcome = JSON.parse(line) as Outcome;
      if (outcome.device === device && outcome.small === small) last.set(outcome.part, outcome);
    } catch {
      // Truncated line.
    }
  return [...last.values()];
}

/** A process group ends the part's children too. */
async function runPart(part: string, seconds: number, work: string, { device, small }: AllOptions): Promise<Outcome> {
  const out = mkdtempSync(join(work, "part-"));
  const program = ["--import", import.meta.resolve("tsx"), join(import.meta.dirname, "../gpu-check.ts")];
  const options = ["--device", device, "--sections", part, "--out", out, "--work", work];
  const words = [...program, ...options, ...(small ? ["--small"] : [])];
  const start = performance.now();
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"], detached: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, 1000 * seconds);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  const written = readdirSync(out).find((name) => name.endsWith(".json"));
  const rows = written === undefined ? [] : (JSON.parse(readFileSync(join(out, written), "utf8")) as ReportRow[]);
  const failed =
    written === undefined || rows.some((row) => row["failed"] !== undefined && typeof row["failed"] !== "number");
  const outcome = late ? "time ran out" : failed ? "failed" : "done";
  return { part, device, small, seconds: (performance.now() - start) / 1000, outcome, rows };
}

function pageOf(outcomes: ReadonlyMap<string, Outcome>, { device, small }: AllOptions): string {
  const rows = [...outcomes.values()].flatMap((outcome) => outcome.rows);
  const machine = rows.find((row) => row.section === "machine");
  return [
    `# ${device === "cuda" ? shown(machine?.["gpu"] ?? "a GPU") : "a dry run on the processor"}${small ? ", small" : ""}`,
    "",
    "`npm run gpu:check -- --all` wrote this page; its rows are in `gpu-all.jsonl`.",
    ...(device === "cuda" && !small ? [] : ["", "A dry run: it tests the command, not a GPU."]),
    "",
    "| part | seconds | outcome |",
    "| --- | --- | --- |",
    ...parts.map(([part]) => {
      const outcome = outcomes.get(part);
      return `| ${part} | ${outcome?.seconds.toFixed(1) ?? ""} | ${outcome?.outcome ?? "not run"} |`;
    }),
    "",
    ...resultTable(rows.filter(({ section }) => section !== "machine" && section !== "time")),
    "",
  ].join("\n");
}
