import { configError, inputError, LaconicError } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { commitPattern, filesBelow, RepositoryCache } from "./cache-layout.ts";
import { downloadContent } from "./download-content.ts";
import { checkFileName, isPattern, selectFiles } from "./file-names.ts";
import { HubConnection, throwIfStopped } from "./hub-connection.ts";
import { readRange } from "./read-range.ts";
import { listCommit, resolveCommit, type RepositoryFile } from "./repository.ts";

/** Bytes on disk after each piece. */
export interface DownloadProgress {
  readonly file: string;
  readonly fileBytes: number;
  readonly fileTotal: number;
  /** Includes cached files. */
  readonly bytes: number;
  readonly total: number;
}

/** Files of a repository, revision and cache. */
export interface SnapshotOptions {
  /** `owner/name`, or the name of an old repository. */
  readonly repo: string;
  /** Default `model`. */
  readonly type?: "model" | "dataset";
  /** Branch, tag or commit; default `main`. A commit of 40 digits fixes the files. */
  readonly revision?: string;
  /** Names, or patterns: `*` and `?` within a folder, `**` across folders. Default: all. */
  readonly files?: readonly string[];
  /** Default `~/.cache/huggingface/hub`, or the environment's. */
  readonly cacheFolder: string;
  /** Default false. */
  readonly offline?: boolean;
  /** For private and gated repositories. */
  readonly token?: string;
  /** Default `https://huggingface.co`. */
  readonly endpoint?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Replaced in tests. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

const keys = "repo type revision files cacheFolder offline token endpoint signal onProgress fetch wait";
const checkSnapshot = optionCheck<SnapshotOptions>()("openSnapshot", keys);
const checkRemote = optionCheck<SnapshotOptions>()("openRemote", keys);

/** Files of one commit in an immutable folder. */
export interface Snapshot {
  readonly folder: string;
  /** 40 hexadecimal digits, for `revision`. */
  readonly commit: string;
  readonly files: readonly string[];
}

/** Files of a checkpoint: configuration, safetensors, tokenizer, chat template. */
export const checkpointFiles: readonly string[] = [
  "config.json",
  "generation_config*.json",
  "model*.safetensors",
  "model.safetensors.index*.json",
  "tokenizer*.json",
  "chat_template*",
];

const filesAtOnce = 4;

/**
 * Opens the files of a repository's revision from the cache or the hub. Missing files are downloaded with resume and
 * retries, and appear after their hash is verified. Any number of processes, also of Python, may share the cache.
 * Errors name the hub's host and never contain the token, the rest of an address, or the hub's text.
 * @throws LaconicError `checkpoint_missing`, `hub_unavailable` with `status` if the hub sent one,
 * `checkpoint_corrupt` for other bytes than listed, `run_unwritable`, `aborted`, `input_invalid`, `config_invalid`
 */
export async function openSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  checkSnapshot(options);
  const request = requestOf(options);
  const { target, revision } = request;
  const cache = new RepositoryCache(options.cacheFolder, target.type, target.repo);
  throwIfStopped(options.signal);
  const cached = await fromCache(cache, options, request);
  if (cached) return cached;
  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const { hub, commit, files } = await wantedFiles(options, request, signal);
  const blobs = await downloadAll(hub, files, cache.blobs, failed, options.onProgress);
  // Names and the revision come last, so that readers find complete contents.
  for (const [i, { name }] of files.entries()) await cache.link(blobs[i]!, commit, name);
  if (revision !== commit) await cache.writeRef(revision, commit);
  return { folder: cache.snapshot(commit), commit, files: files.map(({ name }) => name) };
}

type Request = ReturnType<typeof requestOf>;

function requestOf({ repo, type = "model", revision = "main" }: Omit<SnapshotOptions, "cacheFolder">) {
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(repo) || repo.includes("..") || repo.includes("--") || /^[.-]|[.-]$/.test(repo))
    throw inputError(`repo: expected owner/name, got ${JSON.stringify(repo)}`, { key: "repo" });
  try {
    checkFileName(revision);
  } catch (error) {
    const message = `revision: expected a branch, tag or commit, got ${JSON.stringify(revision)}`;
    throw inputError(message, { key: "revision" }, error);
  }
  return { target: { type, repo }, revision, place: `${repo}@${revision}` };
}

async function wantedFiles(
  options: Omit<SnapshotOptions, "cacheFolder">,
  { target, revision, place }: Request,
  signal: AbortSignal | undefined,
) {
  const { endpoint = "https://huggingface.co", token, wait, fetch: send = fetch, files: patterns } = options;
  const hub = new HubConnection({ endpoint, token, fetch: send, wait, signal, place });
  const commit = commitPattern.test(revision) ? revision : await resolveCommit(hub, target, revision);
  const listed = await listCommit(hub, target, commit);
  const names = listed.map(({ name }) => name);
  const selected = new Set(patterns ? selectFiles(names, patterns, place) : names);
  if (patterns) checkReadable(names, patterns, place);
  return { hub, commit, files: listed.filter(({ name }) => selected.has(name)) };
}

/** Hub file that is read in parts, without caching. */
export interface RemoteFile {
  readonly name: string;
  readonly bytes: number;
  /** Hash of the whole file; null for small files. */
  readonly sha256: string | null;
  /** @throws LaconicError `hub_unavailable`, `aborted`, `input_invalid` */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Files of one commit, not downloaded. */
export interface RemoteFiles {
  /** 40 hexadecimal digits, for `revision`. */
  readonly commit: string;
  readonly files: readonly RemoteFile[];
}

/**
 * Opens files of a revision for partial reads by HTTP range requests, with resume. Partial reads cannot verify the
 * hub's hash.
 * @throws LaconicError as {@link openSnapshot}
 */
export async function openRemote(options: Omit<SnapshotOptions, "cacheFolder" | "onProgress">): Promise<RemoteFiles> {
  checkRemote(options as SnapshotOptions);
  const request = requestOf(options);
  if (options.offline) {
    const message = `${request.target.repo}: partial reads need a connection; remove offline`;
    throw configError(message, { key: "offline" });
  }
  const { hub, commit, files } = await wantedFiles(options, request, options.signal);
  return {
    commit,
    files: files.map((file) => ({
      name: file.name,
      bytes: file.bytes,
      sha256: file.content.kind === "sha256" ? file.content.hex : null,
      read: (start, end) => readRange(hub, file, start, end),
    })),
  };
}

/** Null if the hub must be asked. */
async function fromCache(
  cache: RepositoryCache,
  { offline = false, files: wanted }: SnapshotOptions,
  { revision, place }: Request,
): Promise<Snapshot | null> {
  const isPinned = commitPattern.test(revision);
  if (!offline && !(isPinned && wanted && !wanted.some(isPattern))) return null;
  const commit = isPinned ? revision : await cache.readRef(revision);
  const names = commit === null ? [] : await filesBelow(cache.snapshot(commit));
  if (!offline && !wanted?.every((name) => names.includes(name))) return null;
  if (commit === null || names.length === 0)
    throw new LaconicError("checkpoint_missing", `${place} is not in the cache; download it once without offline`, {});
  const files = wanted ? selectFiles(names, wanted, `${place} in the cache`) : names;
  return { folder: cache.snapshot(commit), commit, files };
}

/**
 * Downloads a few files at a time and returns their paths; the first failure stops the others, which keep their
 * bytes.
 */
async function downloadAll(
  hub: HubConnection,
  files: readonly RepositoryFile[],
  blobs: string,
  failed: AbortController,
  onProgress: SnapshotOptions["onProgress"],
): Promise<string[]> {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const byFile = new Map<string, number>();
  let bytes = 0;
  const progress = (file: string, fileTotal: number, fileBytes: number): void => {
    bytes += fileBytes - (byFile.get(file) ?? 0);
    byFile.set(file, fileBytes);
    onProgress?.({ file, fileBytes, fileTotal, bytes, total });
  };
  const contents = new Map<string, Promise<string>>();
  const download = (file: RepositoryFile): Promise<string> =>
    downloadContent(hub, file, blobs, (bytesOnDisk) => progress(file.name, file.bytes, bytesOnDisk));
  const paths = new Array<string>(files.length);
  const failures: unknown[] = [];
  const waiting = files.entries();
  const worker = async (): Promise<void> => {
    for (const [i, file] of waiting) {
      if (failures.length > 0) return;
      try {
        const started = contents.get(file.content.hex);
        const path = started ?? download(file);
        contents.set(file.content.hex, path);
        paths[i] = await path;
        if (started) progress(file.name, file.bytes, file.bytes);
      } catch (error) {
        failures.push(error);
        failed.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, worker));
  if (failures.length > 0) throw failures[0];
  return paths;
}

/** Reports a repository with pickled weights only, because loading pickles runs their code. */
function checkReadable(names: readonly string[], wanted: readonly string[], location: string): void {
  const wantsWeights = wanted.some((pattern) => pattern.endsWith(".safetensors"));
  const pickle = names.find((name) => /^pytorch_model.*\.bin$/.test(name));
  if (!wantsWeights || pickle === undefined || names.some((name) => name.endsWith(".safetensors"))) return;
  throw new LaconicError(
    "checkpoint_missing",
    `${location}: weights exist only as ${pickle}, which is not read because loading it runs code. If you trust it, convert it with Python: ` +
      'from transformers import AutoModelForCausalLM, AutoTokenizer; name = "NAME"; AutoTokenizer.from_pretrained(name).save_pretrained("FOLDER"); ' +
      'AutoModelForCausalLM.from_pretrained(name).save_pretrained("FOLDER", safe_serialization=True)',
    { file: pickle },
  );
}
