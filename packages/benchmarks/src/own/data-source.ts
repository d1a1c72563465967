import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { openSnapshot, type DownloadProgress, type HubEnvironment } from "@laconic/hub";
import { sha256Hex } from "../data/find-files.ts";
import type { DataSource } from "./data-settings.ts";

/** How files and data sets of the hub are reached. */
export interface SourceOptions {
  /** `hubEnvironment(process.env)`, for sources that begin with `hub:`. */
  readonly hub?: HubEnvironment;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** The platform's by default. */
  readonly fetch?: typeof fetch;
}

/** A file as errors name it, and what it holds. */
export interface SourceFile {
  /** A path, or `hub:owner/name/file`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** The files of a source, and the source with the commits of its data sets. */
export interface OpenedSource {
  readonly files: readonly SourceFile[];
  readonly pinned: DataSource;
}

const hubSource = /^hub:([^/@]+\/[^/@]+)(?:@([^/]+))?(?:\/(.+))?$/u;

/**
 * Reads files, and downloads those of the hub that are not in its cache.
 * @throws LaconicError `data_invalid` for a file that cannot be read; `config_invalid` for a hub source that names no files, or
 * without a hub; what `openSnapshot` throws
 */
export async function openSource(source: DataSource, options: SourceOptions): Promise<OpenedSource> {
  const names = typeof source === "string" ? [source] : source;
  const opened: { files: readonly SourceFile[]; pinned: string }[] = [];
  for (const name of names)
    opened.push(
      name.startsWith("hub:")
        ? await fromHub(name, options)
        : { files: [fileOf(name, await bytesAt(name, options.signal))], pinned: name },
    );
  const pinned = opened.map((each) => each.pinned);
  return {
    files: opened.flatMap(({ files }) => files),
    pinned: typeof source === "string" ? (pinned[0] ?? source) : pinned,
  };
}

function fileOf(name: string, bytes: Uint8Array): SourceFile {
  return { name, bytes, sha256: sha256Hex(bytes) };
}

async function bytesAt(path: string, signal?: AbortSignal): Promise<Uint8Array> {
  try {
    return await readFile(path, signal && { signal });
  } catch (error) {
    if (signal?.aborted) throw new LaconicError("aborted", `${path} was not read: stopped`, { file: path }, error);
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "is a folder" : (error as Error).message;
    throw new LaconicError("data_invalid", `${path}: ${reason}`, { file: path }, error);
  }
}

async function fromHub(
  source: string,
  { hub, ...options }: SourceOptions,
): Promise<{ files: readonly SourceFile[]; pinned: string }> {
  const [, repo, revision, files] = hubSource.exec(source) ?? [];
  if (repo === undefined || files === undefined)
    throw new LaconicError(
      "config_invalid",
      `${source} names no files of a data set; write hub:owner/name/files, such as hub:openai/gsm8k/main/train-*.parquet`,
      { source },
    );
  if (!hub)
    throw new LaconicError("config_invalid", `${source} needs hub: hubEnvironment(process.env)`, { key: "hub" });
  const {
    folder,
    commit,
    files: names,
  } = await openSnapshot({
    ...hub,
    ...options,
    repo,
    type: "dataset",
    files: [files],
    ...(revision !== undefined && { revision: decodeURIComponent(revision) }),
  });
  return {
    files: await Promise.all(
      names
        .toSorted()
        .map(async (name) => fileOf(`hub:${repo}/${name}`, await bytesAt(join(folder, name), options.signal))),
    ),
    pinned: `hub:${repo}@${commit}/${files}`,
  };
}
