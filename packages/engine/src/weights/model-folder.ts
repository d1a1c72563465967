import { isRecord, LaconicError, type UnknownRecord } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { joinPath, type ModelFiles } from "@laconic/core/files";
import { defaultFiles } from "#platform";
import {
  closedOnError,
  openSafetensorsFile,
  openToRead,
  readAt,
  writeSafetensorsFile,
  writeSynced,
  type OpenTensors,
  invalidFile,
} from "./safetensors-file.ts";
import type { TensorSource } from "../transformer/parameters.ts";

export interface StoredMoments {
  readonly first: TensorSource;
  readonly second: TensorSource;
}

export interface OpenTrainingState {
  readonly steps: number;
  readonly moments: ReadonlyMap<string, StoredMoments>;
  close(): Promise<void>;
}

const names = {
  config: "config.json",
  weights: "model.safetensors",
  index: "model.safetensors.index.json",
  optimizer: "optimizer.safetensors",
} as const;

/** Older formats; loading a pickle runs its code. */
const pickled = ["pytorch_model.bin", "pytorch_model.bin.index.json"];

const maxJsonBytes = 1 << 26;

/**
 * Opens `config.json` and `model.safetensors`, single or sharded; reads only headers.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid`.
 */
export async function openModelFolder(
  files: ModelFiles,
  folder: string,
): Promise<OpenTensors & { readonly config: UnknownRecord }> {
  const config = await readJsonFile(joinPath(folder, names.config), files);
  const tensors = new Map<string, TensorSource>();
  const opened: OpenTensors[] = [];
  const close = async (): Promise<void> => void (await Promise.all(opened.map((file) => file.close())));
  return closedOnError({ config, tensors, close }, async (model) => {
    for (const name of await weightFiles(files, folder)) {
      const path = joinPath(folder, name);
      const file = await openSafetensorsFile(files, path);
      opened.push(file);
      for (const [tensor, source] of file.tensors) {
        if (tensors.has(tensor))
          throw new LaconicError("weights_invalid", `${path}: tensor ${tensor} is also in another file`, {
            file: path,
          });
        tensors.set(tensor, source);
      }
    }
    return model;
  });
}

/** Null without optimizer state. @throws LaconicError `weights_invalid`. */
export async function openTrainingState(files: ModelFiles, folder: string): Promise<OpenTrainingState | null> {
  const path = joinPath(folder, names.optimizer);
  if (!(await files.exists(path))) return null;
  return closedOnError(await openSafetensorsFile(files, path), ({ tensors, metadata, close }) => ({
    ...readMoments(path, tensors, metadata),
    close,
  }));
}

function readMoments(
  path: string,
  tensors: ReadonlyMap<string, TensorSource>,
  metadata: Readonly<Record<string, string>>,
): Pick<OpenTrainingState, "steps" | "moments"> {
  const steps = Number(metadata["steps"] ?? Number.NaN);
  if (!Number.isInteger(steps) || steps < 0)
    throw new LaconicError("weights_invalid", `${path}: the step count is missing`, { file: path });
  const moments = new Map<string, StoredMoments>();
  for (const [key, first] of tensors) {
    if (!key.startsWith("first.")) continue;
    const name = key.slice("first.".length);
    const second = tensors.get(`second.${name}`);
    if (!second) throw new LaconicError("weights_invalid", `${path}: tensor second.${name} is missing`, { file: path });
    moments.set(name, { first, second });
  }
  return { steps, moments };
}

/** Weights and moments have the names of trained tensors. */
export interface ModelFolderContents {
  readonly config: UnknownRecord;
  readonly weights: ReadonlyMap<string, TensorSource>;
  readonly steps: number;
  readonly moments: ReadonlyMap<string, StoredMoments>;
  readonly dtype: "F32" | "F64";
}

/**
 * Syncs every file and returns their names; the caller marks the folder as complete.
 * @throws LaconicError `run_unwritable`.
 */
export async function writeModelFolder(
  files: ModelFiles,
  folder: string,
  contents: ModelFolderContents,
): Promise<readonly string[]> {
  const { config, weights, dtype } = contents;
  const json = new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`);
  await writeSynced(files, joinPath(folder, names.config), (write) => write(json));
  await writeSafetensorsFile(files, joinPath(folder, names.weights), weights, dtype);
  return [names.config, names.weights, await writeTrainingState(files, folder, contents)];
}

/** @returns the file name */
export async function writeTrainingState(
  files: ModelFiles,
  folder: string,
  { steps, moments, dtype }: Pick<ModelFolderContents, "steps" | "moments" | "dtype">,
): Promise<string> {
  const flat = new Map<string, TensorSource>();
  for (const [name, { first, second }] of moments) flat.set(`first.${name}`, first).set(`second.${name}`, second);
  await writeSafetensorsFile(files, joinPath(folder, names.optimizer), flat, dtype, { steps: String(steps) });
  return names.optimizer;
}

const howToConvert =
  "It is not read, because loading it runs code. If you trust it, convert it with Python: " +
  'from transformers import AutoModelForCausalLM; AutoModelForCausalLM.from_pretrained("FOLDER").save_pretrained("FOLDER", safe_serialization=True)';

async function weightFiles(files: ModelFiles, folder: string): Promise<string[]> {
  if (await files.exists(joinPath(folder, names.weights))) return [names.weights];
  const path = joinPath(folder, names.index);
  if (!(await files.exists(path))) {
    for (const name of pickled)
      if (await files.exists(joinPath(folder, name)))
        throw new LaconicError("checkpoint_missing", `${folder}: weights exist only as ${name}. ${howToConvert}`, {
          folder,
        });
    throw new LaconicError(
      "checkpoint_missing",
      `${folder}: ${names.weights} not found; expected a Hugging Face model folder`,
      { folder },
    );
  }
  const map = (await readJsonFile(path, files))["weight_map"];
  const shards = typeof map === "object" && map !== null ? [...new Set(Object.values(map))] : [];
  // An index must not reach outside its folder.
  if (shards.length === 0 || !shards.every((name) => typeof name === "string" && /^[\w-][\w.-]*$/.test(name)))
    throw new LaconicError("weights_invalid", `${path}: weight_map is malformed`, { file: path });
  return shards as string[];
}

/** @throws LaconicError `checkpoint_missing`, `weights_invalid`. */
export async function readJsonFile(path: string, files: ModelFiles = defaultFiles): Promise<UnknownRecord> {
  const file = await openToRead(files, path);
  let value: unknown;
  try {
    const size = file.bytes;
    if (size > maxJsonBytes) throw invalidFile(path, `has ${size} bytes, the limit is ${maxJsonBytes}`);
    value = boundedJson(new TextDecoder().decode(await readAt(file, 0, size, path)));
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    throw invalidFile(path, `is not JSON: ${String(error)}`, error);
  } finally {
    await file.close();
  }
  if (isRecord(value)) return value;
  throw invalidFile(path, "is not a JSON object");
}

/** Largest token id in `tokenizer.json` plus one; later rows are padding. Null if unreadable. */
export async function tokenCountOf(files: ModelFiles, folder: string): Promise<number | null> {
  const path = joinPath(folder, "tokenizer.json");
  if (!(await files.exists(path))) return null;
  const tokenizer = await readJsonFile(path, files).catch(() => null);
  const model = tokenizer?.["model"];
  if (!isRecord(model)) return null;
  const { vocab } = model;
  const added: readonly unknown[] = Array.isArray(tokenizer?.["added_tokens"]) ? tokenizer["added_tokens"] : [];
  const ids = [
    ...(isRecord(vocab) ? Object.values(vocab) : Array.isArray(vocab) ? Array.from(vocab.keys()) : []),
    ...added.map((token) => (isRecord(token) ? token["id"] : null)),
  ];
  return ids.reduce<number>((count, id) => (typeof id === "number" && id >= count ? id + 1 : count), 0) || null;
}
