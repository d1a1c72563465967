import { LaconicError, type UnknownRecord } from "@laconic/core";
import { joinPath, type ModelFiles, type OpenFile } from "@laconic/core/files";
import { defaultFiles } from "#platform";
import { parseModelConfig } from "../transformer/model-config.ts";
import { parameterShapes, type TensorSource } from "../transformer/parameters.ts";
import {
  closedOnError,
  invalidFile,
  openToRead,
  readAt,
  writeSafetensorsFile,
  writeSynced,
} from "./safetensors-file.ts";
import type { OpenTensors } from "./safetensors-file.ts";

/** `ak42`, the start of versions 1 and 2. */
const magic = 0x616b_3432;
const integer = 4;
const headerBytes = 7 * integer;

interface Header {
  readonly dim: number;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly vocabulary: number;
  readonly positions: number;
  readonly tied: boolean;
}

/**
 * Opens a llama2.c checkpoint (karpathy/tinyllamas): version 0, float32. Tensors are those of a Hugging Face Llama.
 * @throws LaconicError `checkpoint_missing`, `weights_invalid`, `model_unsupported` for another version.
 */
export async function openLlama2c(
  files: ModelFiles,
  path: string,
): Promise<OpenTensors & { readonly config: UnknownRecord }> {
  return closedOnError(await openToRead(files, path), async (file) => {
    const header = await readHeader(file, path);
    const config = configOf(header);
    const places = placesOf(header);
    const last = places.at(-1)!;
    const expected = last.start + floatBytes(last.shape);
    if (file.bytes !== expected)
      throw invalidFile(
        path,
        `has ${file.bytes} bytes, expected ${expected} by its header (${describe(header)}): ${file.bytes < expected ? "truncated" : "not a llama2.c checkpoint"}`,
      );
    const tensors = new Map(
      places
        .filter(({ name }) => name !== "")
        .map((location) => [location.name, sourceOf(file, location, header, path)]),
    );
    for (const [name, shape] of parameterShapes(parseModelConfig(config)))
      if (tensors.get(name)?.shape.join() !== shape.join())
        throw invalidFile(path, `lacks ${name} of shape ${shape.join(" x ")}`);
    return { config, tensors, close: () => file.close() };
  });
}

/**
 * Converts a checkpoint to `config.json` and `model.safetensors` in an existing folder; returns config.json.
 * @throws errors of `openLlama2c`, and LaconicError `run_unwritable`
 */
export async function convertLlama2c(
  path: string,
  folder: string,
  files: ModelFiles = defaultFiles,
): Promise<UnknownRecord> {
  const { config, tensors, close } = await openLlama2c(files, path);
  try {
    await writeSafetensorsFile(files, joinPath(folder, "model.safetensors"), tensors, "F32");
    const json = new TextEncoder().encode(`${JSON.stringify(config, null, 2)}\n`);
    await writeSynced(files, joinPath(folder, "config.json"), (write) => write(json));
    return config;
  } finally {
    await close();
  }
}

function describe({ dim, layers, heads, kvHeads, vocabulary }: Header): string {
  return `width ${dim}, ${layers} layers, ${heads} heads on ${kvHeads}, vocabulary ${vocabulary}`;
}

async function readHeader(file: OpenFile, path: string): Promise<Header> {
  if (file.bytes < headerBytes)
    throw invalidFile(path, `has ${file.bytes} bytes, fewer than the header of a llama2.c checkpoint`);
  const view = new DataView((await readAt(file, 0, headerBytes, path)).buffer);
  if (view.getUint32(0, true) === magic)
    throw new LaconicError(
      "model_unsupported",
      `${path} is a llama2.c checkpoint of version ${view.getInt32(integer, true)}; export it as version 0: python export.py OUT.bin --version 0 --checkpoint IN.pt`,
      { file: path },
    );
  const [dim, hidden, layers, heads, kvHeads, vocabulary, positions] = Array.from({ length: 7 }, (_, i) =>
    view.getInt32(i * integer, true),
  ) as [number, number, number, number, number, number, number];
  // A positive sign means a tied head.
  const header = { dim, hidden, layers, heads, kvHeads, vocabulary: Math.abs(vocabulary), positions };
  return checked({ ...header, tied: vocabulary > 0 }, path);
}

/** Larger values indicate another format. */
const most = { dim: 1 << 15, hidden: 1 << 17, layers: 1 << 9, heads: 1 << 9, vocabulary: 1 << 20, positions: 1 << 20 };

function checked(header: Header, path: string): Header {
  const { dim, heads, kvHeads } = header;
  const plausible =
    Object.entries(most).every(([key, limit]) => {
      const value = header[key as keyof typeof most];
      return value >= 1 && value <= limit;
    }) &&
    kvHeads >= 1 &&
    heads % kvHeads === 0 &&
    dim % heads === 0 &&
    (dim / heads) % 2 === 0;
  if (!plausible) throw invalidFile(path, "is not a llama2.c checkpoint: its header is not valid for a Llama");
  return header;
}

function configOf(header: Header): UnknownRecord {
  const { dim, hidden, layers, heads, kvHeads, vocabulary, positions, tied } = header;
  return {
    architectures: ["LlamaForCausalLM"],
    model_type: "llama",
    vocab_size: vocabulary,
    hidden_size: dim,
    intermediate_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    head_dim: dim / heads,
    max_position_embeddings: positions,
    rms_norm_eps: 1e-5,
    rope_theta: 10_000,
    tie_word_embeddings: tied,
    hidden_act: "silu",
    bos_token_id: 1,
    eos_token_id: 2,
    torch_dtype: "float32",
  };
}

interface Place {
  readonly name: string;
  readonly shape: readonly number[];
  readonly start: number;
  /** Adjacent pairs within heads; Hugging Face has halves. */
  readonly rotary: boolean;
}

/** Tensors in file order; each kind holds all layers. */
function placesOf(header: Header): Place[] {
  const { dim, hidden, layers, heads, kvHeads, vocabulary, positions, tied } = header;
  const kv = (dim / heads) * kvHeads;
  const kinds: readonly (readonly [name: string, ...shape: number[]])[] = [
    ["model.embed_tokens.weight", vocabulary, dim],
    ["input_layernorm.weight", dim],
    ["self_attn.q_proj.weight", dim, dim],
    ["self_attn.k_proj.weight", kv, dim],
    ["self_attn.v_proj.weight", kv, dim],
    ["self_attn.o_proj.weight", dim, dim],
    ["post_attention_layernorm.weight", dim],
    ["mlp.gate_proj.weight", hidden, dim],
    ["mlp.down_proj.weight", dim, hidden],
    ["mlp.up_proj.weight", hidden, dim],
    ["model.norm.weight", dim],
    ["", positions, dim / heads],
    ...(tied ? [] : [["lm_head.weight", vocabulary, dim] as const]),
  ];
  let start = headerBytes;
  return kinds.flatMap(([name, ...shape]) => {
    const isOfLayers = /^(?:self_attn|mlp|\w+_layernorm)\./u.test(name);
    return Array.from({ length: isOfLayers ? layers : 1 }, (_, layer): Place => {
      const location = {
        name: isOfLayers ? `model.layers.${layer}.${name}` : name,
        shape,
        start,
        rotary: /\.[qk]_proj\./u.test(name),
      };
      start += floatBytes(shape);
      return location;
    });
  });
}

function floatBytes(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, integer);
}

function sourceOf(file: OpenFile, { shape, start, rotary }: Place, { dim, heads }: Header, path: string): TensorSource {
  return {
    shape,
    read: async () => {
      const bytes = await readAt(file, start, floatBytes(shape), path);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const values = Float32Array.from({ length: bytes.length / integer }, (_, i) =>
        view.getFloat32(i * integer, true),
      );
      return rotary ? halvesOf(values, dim, dim / heads) : values;
    },
  };
}

/** Reorders rows from 0 1 2 3 ... to 0 2 ... 1 3 ..., so that pairs are half a head apart. */
function halvesOf(values: Float32Array, width: number, headDim: number): Float32Array {
  const result = new Float32Array(values.length);
  for (let row = 0; row < values.length / width; row++) {
    const [head, within] = [Math.floor(row / headDim) * headDim, row % headDim];
    const from = head + (within < headDim / 2 ? 2 * within : 2 * (within - headDim / 2) + 1);
    result.set(values.subarray(from * width, (from + 1) * width), row * width);
  }
  return result;
}
