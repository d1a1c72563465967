import { existsSync } from "node:fs";
import { stat, readdir, readFile, writeFile, rm } from "node:fs/promises";
import { dirname, join, resolve, basename } from "node:path";
import { fileURLToPath } from "node:url";
import { inputError, LaconicError, type ModelSource } from "@laconic/core";
import { wordTable } from "@laconic/core/checks";
import { storyModelName } from "@laconic/tasks/story-model";
import { smallTokenizer, smallVocabulary } from "@laconic/hub/tokenizers";
import { checkpointFiles, hubEnvironment, openSnapshot } from "@laconic/hub";
import { sha256 } from "@laconic/core/files";
import { makeFolderOnce } from "@laconic/core/platform";
import { nodeFileSystem } from "@laconic/trainer";
import { relayTokenizer } from "@laconic/tasks";
import { environmentValue, userCache } from "../folders/folders.ts";
import type { Progress } from "../progress.ts";

export interface ModelFolder {
  readonly folder: string;
  /** Name of the same files; includes the hub's commit. */
  readonly pinned: string;
  readonly name: string;
}

/** Owner and name, or only a name; optional folder or file; optional revision. */
const hubName = /^hub:([^@/]+(?:\/[^@/]+)?)(?:\/([^@]+))?(?:@(.+))?$/;

/** Options of opening a model folder. */
export interface ModelFolderOptions {
  /** False skips the weights, which a server has. Default true. */
  readonly weights?: boolean;
  /** Uses only the cache. Default false. */
  readonly offline?: boolean;
}

/** Opens models without their weights. */
export function settingsFolders(progress: Progress): (model: string) => Promise<string> {
  return async (model) => (await openModelFolder(model, progress, { weights: false })).folder;
}

/**
 * Opens a model by name: `shipped`, `reasoner`, `untrained`, `stories260k`, a folder, a llama2.c checkpoint, or
 * `hub:owner/name` with an optional `/folder` and `@revision` (default `main`). Downloads missing files. Converts
 * llama2.c checkpoints once, into the user's cache.
 * @throws LaconicError `checkpoint_missing`, and the errors of `openSnapshot` and `convertedFolder`
 */
export async function openModelFolder(
  input: string,
  progress: Progress,
  { weights = true, offline = false }: ModelFolderOptions = {},
): Promise<ModelFolder> {
  const asset = shippedModels[input];
  if (asset !== undefined) return { folder: fileURLToPath(asset.url), pinned: input, name: asset.name };
  if (input === untrainedModel) return { folder: await untrainedFolder(), pinned: input, name: input };
  if (input === storyModel) return openModelFolder(modelPlace(input), progress, { weights, offline });
  const [, repo, below, revision = "main"] = hubName.exec(input) ?? [];
  if (repo !== undefined) return fromHub({ repo, below, revision, weights, offline }, progress);
  const folder = resolve(input);
  const match = await stat(folder).catch(() => null);
  const name = folder.split(/[/\\]/).at(-1) ?? input;
  if (match?.isDirectory()) return { folder: await asModelFolder(folder, progress), pinned: input, name };
  if (match?.isFile() && folder.endsWith(".bin"))
    return { folder: await asModelFolder(dirname(folder), progress, folder), pinned: input, name };
  const hint = /^\w[\w.-]*\/\w[\w.-]*$/.test(input) ? `; write a Hugging Face model as hub:${input}` : "";
  throw new LaconicError("checkpoint_missing", `model folder not found: ${folder}${hint}`, { folder });
}

/** Resolves a stored model path; hub names are unchanged. */
export function foundAgain(pinned: string): string {
  return isModelName(pinned) ? pinned : resolve(pinned);
}

export function isModelName(input: string): boolean {
  return input in shippedModels || input === untrainedModel || input.startsWith("hub:");
}

const storyModel = "stories260k";

/** Resolves the story model: in `$LACONIC_DATA`, otherwise on the hub (1 MB). */
export function modelPlace(input: string): string {
  if (input !== storyModel) return input;
  const data = environmentValue("LACONIC_DATA");
  const local = data === undefined ? null : join(data, storyModel);
  return local !== null && existsSync(local) ? local : storyModelName;
}

interface HubModel {
  readonly repo: string;
  /** Folder or llama2.c checkpoint; undefined for the whole repository. */
  readonly below: string | undefined;
  readonly revision: string;
  readonly weights: boolean;
  readonly offline: boolean;
}

async function fromHub(
  { repo, below, revision, weights, offline }: HubModel,
  progress: Progress,
): Promise<ModelFolder> {
  const parts = below?.split("/") ?? [];
  if (parts.some((part) => !/^\w[\w.-]*$/.test(part)))
    throw inputError(`hub:${repo}/${below} is not a folder of a repository`, { key: "model" });
  const isFile = parts.at(-1)?.endsWith(".bin") === true;
  const inside = isFile ? parts.slice(0, -1).join("/") : parts.join("/");
  const options = {
    ...hubEnvironment(process.env),
    repo,
    revision,
    files: wantedFiles(inside, isFile ? below : undefined).filter(
      (name) => weights || !basename(name).startsWith("model"),
    ),
  };
  const open = (fromCache: boolean): ReturnType<typeof openSnapshot> =>
    openSnapshot({ ...options, offline: fromCache, onProgress: progress.download(repo) });
  const { folder, commit } = await open(offline || options.offline)
    .catch((error: unknown) => {
      // A commit's files never change, so the cache suffices if the hub is unreachable.
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
  const match = join(folder, inside);
  const file = isFile ? join(folder, ...parts) : undefined;
  return {
    folder: below === undefined ? folder : await asModelFolder(match, progress, file),
    pinned: `hub:${name}@${commit}`,
    name,
  };
}

/** Checkpoint files, and for a folder also those of llama2.c. */
function wantedFiles(inside: string, file: string | undefined): readonly string[] {
  const pathOf = (name: string): string => (inside === "" ? name : `${inside}/${name}`);
  if (file !== undefined) return [file, pathOf("tok*.bin")];
  if (inside === "") return checkpointFiles;
  // Pattern, because llama2.c folders have no `config.json` and an exact name must exist.
  return [
    ...checkpointFiles.map((name) => (name === "config.json" ? "config.jso?" : name)),
    "stories*.bin",
    "tok*.bin",
  ].map(pathOf);
}

async function asModelFolder(folder: string, progress: Progress, file?: string): Promise<string> {
  return convertedFolder(folder, join(userCache(), "llama2c"), progress.note, file);
}

function withAlternative(error: unknown): unknown {
  if (!LaconicError.is(error) || !["hub_unavailable", "checkpoint_missing"].includes(error.code)) return error;
  const { code, message, detail } = error;
  const alternative = "without a network, name a model folder of this machine, or try preset:relay-quickstart";
  return new LaconicError(code, `${message}; ${alternative}`, detail, error);
}

/**
 * Converts a llama2.c checkpoint to Hugging Face's layout, once per content. Returns other folders unchanged.
 * @param into - folder of all conversions
 * @param file - checkpoint, if the folder has several
 * @throws LaconicError `checkpoint_missing` for a missing tokenizer or an ambiguous checkpoint, `weights_invalid` and
 * `model_unsupported` for unreadable files
 */
export async function convertedFolder(
  folder: string,
  into: string,
  note: (text: string) => void,
  file?: string,
): Promise<string> {
  if (file === undefined && existsSync(join(folder, "config.json"))) return folder;
  const bins = (await readdir(folder)).filter((name) => name.endsWith(".bin") && !name.startsWith("pytorch_model"));
  const isTokenizer = (name: string): boolean => /^tok(?:enizer|\d+)\.bin$/.test(name);
  const weights = file === undefined ? bins.filter((name) => !isTokenizer(name)) : [basename(file)];
  // The reader of the folder reports missing files.
  if (weights.length === 0) return folder;
  const refuse = (reason: string): never => {
    throw new LaconicError("checkpoint_missing", `${folder} ${reason}`, { folder });
  };
  if (weights.length > 1)
    refuse(`holds ${weights.length} checkpoints of llama2.c: ${weights.join(", ")}; name one of them`);
  const [tokenizer, ...others] = bins.filter(isTokenizer);
  if (tokenizer === undefined) return refuse(`has no tokenizer for ${weights.join()}; add the model's tokenizer.bin`);
  if (others.length > 0) refuse(`holds several tokenizers: ${[tokenizer, ...others].join(", ")}; keep the model's`);
  const [from, vocab] = [join(folder, weights[0]!), join(folder, tokenizer)];
  const digests = await Promise.all([from, vocab].map(async (path) => (await nodeFileSystem.digest(path)).sha256));
  const target = join(into, sha256(digests.join(" ")).slice(0, 16));
  if (existsSync(target)) return target;
  await makeFolderOnce(target, (draft) => write(from, vocab, draft));
  note(`${basename(from)} (llama2.c, sha256 ${digests[0]?.slice(0, 12)}) is read as ${target}`);
  return target;
}

async function write(from: string, vocab: string, folder: string): Promise<void> {
  const [{ convertLlama2c }, { llama2cTokenizer }] = await Promise.all([
    import("@laconic/engine"),
    import("@laconic/hub/tokenizers"),
  ]);
  const { vocab_size: size } = await convertLlama2c(from, folder);
  const { generation, ...files } = llama2cTokenizer(await readFile(vocab), Number(size), vocab);
  await writeTokenizer(folder, files);
  await writeFile(join(folder, "generation_config.json"), JSON.stringify(generation));
}

const untrainedModel = "untrained";

/** A change gives the model a new cache name. */
const version = 1;

export interface SmallModel {
  readonly vocabularySize: number;
  readonly endToken: number;
  readonly intermediateSize: number;
  readonly positions: number;
  /** Default 64; heads have 16 dimensions, or 32 from 128 on. */
  readonly width?: number;
  /** Default 2. */
  readonly layers?: number;
}

/** Llama-type decoder; by default of 0.1 M parameters, which trains in minutes on two cores. */
export function smallModel({
  vocabularySize,
  endToken,
  intermediateSize,
  positions,
  width = 64,
  layers = 2,
}: SmallModel): Readonly<Record<string, unknown>> {
  const heads = width < 128 ? width / 16 : width / 32;
  return {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: vocabularySize,
    hidden_size: width,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: heads,
    intermediate_size: intermediateSize,
    max_position_embeddings: positions,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    hidden_act: "silu",
    tie_word_embeddings: true,
    initializer_range: width < 128 ? 0.1 : 0.03,
    bos_token_id: null,
    eos_token_id: endToken,
  };
}

/** Random byte-level model of 0.1 million weights with a chat template, always the same. */
async function untrainedFolder(): Promise<string> {
  const target = join(userCache(), `untrained-${version}`);
  if (!existsSync(target)) await makeFolderOnce(target, writeModel);
  return target;
}

async function writeModel(folder: string): Promise<void> {
  const [{ createLocalEngine }, { wasmKernels }] = await Promise.all([
    import("@laconic/engine"),
    import("@laconic/engine/wasm"),
  ]);
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1, onWarning: () => undefined });
  try {
    const size = smallVocabulary();
    const sizes = { vocabularySize: size, endToken: size - 1, intermediateSize: 128, positions: 512 };
    const model = await engine.createModel({ kind: "config", config: smallModel(sizes), seed: version });
    await model.save(folder);
  } finally {
    await engine.close();
  }
  await rm(join(folder, "optimizer.safetensors"), { force: true });
  await writeTokenizer(folder, smallTokenizer());
}

export async function writeTokenizer(
  folder: string,
  { tokenizer, config, chatTemplate }: ReturnType<typeof smallTokenizer>,
): Promise<void> {
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify({ ...config, chat_template: chatTemplate }));
}

/** Warm-started policy in the app's assets, made by `laconic relay warm-start`. */
export const shippedCheckpoint: URL = new URL("../../assets/relay-one-fact/", import.meta.url);

const shippedModels = wordTable({
  shipped: { url: shippedCheckpoint, name: "relay-one-fact" },
  reasoner: { url: new URL("../../assets/reasoner/", import.meta.url), name: "reasoner" },
});

export function freshRelayModel(seed: string | number): ModelSource {
  const { vocabularySize, endToken } = relayTokenizer;
  const config = smallModel({ vocabularySize, endToken, intermediateSize: 192, positions: 256 });
  return { kind: "config", config, seed };
}
