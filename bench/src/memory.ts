// Peak memory of training, compared with the plan and with PyTorch. Each measurement is a process: peak resident memory
// minus the libraries' memory at first use. Needs Linux, and Python with transformers (LACONIC_PYTHON or .venv).
// `memory.ts NAME` runs one case.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseModelConfig, planMemory, type MemorySettings } from "@laconic/engine";
import { machine, print } from "./measure.ts";
import { qwen2Config } from "./model-geometry.ts";
import { lastOf, python, root, run, runOurs } from "./processes.ts";
import { readWords } from "./options.ts";

/** Measured case. */
export interface MemoryCase {
  readonly name: string;
  readonly work: "head" | "update";
  readonly config: Readonly<Record<string, unknown>>;
  readonly settings: MemorySettings;
}

const sizes = { hidden: 896, feedForward: 4864, layers: 4, heads: 14, kvHeads: 2 } as const;
const qwen = qwen2Config({ ...sizes, vocabulary: 151_936, positions: 32_768, ropeTheta: 1e6 });
/** 1,760 predicted tokens. */
const settings: MemorySettings = {
  dtype: "float32",
  lora: null,
  recompute: "layer",
  snapshots: 0,
  rollouts: 0,
  promptTokens: 72,
  completionTokens: 440,
  microBatch: 4,
};
const narrow = { ...qwen, num_attention_heads: 1, num_key_value_heads: 1, num_hidden_layers: 1 };
const cases: readonly MemoryCase[] = [
  { name: "head, vocabulary 151,936, 1,760 rows", work: "head", config: qwen, settings },
  { name: "update, 4 of 24 layers of Qwen2.5-0.5B", work: "update", config: qwen, settings },
  {
    name: "update, vocabulary 151,936, width 32",
    work: "update",
    config: { ...narrow, hidden_size: 32, intermediate_size: 96 },
    settings: { ...settings, microBatch: 1 },
  },
  {
    name: "update, a sequence of 16,384 tokens",
    work: "update",
    config: { ...narrow, vocab_size: 64, hidden_size: 32, intermediate_size: 512, max_position_embeddings: 16_384 },
    settings: { ...settings, promptTokens: 1024, completionTokens: 15_360, microBatch: 1, recompute: "none" },
  },
];

const [wanted = ""] = readWords();
print("machine", machine());
for (const item of cases.filter(({ name }) => name.includes(wanted))) {
  const text = JSON.stringify(item);
  const own = lastOf(runOurs("memory-child.ts", [text]));
  const peer = existsSync(python) ? lastOf(run(python, [join(root, "bench/peers/memory.py"), text])) : null;
  const planned = item.work === "update" ? planMemory(parseModelConfig(item.config), item.settings).training : null;
  print("memory", {
    name: item.name,
    own,
    ...(planned !== null && { planned, planOverOwn: planned / (own["peakBytes"] as number) }),
    peer,
    ...(peer &&
      planned !== null && {
        ownOverPeer: {
          peak: (own["peakBytes"] as number) / (peer["peakBytes"] as number),
          cpu: (own["cpuSeconds"] as number) / (peer["cpuSeconds"] as number),
        },
      }),
  });
}
