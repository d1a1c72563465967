import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { dirname, join } from "node:path";
import { LaconicError, dataError, configError, present } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { optionCheck } from "@laconic/core/checks";
import { downloadFile, openSnapshot, type HubEnvironment } from "@laconic/hub";
import { z } from "zod";
import { type Benchmark, type HubFiles, splitOf } from "./benchmark.ts";
import { loadSplit, madeFile, type FoundFile, type LoadedSplit, type LoadOptions } from "./load-split.ts";

/**
 * Finds a split's file.
 * @throws LaconicError `data_invalid`
 */
export async function findFiles(benchmark: Benchmark, splitName: string, path: string): Promise<FoundFile[]> {
  const split = splitOf(benchmark, splitName);
  const made = madeFile(benchmark, splitName);
  if (made) return [made];
  const kind = await stat(path).catch(() => null);
  if (kind?.isFile()) return [await found(path)];
  const { files = [], placed } = split;
  for (const file of [...files, ...(placed ? [placed] : [])]) {
    const candidate = join(path, file.path);
    if (!(await stat(candidate).catch(() => null))?.isFile()) continue;
    if (file !== placed) return [await found(candidate)];
    const known = placed.sha256 === undefined ? { placed: true as const } : { expected: placed.sha256 };
    return [{ ...(await found(candidate)), ...known }];
  }
  const wanted = [...files, ...(placed ? [placed] : [])].map((file) => file.path).join(", ");
  const where = kind ? `${path} holds none of ${wanted || "its files"}` : `${path} not found`;
  const reason = placed ? `${where}; ${placed.how}` : where;
  throw dataError(`${benchmark.title}, split ${splitName}: ${reason}`, {
    benchmark: benchmark.name,
    split: splitName,
    path,
  });
}

async function found(path: string): Promise<FoundFile> {
  const bytes = await readFile(path);
  return { path, bytes, sha256: sha256Hex(bytes) };
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Data folder, and whether to download. */
export interface OpenOptions extends LoadOptions {
  /** Default: the benchmark's default split. */
  readonly split?: string;
  readonly folder: string;
  /** `pinned`: the registry's commit, the default if known. `hub`: later downloads must match. */
  readonly from?: "pinned" | "hub";
  /** Used by `hub`. */
  readonly hub?: HubEnvironment;
  readonly offline?: boolean;
  readonly signal?: AbortSignal;
  /** Bytes. */
  readonly onProgress?: (progress: { readonly file: string; readonly bytes: number; readonly total: number }) => void;
  readonly fetch?: typeof fetch;
}

const checkOptions = optionCheck<OpenOptions>()(
  "openSplit",
  "mode allowChanged split folder from hub offline signal onProgress fetch",
);

/**
 * Opens a benchmark's problems; downloads and checks missing files.
 * @throws LaconicError `data_invalid`, also if missing offline; `config_invalid`; download errors
 */
export async function openSplit(benchmark: Benchmark, options: OpenOptions): Promise<LoadedSplit> {
  checkOptions(options);
  const name = options.split ?? benchmark.defaultSplit;
  const split = splitOf(benchmark, name);
  if (split.made) return loadSplit(benchmark, name, await findFiles(benchmark, name, options.folder), options);
  if (options.from === undefined && split.placed) {
    const here = await findFiles(benchmark, name, options.folder).catch((error: unknown) => {
      if (split.files || split.hub) return null;
      throw error;
    });
    if (here) return loadSplit(benchmark, name, here, options);
  }
  const from = options.from ?? (split.files ? "pinned" : "hub");
  if (from === "hub") {
    if (!split.hub) throw missing(benchmark, name, "split not found on the hub");
    const files = await fromHub(benchmark, name, split.hub, options).catch((error: unknown) => {
      if (!LaconicError.is(error) || !split.placed) throw error;
      const { code, message, detail } = error;
      const { path, how } = split.placed;
      throw new LaconicError(code, `${message}; or, for ${join(options.folder, path)}: ${how}`, detail, error);
    });
    return loadSplit(benchmark, name, files, options);
  }
  if (!split.files) throw missing(benchmark, name, "it is only on the hub");
  const here = await findFiles(benchmark, name, options.folder).catch((error: unknown) => {
    if (options.offline) throw error;
    return null;
  });
  if (here) return loadSplit(benchmark, name, here, options);
  const file = split.files[0]!;
  const path = join(options.folder, file.path);
  const { signal, onProgress } = options;
  await downloadFile({
    url: file.url,
    bytes: file.bytes,
    sha256: file.sha256,
    path,
    ...(signal && { signal }),
    ...(onProgress && { onProgress: (bytes: number) => onProgress({ file: file.path, bytes, total: file.bytes }) }),
    ...present({ fetch: options.fetch }),
  });
  return loadSplit(benchmark, name, [await found(path)], options);
}

interface Note {
  readonly repo: string;
  readonly commit: string;
  readonly files: Readonly<Record<string, string>>;
}

const noteSchema: z.ZodType<Note> = z.strictObject({
  repo: z.string(),
  commit: z.string(),
  files: z.record(z.string(), z.string()),
});

async function fromHub(
  benchmark: Benchmark,
  name: string,
  { repo, files }: HubFiles,
  options: OpenOptions,
): Promise<FoundFile[]> {
  const { hub, offline = hub?.offline ?? false, onProgress, signal } = options;
  if (!hub) throw configError("from: hub needs hub: hubEnvironment(process.env)", { key: "hub" });
  const notePath = join(options.folder, benchmark.name, `hub-${name}.json`);
  const note = options.allowChanged ? null : await readNote(notePath);
  const snapshot = await openSnapshot({
    ...hub,
    repo,
    type: "dataset",
    files,
    offline,
    ...(note && { revision: note.commit }),
    ...present({ signal, onProgress, fetch: options.fetch }),
  });
  const here: FoundFile[] = await Promise.all(
    snapshot.files.map(async (file) => {
      const expected = note?.files[file];
      return { ...(await found(join(snapshot.folder, file))), ...present({ expected }) };
    }),
  );
  if (!note) {
    const hashes = Object.fromEntries(snapshot.files.map((file, i) => [file, here[i]!.sha256]));
    await writeNote(notePath, { repo, commit: snapshot.commit, files: hashes });
  }
  return here;
}

async function readNote(path: string): Promise<Note | null> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  const parsed = noteSchema.safeParse(tryParseJson(text));
  if (parsed.success) return parsed.data;
  throw dataError(`${path} is not a note of a download; remove it`, { file: path });
}

async function writeNote(path: string, note: Note): Promise<void> {
  await makeFolders(dirname(path));
  await writeFile(`${path}.tmp`, `${JSON.stringify(note, null, 2)}\n`);
  await moveFile(`${path}.tmp`, path);
}

function missing({ title, splits }: Benchmark, name: string, reason: string): LaconicError {
  const others = Object.keys(splits).filter((key) => key !== name);
  return configError(`${title}, split ${name}: ${reason}; other splits: ${others.join(", ")}`, {
    key: "from",
  });
}
