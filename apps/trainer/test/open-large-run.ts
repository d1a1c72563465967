// Test program: opens a run with files larger than memory in a process with little memory.
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFileSystem } from "@laconic/core/files";
import { scriptedEpisode } from "@laconic/core/testing";
import { restore } from "@laconic/serve";
import { lineAt, nodeFileSystem } from "@laconic/trainer";
import { tinyRun } from "@laconic/trainer/testing";
import { openJournal } from "@laconic/runtime";
import { withLargeFile, type LargeFile } from "./large-file.ts";

const text = new TextDecoder();

/** Rollouts of 1 MiB, eight per step, as one raw file. */
async function journal(gib: number, isPacked: boolean): Promise<unknown> {
  const answer = "x".repeat((1 << 20) - 1000);
  const perStep = 9;
  const large: LargeFile = {
    path: "/run/gateway.jsonl",
    rows: gib * 1024,
    rowBytes: 1 << 20,
    row(i) {
      const step = Math.floor(i / perStep);
      const idOf = (k: number): string => `r${step * perStep + k}`;
      if (i % perStep === perStep - 1)
        return JSON.stringify({ kind: "taken", step, ids: Array.from({ length: perStep - 1 }, (_, k) => idOf(k)) });
      const rollout = { id: `r${i}`, group: "g", reward: { team: { task: 1 } }, kinds: {}, steps: [step, step] };
      return JSON.stringify({ kind: "finished", rollout: { ...rollout, episode: { ...scriptedEpisode([]), answer } } });
    },
  };
  const inner = memoryFileSystem();
  const newest = Math.floor(large.rows / perStep);
  await inner.makeDirectory(`/run/checkpoints/step-${newest}`);
  const warned: string[] = [];
  const fs = withLargeFile(inner, large);
  const kept = await openJournal("/run", true, { fs, warn: (message) => void warned.push(message) });
  const { waiting, trained } = await restore(kept.past, newest);
  if (!isPacked)
    return { bytes: large.rows * large.rowBytes, waiting: waiting.length, trained: trained.length, warned };
  await kept.close();
  const packed = (await fs.list("/run/gateway")).map(async (name) => (await inner.read(`/run/gateway/${name}`)).length);
  const [packedBytes = 0, ...others] = await Promise.all(packed);
  return {
    bytes: large.rows * large.rowBytes,
    waiting: waiting.length,
    trained: trained.length,
    warned,
    packedBytes,
    files: 1 + others.length,
  };
}

async function metrics(): Promise<unknown> {
  const files = nodeFileSystem;
  const run = await mkdtemp(join(tmpdir(), "laconic-large-"));
  const settings = {
    steps: 4,
    checkpoint: { every: 4, keep: 2 },
    evaluation: { every: 0, problems: 3, transcripts: 1 },
  };
  const common = { directory: run, processes: { pid: 1, host: "here", isAlive: () => false } };
  await tinyRun({ ...common, settings, fileSystem: files });
  const [first = ""] = text.decode(await files.read(join(run, "metrics.jsonl"))).split("\n");
  const large: LargeFile = {
    path: join(run, "metrics.jsonl"),
    rows: 300_000,
    rowBytes: 2400,
    row: (i) => first.replace('"step":1,', `"step":${i + 1},`),
  };
  const fs = withLargeFile(files, large);
  const hash = createHash("sha256");
  for (let at = 0; at < large.rows * large.rowBytes; at += 1 << 20)
    hash.update(await fs.readPart(large.path, at, 1 << 20));
  const manifest = join(run, "checkpoints/step-00000004/manifest.json");
  const kept = JSON.parse(text.decode(await files.read(manifest))) as { traces: Record<string, unknown> };
  const bytes = large.rows * large.rowBytes;
  kept.traces["metrics.jsonl"] = { bytes, sha256: hash.digest("hex") };
  await files.write(manifest, JSON.stringify(kept));
  await fs.append(large.path, '{"step":5,"torn');
  // No later checkpoint, which would need a checksum of the whole file.
  const more = { ...settings, steps: 6, checkpoint: { every: 100, keep: 2 } };
  await tinyRun({
    ...common,
    settings: more,
    resume: true,
    adjustable: { steps: "", checkpoint: "" },
    fileSystem: { ...fs, digest: async (path) => (path === large.path ? { bytes, sha256: "" } : fs.digest(path)) },
  });
  const stepAt = async (place: "first" | "last"): Promise<unknown> => (await lineAt(fs, large.path, place))?.["step"];
  const found = { bytes, first: await stepAt("first"), last: await stepAt("last") };
  await rm(run, { recursive: true });
  return found;
}

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  journal: () => journal(5, false),
  packing: () => journal(1, true),
  metrics,
};
const found = await programs[process.argv[2] ?? ""]?.();
const reported = JSON.stringify({ ...(found as object), residentMiB: process.resourceUsage().maxRSS / 1024 });
// Waits for background compression.
process.stdout.write(reported, () => process.exit(0));
