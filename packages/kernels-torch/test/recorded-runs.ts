import { randomFromSeed, type SampleRequest } from "@laconic/core";
import { createInlineEngine, measurePasses, parseModelConfig } from "@laconic/engine";
import type { Kernels } from "@laconic/engine/kernels";
import { kernelCases } from "@laconic/engine/kernels/testing";
import { qwenHalfBillion, smallQwen } from "../../../test/qwen-half-billion.ts";
import { torchKernelSet, type AttentionKind, type CacheKind } from "../src/torch-kernels.ts";
import { recordingClaims, RecordingTorch, type Event } from "./recording-library.ts";

export interface RecordedRun {
  readonly name: string;
  readonly events: readonly Event[];
}

const qwen = { ...qwenHalfBillion, max_position_embeddings: 4096 };

/** Qwen3's layer: norms of query and key, heads wider than hidden / heads. */
const qwen3 = {
  ...qwen,
  architectures: ["Qwen3ForCausalLM"],
  model_type: "qwen3",
  head_dim: 128,
  hidden_size: 1024,
  num_attention_heads: 16,
  num_key_value_heads: 8,
  intermediate_size: 3072,
};

const lora = { rank: 16, alpha: 32 } as const;

/** Passes of a full-width model with one and two layers: all layers make the same calls. */
function passes(
  config: Readonly<Record<string, unknown>>,
  settings: { readonly lora: typeof lora | null; readonly recompute: "none" | "layer"; readonly rollouts: number },
): (kernels: Kernels) => Promise<void> {
  return async (kernels: Kernels): Promise<void> => {
    const sizes = { promptTokens: 200, completionTokens: 300, microBatch: 4, snapshots: 0 };
    // Zero time per pass makes batches grow to the maximum.
    await measurePasses(kernels, parseModelConfig(config), { ...settings, ...sizes }, () => 0);
  };
}

const narrow = {
  ...smallQwen,
  vocab_size: 512,
  hidden_size: 128,
  intermediate_size: 256,
  max_position_embeddings: 4096,
};

/** The engine's loops: shared prompts, rows of unequal length, all kinds of sampling, both optimizers. */
async function engineLoops(kernels: Kernels): Promise<void> {
  const engine = await createInlineEngine([kernels], { recompute: "layer" });
  for (const source of [
    { kind: "config", config: narrow, seed: 1 },
    { kind: "config", config: narrow, seed: 1, lora },
  ] as const) {
    const model = await engine.createModel(source);
    await model.sample([
      request([1, 2, 3, 4], { temperature: 1 }),
      request([1, 2, 3, 4], { temperature: 0.7, topP: 0.9 }),
      request([1, 2, 9], { temperature: 1, topK: 20, minP: 0.05 }),
      request([7], { temperature: 0 }),
    ]);
    const sequences = [3, 1, 5].map((length) => ({
      promptTokens: [1, 2],
      completionTokens: new Array<number>(length).fill(3),
    }));
    for (let batch = 0; batch < 2; batch++)
      await model.forwardBackward(sequences, ({ values }) => new Float64Array(values.length).fill(0.1));
    await model.optimStep(adamW);
    await model.dispose();
  }
  await engine.close();
}

const adamW = { learningRate: 1e-4, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };

function request(promptTokens: number[], sampling: Omit<SampleRequest["sampling"], "maxTokens">): SampleRequest {
  return {
    promptTokens,
    sampling: { maxTokens: 3, ...sampling },
    stopTokens: [],
    random: randomFromSeed(promptTokens.length).state(),
  };
}

async function draws(kernels: Kernels): Promise<void> {
  const rows = 256;
  const logits = kernels.zeros([rows, qwen.vocab_size], "full");
  const each = (value: number): Float32Array => new Float32Array(rows).fill(value);
  const plain = { temperature: each(1), topK: new Int32Array(rows), topP: each(1), minP: each(0) };
  const uniform = each(0.5);
  kernels.scope(() => {
    kernels.sampleTokens(logits, { ...plain, uniform });
    kernels.sampleTokens(logits, { ...plain, topK: new Int32Array(rows).fill(50), topP: each(0.95), uniform });
    return [];
  });
}

/** Shapes of the conformance suite, including empty tensors. Its comparisons see zeros and are ignored. */
async function conformance(kernels: Kernels): Promise<void> {
  for (const item of kernelCases)
    try {
      await item.run(() => kernels);
    } catch {
      // The replay checks the calls.
    }
}

type Kind = readonly [dtype: "bfloat16" | "float32", attention: AttentionKind, caching: CacheKind];

const pages: Kind = ["bfloat16", "fused", "pages"];
const gathered: Kind = ["bfloat16", "fused", "plain"];
const slots: Kind = ["bfloat16", "fused", "slots"];
/** For cards or versions whose flash attention fails its sample. */
const plain: Kind = ["bfloat16", "math", "plain"];
const wide: Kind = ["float32", "math", "plain"];

const works: readonly (readonly [
  name: string,
  work: (kernels: Kernels) => Promise<void>,
  kinds: readonly Kind[],
  more: readonly Kind[],
])[] = [
  [
    "passes of the 0.5B geometry",
    passes(qwen, { lora: null, recompute: "layer", rollouts: 1 }),
    [pages],
    [slots, plain, wide],
  ],
  [
    "passes of the 0.5B geometry, 256 rows",
    passes(qwen, { lora: null, recompute: "layer", rollouts: 256 }),
    [],
    [pages],
  ],
  ["passes of the 0.5B geometry, adapters", passes(qwen, { lora, recompute: "none", rollouts: 1 }), [], [pages]],
  ["passes of Qwen3's geometry", passes(qwen3, { lora: null, recompute: "none", rollouts: 1 }), [], [pages]],
  ["the engine's loops", engineLoops, [pages, wide], [slots, gathered]],
  ["sampling over 151,936 tokens", draws, [pages], []],
  ["the conformance cases", conformance, [pages], [slots, gathered, wide]],
];

export async function recordRuns(thorough: boolean): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = [];
  for (const [name, work, always, more] of works)
    for (const [dtype, attention, caching] of [...always, ...(thorough ? more : [])]) {
      const events: Event[] = [];
      const record = (event: Event): void => void events.push(event);
      // Cards that fail the attention sample may also fail the norm's.
      const normBackward = attention === "math" ? "composed" : "fused";
      const kernels = torchKernelSet(new RecordingTorch(record), dtype, {
        attention,
        caching,
        normBackward,
      });
      await recordingClaims(record, dtype, () => work(kernels));
      runs.push({
        name: `${name}, ${dtype}, ${attention} attention, ${caching} cache`,
        events,
      });
    }
  return runs;
}
