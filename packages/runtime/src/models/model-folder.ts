import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { LaconicError } from "@laconic/core";
import { storyModelName } from "@laconic/tasks/story-model";
import { checkpointFiles, hubEnvironment, openSnapshot } from "@laconic/hub";
import { environmentValue } from "../folders/environment.ts";
import type { Progress } from "../progress.ts";
import { convertedFolder } from "./llama2c-folder.ts";
import { shippedCheckpoint } from "./relay-model.ts";
import { untrainedFolder, untrainedModel } from "./untrained-model.ts";
import { userCache } from "../folders/user-cache.ts";

/** A model's files on this machine. */
export interface ModelFolder {
  readonly folder: string;
  /** The name under which the same files are found again: a hub name carries its commit. */
  readonly pinned: string;
  /** What people call it. */
  readonly name: string;
}

/** Owner and name, or the name alone; a folder or file below; a revision. */
const hubName = /^hub:([^@/]+(?:\/[^@/]+)?)(?:\/([^@]+))?(?:@(.+))?$/;

/** How a model's files are found. */
export interface ModelFolderOptions {
  /** False leaves the weights on the hub, because a server has them. Default true. */
  readonly weights?: boolean;
  /** Downloads nothing. Default false. */
  readonly offline?: boolean;
}

/**
 * Finds a model by what a configuration or command line calls it: `shipped`, `untrained`, `stories260k`, a folder, a llama2.c checkpoint, or `hub:owner/name` with
 * `/folder` below it and `@revision` where it is not `main`. Files that the hub's cache lacks are downloaded, with progress;
 * checkpoints of llama2.c are converted once, into the user's cache.
 * @throws LaconicError `checkpoint_missing` for a folder that does not exist, and what `openSnapshot` and `convertedFolder` throw
 */
export async function openModelFolder(
  given: string,
  progress: Progress,
  { weights = true, offline = false }: ModelFolderOptions = {},
): Promise<ModelFolder> {
  if (given === "shipped") return { folder: fileURLToPath(shippedCheckpoint), pinned: given, name: "relay-one-fact" };
  if (given === untrainedModel) return { folder: await untrainedFolder(userCache()), pinned: given, name: given };
  if (given === storyModel) return openModelFolder(modelPlace(given), progress, { weights, offline });
  const [, repo, below, revision = "main"] = hubName.exec(given) ?? [];
  if (repo !== undefined) return fromHub({ repo, below, revision, weights, offline }, progress);
  const folder = resolve(given);
  const found = await stat(folder).catch(() => null);
  const name = folder.split(/[/\\]/).at(-1) ?? given;
  if (found?.isDirectory()) return { folder: await asModelFolder(folder, progress), pinned: given, name };
  if (found?.isFile() && folder.endsWith(".bin"))
    return { folder: await asModelFolder(dirname(folder), progress, folder), pinned: given, name };
  const hint = /^\w[\w.-]*\/\w[\w.-]*$/.test(given) ? `; a model of the Hugging Face hub is written hub:${given}` : "";
  throw new LaconicError("checkpoint_missing", `there is no model folder ${folder}${hint}`, { folder });
}

/** The name of a model that is found again from any folder. */
export function foundAgain(pinned: string): string {
  return pinned.startsWith("hub:") || pinned === untrainedModel ? pinned : resolve(pinned);
}

/** The presets' story model. */
const storyModel = "stories260k";

/** Where a model with a name of its own lies: the story model in `$LACONIC_DATA`, else on the hub (1 MB). Any other is what it is called. */
export function modelPlace(given: string): string {
  if (given !== storyModel) return given;
  const data = environmentValue("LACONIC_DATA");
  const local = data === undefined ? null : join(data, storyModel);
  return local !== null && existsSync(local) ? local : storyModelName;
}

interface HubModel {
  readonly repo: string;
  /** A folder of the repository, or a llama2.c checkpoint in it; the whole when absent. */
  readonly below: string | undefined;
  readonly revision: string;
  /** Whether its weights are wanted too. */
  readonly weights: boolean;
  readonly offline: boolean;
}

async function fromHub(
  { repo, below, revision, weights, offline }: HubModel,
  progress: Progress,
): Promise<ModelFolder> {
  const parts = below?.split("/") ?? [];
  if (parts.some((part) => !/^\w[\w.-]*$/.test(part)))
    throw new LaconicError("input_invalid", `hub:${repo}/${below} names no folder of a repository`, { key: "model" });
  const isFile = parts.at(-1)?.endsWith(".bin") === true;
  const inside = isFile ? parts.slice(0, -1).join("/") : parts.join("/");
  const options = {
    ...hubEnvironment(process.env),
    repo,
    revision,
    files: wantedFiles(inside, isFile ? below : undefined).filter((name) => weights || isDescribing(name)),
  };
  const open = (fromCache: boolean): ReturnType<typeof openSnapshot> =>
    openSnapshot({ ...options, offline: fromCache, onProgress: progress.download(repo) });
  const { folder, commit } = await open(offline || options.offline)
    .catch((error: unknown) => {
      // A commit means the same files for ever, so what the cache has will do when the hub cannot be reached.
      const unreachable = LaconicError.is(error) && error.code === "hub_unavailable";
      if (!unreachable || !/^[0-9a-f]{40}$/.test(revision)) throw error;
      return open(true).catch(() => {
        throw error;
      });
    })
    .catch((error: unknown) => {
      throw withAlternative(error);
    });
  const name = [repo, ...parts].join("/");
  const found = join(folder, inside);
  const file = isFile ? join(folder, ...parts) : undefined;
  return {
    folder: below === undefined ? folder : await asModelFolder(found, progress, file),
    pinned: `hub:${name}@${commit}`,
    name,
  };
}

/** Tokenizer, chat template, and how long a context is. */
function isDescribing(file: string): boolean {
  return !(file.split("/").at(-1) ?? file).startsWith("model");
}

/** What is fetched: of a whole repository a checkpoint's files; of a folder also llama2.c's, by the names that theirs have. */
function wantedFiles(inside: string, file: string | undefined): readonly string[] {
  const at = (name: string): string => (inside === "" ? name : `${inside}/${name}`);
  if (file !== undefined) return [file, at("tok*.bin")];
  if (inside === "") return checkpointFiles;
  // As patterns: a folder with a llama2.c checkpoint has no config.json, which would be asked for by name.
  return [
    ...checkpointFiles.map((name) => (name === "config.json" ? "config.jso?" : name)),
    "stories*.bin",
    "tok*.bin",
  ].map(at);
}

async function asModelFolder(folder: string, progress: Progress, file?: string): Promise<string> {
  return convertedFolder(folder, join(userCache(), "llama2c"), (text) => progress.note(text), file);
}

/** An error of the hub or its cache that says what works without a network. */
function withAlternative(error: unknown): unknown {
  if (!LaconicError.is(error) || !["hub_unavailable", "checkpoint_missing"].includes(error.code)) return error;
  const { code, message, detail } = error;
  const alternative = "without a network, name a model folder of this machine, or try preset:relay-quickstart";
  return new LaconicError(code, `${message}; ${alternative}`, detail, error);
}
