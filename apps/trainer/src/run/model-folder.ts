import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LaconicError } from "@laconic/core";
import { checkpointFiles, hubEnvironment, openSnapshot } from "@laconic/hub";
import { downloadProgress } from "../cli/download-progress.ts";
import type { Terminal } from "../cli/terminal.ts";
import { shippedCheckpoint } from "./relay-model.ts";

/** A model's files on this machine. */
export interface ModelFolder {
  readonly folder: string;
  /** The name under which the same files are found again: a hub name carries its commit. */
  readonly pinned: string;
  /** What people call it. */
  readonly name: string;
}

const hubName = /^hub:([^@]+)(?:@(.+))?$/;

/**
 * Finds a model by what a configuration or command line calls it: `shipped`, a folder, or `hub:owner/name` with
 * `@revision` where it is not `main`. Files that the hub's cache lacks are downloaded, with progress.
 * @param options.weights - false leaves them on the hub: a server has them
 * @throws LaconicError `checkpoint_missing` for a folder that does not exist, and what `openSnapshot` throws
 */
export async function openModelFolder(
  given: string,
  terminal: Terminal,
  { weights = true }: { readonly weights?: boolean } = {},
): Promise<ModelFolder> {
  if (given === "shipped") return { folder: fileURLToPath(shippedCheckpoint), pinned: given, name: "relay-one-fact" };
  const [, repo, revision = "main"] = hubName.exec(given) ?? [];
  if (repo !== undefined) return fromHub(repo, revision, terminal, weights ? checkpointFiles : describingFiles);
  const folder = resolve(given);
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory()) return { folder, pinned: given, name: folder.split(/[/\\]/).at(-1) ?? given };
  const hint = /^\w[\w.-]*\/\w[\w.-]*$/.test(given) ? `; a model of the Hugging Face hub is written hub:${given}` : "";
  throw new LaconicError("checkpoint_missing", `there is no model folder ${folder}${hint}`, { folder });
}

/** Tokenizer, chat template, and how long a context is. */
const describingFiles = checkpointFiles.filter((name) => !name.startsWith("model"));

async function fromHub(
  repo: string,
  revision: string,
  terminal: Terminal,
  files: readonly string[],
): Promise<ModelFolder> {
  const options = { ...hubEnvironment(process.env), repo, revision, files };
  const open = (offline: boolean): ReturnType<typeof openSnapshot> =>
    openSnapshot({ ...options, offline, onProgress: downloadProgress(repo, terminal) });
  const { folder, commit } = await open(options.offline).catch((error: unknown) => {
    // A commit means the same files for ever, so what the cache has will do when the hub cannot be reached.
    const unreachable = LaconicError.is(error) && error.code === "hub_unavailable";
    if (!unreachable || !/^[0-9a-f]{40}$/.test(revision)) throw error;
    return open(true).catch(() => {
      throw error;
    });
  });
  return { folder, pinned: `hub:${repo}@${commit}`, name: repo };
}
