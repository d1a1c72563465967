import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, dataError, configError } from "@laconic/core";
import { openRemote, openSnapshot, type DownloadProgress, type HubEnvironment, type RemoteFile } from "@laconic/hub";
import type { ByteSource } from "../data/formats/parquet.ts";
import { sha256Hex } from "../data/open-split.ts";
import type { DataSource } from "./data-settings.ts";

/** Access to files and the hub. */
export interface SourceOptions {
  /** Used by sources with `hub:`. */
  readonly hub?: HubEnvironment;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  readonly fetch?: typeof fetch;
}

export type SourceFile = {
  /** Path, or `hub:owner/name/file`. */
  readonly name: string;
  readonly sha256: string;
} & ({ readonly bytes: Uint8Array } | { readonly parts: ByteSource });

export interface OpenedSource {
  readonly files: readonly SourceFile[];
  readonly pinned: DataSource;
}

const hubSource = /^hub:([^/@]+\/[^/@]+)(?:@([^/]+))?(?:\/(.+))?$/u;

/**
 * Reads local and hub files; with `inParts`, Parquet files later, in part and without caching.
 * @throws LaconicError `data_invalid`; `config_invalid` for a hub source without files or hub; errors of `openSnapshot`
 */
export async function openSource(source: DataSource, options: SourceOptions, inParts = false): Promise<OpenedSource> {
  const names = typeof source === "string" ? [source] : source;
  const opened: { files: readonly SourceFile[]; pinned: string }[] = [];
  for (const name of names)
    opened.push(
      name.startsWith("hub:")
        ? await fromHub(name, options, inParts)
        : {
            files: [
              inParts && isParquet(name) ? await fileInParts(name) : fileOf(name, await bytesAt(name, options.signal)),
            ],
            pinned: name,
          },
    );
  const pinned = opened.map((item) => item.pinned);
  return {
    files: opened.flatMap(({ files }) => files),
    pinned: typeof source === "string" ? (pinned[0] ?? source) : pinned,
  };
}

function fileOf(name: string, bytes: Uint8Array): SourceFile {
  return { name, bytes, sha256: sha256Hex(bytes) };
}

function isParquet(name: string): boolean {
  return name.endsWith(".parquet");
}

async function fileInParts(path: string): Promise<SourceFile> {
  const hash = createHash("sha256");
  try {
    for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
    const { size } = await stat(path);
    return {
      name: path,
      sha256: hash.digest("hex"),
      parts: { bytes: size, read: (start, end) => readPart(path, start, end) },
    };
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function readPart(path: string, start: number, end: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const part = new Uint8Array(end - start);
    for (let index = 0; index < part.length;) {
      const { bytesRead } = await file.read(part, index, part.length - index, start + index);
      if (bytesRead === 0) throw dataError(`${path}: was cut while it was read`, { file: path });
      index += bytesRead;
    }
    return part;
  } finally {
    await file.close();
  }
}

async function bytesAt(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  try {
    return await readFile(path, signal && { signal });
  } catch (error) {
    if (signal?.aborted) throw new LaconicError("aborted", `${path} was not read: stopped`, { file: path }, error);
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): LaconicError {
  const code = (error as NodeJS.ErrnoException).code;
  const reason = code === "ENOENT" ? "file not found" : code === "EISDIR" ? "is a folder" : (error as Error).message;
  return dataError(`${path}: ${reason}`, { file: path }, error);
}

async function fromHub(
  source: string,
  { hub, ...options }: SourceOptions,
  inParts: boolean,
): Promise<{ files: readonly SourceFile[]; pinned: string }> {
  const [, repo, revision, files] = hubSource.exec(source) ?? [];
  if (repo === undefined || files === undefined)
    throw configError(
      `${source} names no files of a data set; write hub:owner/name/files, such as hub:openai/gsm8k/main/train-*.parquet`,
      { source },
    );
  if (!hub) throw configError(`${source} needs hub: hubEnvironment(process.env)`, { key: "hub" });
  const asked = {
    ...hub,
    ...options,
    repo,
    type: "dataset",
    files: [files],
    ...(revision !== undefined && { revision: decodeURIComponent(revision) }),
  } as const;
  if (inParts && !hub.offline) {
    const remote = await openRemote(asked);
    const parts = remote.files.toSorted((a, b) => (a.name < b.name ? -1 : 1)).flatMap((file) => partsOf(repo, file));
    if (parts.length === remote.files.length) return { files: parts, pinned: `hub:${repo}@${remote.commit}/${files}` };
  }
  const { folder, commit, files: names } = await openSnapshot(asked);
  return {
    files: await Promise.all(
      names
        .toSorted()
        .map(async (name) => fileOf(`hub:${repo}/${name}`, await bytesAt(join(folder, name), options.signal))),
    ),
    pinned: `hub:${repo}@${commit}/${files}`,
  };
}

/** The hub has no SHA-256 of small files. */
function partsOf(repo: string, file: RemoteFile): SourceFile[] {
  const { name, sha256 } = file;
  return isParquet(name) && sha256 !== null ? [{ name: `hub:${repo}/${name}`, sha256, parts: file }] : [];
}
