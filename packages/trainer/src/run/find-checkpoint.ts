import { LaconicError, thrownText } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { joinPath, type FileDigest, type FileSystem } from "@laconic/core/files";
import * as z from "zod";
import { loopStateSchema, type LoopState } from "./loop-state.ts";
import type { TraceDigests } from "./traces.ts";
import { explainedFileSystem } from "./file-system.ts";

/** What a checkpoint says of itself. */
export interface CheckpointManifest {
  readonly version: 1;
  readonly step: number;
  /** Of the run that it belongs to: `run` of its manifest. */
  readonly run?: string;
  /** The run directory's rows when it was saved. */
  readonly traces?: TraceDigests;
  readonly files: Readonly<Record<string, FileDigest>>;
}

const digestSchema = z.strictObject({ bytes: z.int(), sha256: z.string() });

const manifestSchema: z.ZodType<CheckpointManifest> = z.strictObject({
  version: z.literal(1),
  step: z.int(),
  run: z.string().exactOptional(),
  traces: z.record(z.string(), digestSchema).exactOptional(),
  files: z.record(z.string().regex(/^(?:[\w-]+(?:\.critic)?\/)?[\w.-]+$/), digestSchema),
});

/** A checkpoint that was found whole, and what was wrong with newer ones. */
export interface FoundCheckpoint {
  readonly folder: string;
  readonly state: LoopState;
  readonly manifest: CheckpointManifest;
  readonly warnings: readonly string[];
}

/** How often a run's checkpoints are looked for again, where the run that writes them removed one meanwhile. */
const maxLooks = 10;

/**
 * The newest checkpoint whose files agree with its manifest, or that of the run's best evaluation.
 * @param accept - throws for one that will not do, and why
 * @throws LaconicError `checkpoint_missing` when there is none at all, `checkpoint_corrupt` when every one is damaged,
 * and a `checkpoint_mismatch` of `accept`. A run may go on meanwhile: where it removed a checkpoint after it was listed, the newest is
 * looked for again.
 */
export async function findCheckpoint(
  given: FileSystem,
  directory: string,
  which: "latest" | "best" = "latest",
  accept: (found: Omit<FoundCheckpoint, "warnings">) => Promise<void> = async () => undefined,
): Promise<FoundCheckpoint> {
  const fs = explainedFileSystem(given, directory);
  for (let look = 0; look < maxLooks; look++) {
    const found = await lookForCheckpoint(fs, directory, which, accept);
    if (found !== null) return found;
  }
  throw new LaconicError(
    "checkpoint_missing",
    `${directory}: its run removed each of ${maxLooks} checkpoints before it could be read; keep more of them, or wait for the run to end`,
    { directory },
  );
}

/** @returns null where one that was listed is gone */
async function lookForCheckpoint(
  fs: FileSystem,
  directory: string,
  which: "latest" | "best",
  accept: (found: Omit<FoundCheckpoint, "warnings">) => Promise<void>,
): Promise<FoundCheckpoint | null> {
  const steps = await completeSteps(fs, directory);
  if (steps.length === 0)
    throw new LaconicError(
      "checkpoint_missing",
      `${directory} holds no checkpoint to resume from; remove the run directory and start it again`,
      { directory },
    );
  const damage: string[] = [];
  for (const name of steps) {
    const warnings = damage.map((each) => `${each}; trying the one before`);
    let folder = joinPath(directory, name);
    try {
      const found = await verify(fs, folder);
      await accept(found);
      const best = checkpointName(found.state.bestTrained?.step ?? found.state.best.step);
      if (which === "latest" || best === name || !steps.includes(best)) return { ...found, warnings };
      folder = joinPath(directory, best);
      return { ...(await verify(fs, folder)), warnings };
    } catch (error) {
      if (LaconicError.is(error) && error.code === "checkpoint_mismatch") throw error;
      if (!(await fs.exists(folder))) return null;
      damage.push(`${folder}: ${thrownText(error)}`);
    }
  }
  throw new LaconicError(
    "checkpoint_corrupt",
    `no checkpoint in ${directory} is whole and fits the run's files: ${damage.join("; ")}; put the files back, or train in another run directory`,
    { directory },
  );
}

/** @throws Error for a manifest that is damaged */
export async function readManifest(fs: FileSystem, folder: string): Promise<CheckpointManifest> {
  return manifestSchema.parse(boundedJson(await textOf(fs, joinPath(folder, "manifest.json"))));
}

async function verify(fs: FileSystem, folder: string): Promise<Omit<FoundCheckpoint, "warnings">> {
  const manifest = await checkFiles(fs, folder);
  return { folder, state: await stateIn(fs, folder), manifest };
}

/** @throws Error for a state that is missing or damaged */
export async function stateIn(fs: FileSystem, folder: string): Promise<LoopState> {
  const stored = boundedJson(await textOf(fs, joinPath(folder, "state.json")));
  loopStateSchema.parse(stored);
  return stored as LoopState; // with its keys in their order: a resumed run writes the same bytes
}

/** Files against the checksums of their manifest. @throws Error for the first that differs */
export async function checkFiles(fs: FileSystem, folder: string): Promise<CheckpointManifest> {
  const manifest = await readManifest(fs, folder);
  for (const [file, expected] of Object.entries(manifest.files)) {
    const found = await fs.digest(joinPath(folder, file));
    if (found.bytes !== expected.bytes) throw new Error(`${file} has ${found.bytes} bytes, expected ${expected.bytes}`);
    if (found.sha256 !== expected.sha256) throw new Error(`${file} does not match its checksum`);
  }
  return manifest;
}

/** Newest first; `.partial` folders are not complete. */
export async function completeSteps(fs: FileSystem, directory: string): Promise<string[]> {
  if (!(await fs.exists(directory))) return [];
  return (await fs.list(directory))
    .filter((name) => /^step-\d+$/.test(name))
    .toSorted()
    .toReversed();
}

/** Its folder, in that of checkpoints. */
export function checkpointName(step: number): string {
  return `step-${String(step).padStart(8, "0")}`;
}

export async function textOf(fs: FileSystem, path: string): Promise<string> {
  return new TextDecoder().decode(await fs.read(path));
}
