import { LaconicError } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { commitPattern, filesBelow, repositoryCache, type RepositoryCache } from "./cache-layout.ts";
import { downloadContent } from "./download-content.ts";
import { progressOf, type DownloadProgress } from "./download-progress.ts";
import { checkFileName, isPattern, selectFiles } from "./file-names.ts";
import { connect, throwIfStopped, type HubConnection } from "./hub-connection.ts";
import { readRange } from "./read-range.ts";
import { listCommit, resolveCommit, type Designation, type RepositoryFile } from "./repository.ts";

/** Which files of a repository, at which revision, and where they are kept. */
export interface SnapshotOptions {
  /** `owner/name`, or the name alone of an old repository. */
  readonly repo: string;
  /** `model` by default. */
  readonly type?: "model" | "dataset";
  /** Branch, tag or commit; `main` by default. A commit of 40 digits gives the same files for ever. */
  readonly revision?: string;
  /** Names, or patterns: `*` and `?` within a folder, `**` across folders. Everything by default. */
  readonly files?: readonly string[];
  /** Python's cache of the hub, `~/.cache/huggingface/hub` unless the environment says otherwise. */
  readonly cacheFolder: string;
  /** Only what the cache has; false by default. */
  readonly offline?: boolean;
  /** For repositories that are private or have terms. */
  readonly token?: string;
  /** `https://huggingface.co` by default. */
  readonly endpoint?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: DownloadProgress) => void;
  /** The platform's by default. */
  readonly fetch?: typeof fetch;
  /** Waits between attempts; for tests. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<unknown>;
}

const keys = "repo type revision files cacheFolder offline token endpoint signal onProgress fetch wait";
const checkSnapshot = optionCheck<SnapshotOptions>()("openSnapshot", keys);
const checkRemote = optionCheck<SnapshotOptions>()("openRemote", keys);

/** Files of one commit, in a folder that nothing changes any more. */
export interface Snapshot {
  readonly folder: string;
  /** 40 hexadecimal digits: give it as `revision` to get the same files again. */
  readonly commit: string;
  /** Names below the folder. */
  readonly files: readonly string[];
}

/** What a checkpoint is loaded from: configuration, safetensors, tokenizer, chat template. */
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
 * The files of a repository's revision, from the cache or the hub.
 *
 * A branch or tag is resolved to a commit first. What is missing is downloaded: resumed where an earlier attempt ended,
 * tried again where that helps, and only named once its hash is that of the listing. The cache is Python's, in both
 * directions; any number of processes may use it at once.
 * @throws LaconicError `checkpoint_missing` for a repository, revision or file that is not there, `hub_unavailable` with
 * `status` where the hub gave one, `checkpoint_corrupt` when the hub serves other bytes than it lists, `run_unwritable`
 * for the cache, `aborted`, and `input_invalid` or `config_invalid` for what cannot be asked. Errors name the hub's host; none
 * holds the token, the rest of an address, or text of the hub's.
 */
export async function openSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  checkSnapshot(options);
  const { repo, revision = "main", cacheFolder } = options;
  const type = options.type ?? "model";
  checkRepository(repo);
  checkRevision(revision);
  const cache = repositoryCache(cacheFolder, type, repo);
  const place = `${repo}@${revision}`;
  throwIfStopped(options.signal);
  const cached = await fromCache(cache, options, revision, place);
  if (cached) return cached;

  const failed = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  const hub = connect({
    endpoint: options.endpoint ?? "https://huggingface.co",
    token: options.token,
    fetch: options.fetch ?? fetch,
    wait: options.wait,
    signal,
    place,
  });
  const target: Designation = { type, repo };
  const { commit, files } = await wantedFiles(hub, target, revision, options.files);

  const blobs = await downloadAll(files, failed, {
    hub,
    target,
    commit,
    cache,
    signal,
    onProgress: options.onProgress,
  });
  // Names and the revision come last: whoever finds them finds everything.
  for (const [i, { name }] of files.entries()) await cache.link(blobs[i] as string, commit, name);
  if (revision !== commit) await cache.writeRef(revision, commit);
  return { folder: cache.snapshot(commit), commit, files: files.map(({ name }) => name) };
}

/**
 * What a revision means now, and its files that the patterns ask for.
 * @throws LaconicError `checkpoint_missing`, `hub_unavailable`
 */
async function wantedFiles(
  hub: HubConnection,
  target: Designation,
  revision: string,
  patterns: readonly string[] | undefined,
): Promise<{ readonly commit: string; readonly files: readonly RepositoryFile[] }> {
  const place = `${target.repo}@${revision}`;
  const commit = commitPattern.test(revision) ? revision : await resolveCommit(hub, target, revision);
  const listed = await listCommit(hub, target, commit);
  const names = listed.map(({ name }) => name);
  const selected = new Set(patterns ? selectFiles(names, patterns, place) : names);
  if (patterns) checkReadable(names, patterns, place);
  return { commit, files: listed.filter(({ name }) => selected.has(name)) };
}

/** A file of the hub's that is read in parts. Nothing of it is kept. */
export interface RemoteFile {
  readonly name: string;
  readonly bytes: number;
  /** Of the whole file, as the hub lists it; null for small files, which it names otherwise. */
  readonly sha256: string | null;
  /** @throws LaconicError `hub_unavailable` for a server that gives other bytes than those asked for, `aborted`, `input_invalid` */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Files of one commit, none of which was downloaded. */
export interface RemoteFiles {
  /** 40 hexadecimal digits: give it as `revision` to get the same files again. */
  readonly commit: string;
  readonly files: readonly RemoteFile[];
}

/**
 * Files of a repository's revision to be read in parts, by HTTP range requests: tried again, and taken up where they broke off. What the
 * hub lists is believed of a file's size and hash; bytes that are read in parts cannot be held against the hash.
 * @throws LaconicError as {@link openSnapshot}
 */
export async function openRemote(options: Omit<SnapshotOptions, "cacheFolder" | "onProgress">): Promise<RemoteFiles> {
  checkRemote(options as SnapshotOptions);
  const { repo, type = "model", revision = "main", signal } = options;
  checkRepository(repo);
  checkRevision(revision);
  if (options.offline)
    throw new LaconicError("config_invalid", `${repo}: files are not read in parts offline`, { key: "offline" });
  const hub = connect({
    endpoint: options.endpoint ?? "https://huggingface.co",
    token: options.token,
    fetch: options.fetch ?? fetch,
    wait: options.wait,
    signal,
    place: `${repo}@${revision}`,
  });
  const target: Designation = { type, repo };
  const { commit, files } = await wantedFiles(hub, target, revision, options.files);
  return {
    commit,
    files: files.map((file) => ({
      name: file.name,
      bytes: file.bytes,
      sha256: file.content.kind === "sha256" ? file.content.hex : null,
      read: (start, end) => readRange(file, start, end, { hub, path: pathOf(target, commit, file.name), signal }),
    })),
  };
}

/** Below the endpoint. */
function pathOf({ type, repo }: Designation, commit: string, name: string): string {
  const root = `${type === "dataset" ? "datasets/" : ""}${repo}/resolve/${commit}`;
  return `${root}/${name.split("/").map(encodeURIComponent).join("/")}`;
}

/** Null when the hub has to be asked. @throws LaconicError `checkpoint_missing` offline */
async function fromCache(
  cache: RepositoryCache,
  { offline = false, files: wanted }: SnapshotOptions,
  revision: string,
  place: string,
): Promise<Snapshot | null> {
  const pinned = commitPattern.test(revision);
  if (!offline && !(pinned && wanted && !wanted.some(isPattern))) return null;
  const commit = pinned ? revision : await cache.readRef(revision);
  const folder = commit === null ? null : cache.snapshot(commit);
  const names = folder === null ? [] : await filesBelow(folder);
  if (!offline) {
    const complete = wanted?.every((name) => names.includes(name)) ?? false;
    if (!complete) return null;
  }
  if (commit === null || folder === null || names.length === 0)
    throw new LaconicError("checkpoint_missing", `${place} is not in the cache; download it once without offline`, {});
  return { folder, commit, files: wanted ? selectFiles(names, wanted, `${place} in the cache`) : names };
}

interface DownloadAll {
  readonly hub: HubConnection;
  readonly target: Designation;
  readonly commit: string;
  readonly cache: RepositoryCache;
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined;
}

/** A few files at a time; the first failure stops the others, which leave what they have. @returns the contents' paths */
async function downloadAll(
  files: readonly RepositoryFile[],
  failed: AbortController,
  { hub, target, commit, cache, signal, onProgress }: DownloadAll,
): Promise<string[]> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = progressOf(total, onProgress);
  // Files of one content share it, and its download.
  const contents = new Map<string, Promise<string>>();
  const download = (file: RepositoryFile): Promise<string> =>
    downloadContent(file, {
      hub,
      path: pathOf(target, commit, file.name),
      blobs: cache.blobs,
      signal,
      onBytes: (bytes) => progress(file.name, file.bytes, bytes),
    });
  const paths = new Array<string>(files.length);
  const failures: unknown[] = [];
  const waiting = files.entries();
  const worker = async (): Promise<void> => {
    for (const [i, file] of waiting) {
      if (failures.length > 0) return;
      try {
        const known = contents.get(file.content.hex);
        const path = known ?? download(file);
        contents.set(file.content.hex, path);
        paths[i] = await path;
        if (known) progress(file.name, file.bytes, file.bytes);
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

/**
 * Says so before anything is downloaded where a repository has weights as pickles alone: loading those runs their code.
 * @throws LaconicError `checkpoint_missing` with the way to convert them
 */
function checkReadable(names: readonly string[], wanted: readonly string[], place: string): void {
  const asked = wanted.some((pattern) => pattern.endsWith(".safetensors"));
  const pickle = names.find((name) => /^pytorch_model.*\.bin$/.test(name));
  if (!asked || pickle === undefined || names.some((name) => name.endsWith(".safetensors"))) return;
  throw new LaconicError(
    "checkpoint_missing",
    `${place} has its weights as ${pickle} only. Such a file is a program that loading runs, so it is not read. Where you trust it, convert it with Python: ` +
      'from transformers import AutoModelForCausalLM, AutoTokenizer; name = "NAME"; AutoTokenizer.from_pretrained(name).save_pretrained("FOLDER"); ' +
      'AutoModelForCausalLM.from_pretrained(name).save_pretrained("FOLDER", safe_serialization=True)',
    { file: pickle },
  );
}

function checkRepository(repo: string): void {
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(repo) || repo.includes("..") || repo.includes("--") || /^[.-]|[.-]$/.test(repo))
    throw new LaconicError("input_invalid", `${JSON.stringify(repo)} is not the name of a repository: owner/name`, {
      key: "repo",
    });
}

function checkRevision(revision: string): void {
  try {
    checkFileName(revision);
  } catch (error) {
    throw new LaconicError(
      "input_invalid",
      `${JSON.stringify(revision)} is not a revision`,
      { key: "revision" },
      error,
    );
  }
}
