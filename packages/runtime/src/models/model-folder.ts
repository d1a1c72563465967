import { existsSync } from "node:fs";
import { stat, readdir, readFile, writeFile, rm } from "node:fs/promises";
import { dirname, join, resolve, basename } from "node:path";
import { fileURLToPath } from "node:url";
import { createHash } from "node:crypto";
import { LaconicError, type ModelSource } from "@laconic/core";
import { storyModelName } from "@laconic/tasks/story-model";
import { checkpointFiles, hubEnvironment, openSnapshot } from "@laconic/hub";
import { makeFolderOnce } from "@laconic/core/platform";
import { nodeFileSystem } from "@laconic/trainer";
import { relayTokenizer } from "@laconic/tasks";
import { environmentValue, userCache } from "../folders/folders.ts";
import type { Progress } from "../progress.ts";

export interface ModelFolder {
  readonly folder: string;
  /** The name under which the same files are found again: a hub name carries its commit. */
  readonly pinned: string;
  /** What people call it. */
  readonly name: string;
}

/** Owner and name, or the name alone; a folder or file below; a revision. */
const hubName = /^hub:([^@/]+(?:\/[^@/]+)?)(?:\/([^@]+))?(?:@(.+))?$/;

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
    files: wantedFiles(inside, isFile ? below : undefined).filter(
      (name) => weights || !basename(name).startsWith("model"),
    ),
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

/**
 * A folder that holds a checkpoint of llama2.c as one in Hugging Face's layout: weights and tokenizer converted once, under a name
 * made of their contents. Any other folder stays as it is.
 * @param into - folder of all conversions
 * @param file - the checkpoint, where the folder has several
 * @throws LaconicError `checkpoint_missing` where the tokenizer is missing or the checkpoint is not clear, `weights_invalid` and
 * `model_unsupported` for what cannot be read
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
  // Left to whoever reads folders, and says what they lack.
  if (weights.length === 0) return folder;
  if (weights.length > 1)
    throw new LaconicError(
      "checkpoint_missing",
      `${folder} holds ${weights.length} checkpoints of llama2.c: ${weights.join(", ")}; name one of them`,
      { folder },
    );
  const [tokenizer, ...others] = bins.filter(isTokenizer);
  if (tokenizer === undefined || others.length > 0)
    throw new LaconicError(
      "checkpoint_missing",
      tokenizer === undefined
        ? `${folder} holds no tokenizer beside ${weights.join()}; put the model's tokenizer.bin there`
        : `${folder} holds several tokenizers: ${[tokenizer, ...others].join(", ")}; keep the model's`,
      { folder },
    );
  const [from, words] = [join(folder, weights[0] as string), join(folder, tokenizer)];
  const digests = await Promise.all([from, words].map(async (path) => (await nodeFileSystem.digest(path)).sha256));
  const target = join(into, createHash("sha256").update(digests.join(" ")).digest("hex").slice(0, 16));
  if (existsSync(target)) return target;
  await makeFolderOnce(target, (draft) => write(from, words, draft));
  note(`${basename(from)} (llama2.c, sha256 ${digests[0]?.slice(0, 12)}) is read as ${target}`);
  return target;
}

async function write(from: string, words: string, folder: string): Promise<void> {
  const [{ convertLlama2c }, { llama2cTokenizer }] = await Promise.all([
    import("@laconic/engine"),
    import("@laconic/hub/tokenizers"),
  ]);
  const { vocab_size: size } = await convertLlama2c(from, folder);
  const { tokenizer, config, generation, chatTemplate } = llama2cTokenizer(await readFile(words), Number(size), words);
  const json = { "tokenizer.json": tokenizer, "generation_config.json": generation };
  for (const [name, value] of Object.entries(json)) await writeFile(join(folder, name), JSON.stringify(value));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify({ ...config, chat_template: chatTemplate }));
}

/** The name of a small model that has learned nothing. */
const untrainedModel = "untrained";

/** Of what is made here: a change makes a model of another name in the cache. */
const version = 1;

const roles = ["system", "user", "assistant", "tool"].map((role) => `<|${role}|>`);
const endToken = "<|end|>";
const controls = [...roles, endToken];

/** Every byte as a character that is visible, as byte-level tokenizers write it: those that are visible as they are, the others from 256 on. */
const bytes: readonly string[] = (() => {
  let next = 256;
  const isVisible = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173 && byte < 256);
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isVisible(byte) ? byte : next++));
})();

const tokenizer = {
  model: { type: "BPE", vocab: Object.fromEntries(bytes.map((byte, id) => [byte, id])), merges: [] },
  normalizer: null,
  pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
  post_processor: null,
  decoder: { type: "ByteLevel" },
  added_tokens: controls.map((content, i) => ({
    id: bytes.length + i,
    content,
    special: true,
    normalized: false,
    single_word: false,
    lstrip: false,
    rstrip: false,
  })),
};

const tokenizerConfig = {
  eos_token: endToken,
  chat_template: `{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + '${endToken}' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}`,
};

const vocabulary = bytes.length + controls.length;

const config = {
  model_type: "llama",
  architectures: ["LlamaForCausalLM"],
  vocab_size: vocabulary,
  hidden_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 4,
  intermediate_size: 128,
  max_position_embeddings: 512,
  rms_norm_eps: 1e-6,
  rope_theta: 10_000,
  hidden_act: "silu",
  tie_word_embeddings: true,
  initializer_range: 0.1,
  bos_token_id: null,
  eos_token_id: vocabulary - 1,
};

/**
 * A model of a tenth of a million random weights that reads and writes bytes, and takes turns by a chat template: where a warm start on
 * examples begins when nothing is to be downloaded. Made once, always the same.
 * @param into - folder of what is made once
 */
async function untrainedFolder(into: string): Promise<string> {
  const target = join(into, `untrained-${version}`);
  if (existsSync(target)) return target;
  await makeFolderOnce(target, (draft) => writeModel(draft));
  return target;
}

async function writeModel(folder: string): Promise<void> {
  const [{ createLocalEngine }, { wasmKernels }] = await Promise.all([
    import("@laconic/engine"),
    import("@laconic/engine/wasm"),
  ]);
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1, onWarning: () => undefined });
  try {
    const model = await engine.createModel({ kind: "config", config, seed: version });
    await model.save(folder);
  } finally {
    await engine.close();
  }
  await rm(join(folder, "optimizer.safetensors"), { force: true });
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify(tokenizerConfig));
}

/** The warm-started policy that ships with the app, by relay level. Made by `laconic relay warm-start`. */
export const shippedCheckpoint: URL = new URL("../../assets/relay-one-fact/", import.meta.url);

/** A Llama-type decoder of 0.1 M parameters: small enough to train in minutes on two cores. */
function relayModelConfig(): Readonly<Record<string, unknown>> {
  return {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: relayTokenizer.vocabularySize,
    hidden_size: 64,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    intermediate_size: 192,
    max_position_embeddings: 256,
    rms_norm_eps: 1e-6,
    rope_theta: 10000,
    hidden_act: "silu",
    tie_word_embeddings: true,
    initializer_range: 0.1,
    bos_token_id: null,
    eos_token_id: relayTokenizer.endToken,
  };
}

export function freshRelayModel(seed: string | number): ModelSource {
  return { kind: "config", config: relayModelConfig(), seed };
}
