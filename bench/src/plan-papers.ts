// Plans of the papers' presets on assumed GPUs, and the memory of model sizes by form of training. Needs no weights: the
// shapes are those of the published checkpoints.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseModelConfig, planMemory, type MemorySettings } from "@laconic/engine";
import { parseAppConfig, planRun } from "@laconic/runtime";
import { assumedSpeed, cards, chooseDevice, type CardName } from "@laconic/runtime/devices";
import { presetConfig } from "@laconic/runtime/resolver";
import { print, round3 } from "./measure.ts";
import { qwen2Config } from "./model-geometry.ts";

const size = (hidden: number, layers: number, heads: number, kvHeads: number, feedForward: number): object =>
  qwen2Config({ hidden, layers, heads, kvHeads, feedForward, vocabulary: 151_936, positions: 32_768, ropeTheta: 1e6 });
const qwen3 = { model_type: "qwen3", head_dim: 128 };
const shapes: Readonly<Record<string, object>> = {
  "Qwen2.5-0.5B": size(896, 24, 14, 2, 4864),
  "Qwen2.5-1.5B": size(1536, 28, 12, 2, 8960),
  "Qwen3-1.7B": { ...size(2048, 28, 16, 8, 6144), ...qwen3 },
  "Qwen2.5-3B": size(2048, 36, 16, 2, 11_008),
  "Qwen2.5-7B": { ...size(3584, 28, 28, 4, 18_944), vocab_size: 152_064, tie_word_embeddings: false },
};

/** Lengths that the papers give or that fit their tasks, in tokens. */
const lengths = {
  "agent-gspo": [512, 128],
  "agentpo-hint": [256, 768],
  "agentpo-debate": [256, 768],
  "agentpo-roles": [256, 768],
  "agentpo-hint-printed": [256, 768],
  "agentpo-critic": [2048, 768],
  "actor-finetune": [256, 2048],
  magrpo: [512, 256],
  "magrpo-code": [512, 256],
  "magrpo-multiturn": [1024, 256],
} as const;

const gibibytes = (bytes: number) => Math.round((10 * bytes) / 2 ** 30) / 10;

async function modelFolders(parent: string): Promise<(name: string) => Promise<string>> {
  const assets = new URL("../../packages/runtime/assets/reasoner/", import.meta.url);
  for (const [name, config] of Object.entries(shapes)) {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, "config.json"), JSON.stringify(config));
    for (const file of ["tokenizer.json", "tokenizer_config.json"])
      await copyFile(new URL(file, assets), join(parent, name, file));
  }
  return async (wanted) => {
    const known = Object.keys(shapes).find((name) => wanted.replace("-Coder", "").includes(name));
    if (known === undefined) throw new Error(`no shape of ${wanted}`);
    return join(parent, known);
  };
}

async function planPresets(openModel: (name: string) => Promise<string>, card: CardName): Promise<void> {
  for (const [preset, [promptTokens, completionTokens]] of Object.entries(lengths)) {
    const config = { ...parseAppConfig(presetConfig(preset)), device: "cuda" };
    const device = await chooseDevice("cuda", 1, () => undefined);
    const assumed = assumedSpeed(card, undefined);
    const options = { promptTokens, completionTokens, memoryBytes: cards[card].memory, assumed, openModel };
    const plan = await planRun(config, await openModel(config.model), device, options);
    const step = Object.values(plan.stepSeconds ?? {}).reduce((sum, seconds: number) => sum + seconds, 0);
    print("preset", {
      preset,
      card,
      model: config.model,
      lengths: `${promptTokens} + ${completionTokens}`,
      turns: plan.waves.length,
      training: gibibytes(plan.training),
      sampling: gibibytes(plan.sampling),
      maxTokensPerMicroBatch: plan.largest?.maxTokensPerMicroBatch ?? null,
      fitting: plan.fitting?.join(" ") ?? null,
      replies: plan.replies,
      stepSeconds: round3(step),
      steps: plan.steps,
      hours: round3((plan.steps * step) / 3600),
    });
  }
}

const forms: Readonly<Record<string, Partial<MemorySettings>>> = {
  "all weights": {},
  "all weights, optimizer on the host": { optimizer: "host" },
  "adapter of rank 16": { lora: { rank: 16, alpha: 32 } },
};

function planSizes(): void {
  const batch = { promptTokens: 512, completionTokens: 512, microBatch: 1, rollouts: 16, snapshots: 0 } as const;
  for (const [model, config] of Object.entries(shapes))
    for (const [form, change] of Object.entries(forms)) {
      const settings: MemorySettings = { ...batch, dtype: "bfloat16", lora: null, recompute: "layer", ...change };
      const { training, sampling, host } = planMemory(parseModelConfig({ ...config }), settings);
      const memory = { training: gibibytes(training), sampling: gibibytes(sampling), host: gibibytes(host) };
      print("size", { model, form, ...memory });
    }
}

const parent = await mkdtemp(join(tmpdir(), "plan-"));
try {
  const openModel = await modelFolders(parent);
  for (const card of ["h100", "rtx-4090"] as const) await planPresets(openModel, card);
  planSizes();
} finally {
  await rm(parent, { recursive: true });
}
