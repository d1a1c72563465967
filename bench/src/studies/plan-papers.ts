// What the presets on real checkpoints take, from `laconic plan`: the shapes below are those of the checkpoints' config.json, so that
// nothing is downloaded; any tokenizer will do, and the story model's is taken (`$LACONIC_DATA/stories260k`).
//   npx tsx bench/src/studies/plan-papers.ts [PRESET ...]
import { spawnSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { print } from "../measure.ts";
import { root } from "../processes.ts";
import { readWords } from "../options.ts";

const story = join(process.env["LACONIC_DATA"] ?? "data", "stories260k");

const qwen = {
  model_type: "qwen2",
  vocab_size: 151_936,
  max_position_embeddings: 32_768,
  rms_norm_eps: 1e-6,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  hidden_act: "silu",
  eos_token_id: 151_645,
};
const shape = (hidden_size: number, intermediate_size: number, layers: number, heads: number, kv: number) => ({
  hidden_size,
  intermediate_size,
  num_hidden_layers: layers,
  num_attention_heads: heads,
  num_key_value_heads: kv,
});
// TinyStories in llama2.c's format.
const tiny = {
  model_type: "llama",
  vocab_size: 32_000,
  max_position_embeddings: 1024,
  rms_norm_eps: 1e-5,
  rope_theta: 1e4,
  tie_word_embeddings: true,
  hidden_act: "silu",
  eos_token_id: 2,
};
const checkpoints = {
  stories15M: { ...tiny, ...shape(288, 768, 6, 6, 6) },
  stories42M: { ...tiny, ...shape(512, 1376, 8, 8, 8) },
  "Qwen2.5-0.5B": { ...qwen, ...shape(896, 4864, 24, 14, 2) },
  "Qwen2.5-3B": { ...qwen, ...shape(2048, 11_008, 36, 16, 2) },
  "Qwen2.5-7B": { ...qwen, ...shape(3584, 18_944, 28, 28, 4), vocab_size: 152_064, tie_word_embeddings: false },
  "Qwen3-1.7B": { ...qwen, ...shape(2048, 6144, 28, 16, 8), model_type: "qwen3", head_dim: 128 },
} as const;

const gpu = ["--device", "cuda", "--memory", "80GiB", "--tflops", "200"];
/** Two cores, with a rate that is assumed: 20 GFLOP/s. */
const cores = ["--device", "wasm", "--tflops", "0.02"];

type Words = readonly string[];
/** Preset, checkpoint, tokens of a prompt and of a reply, machine. */
const plans: readonly (readonly [string, keyof typeof checkpoints, number, number, machine?: Words])[] = [
  ["agent-gspo", "Qwen2.5-0.5B", 512, 128],
  ["agentpo-hint", "Qwen2.5-3B", 256, 768],
  ["agentpo-hint-printed", "Qwen2.5-3B", 256, 768],
  ["agentpo-critic", "Qwen2.5-3B", 2048, 768],
  ["agentpo-debate", "Qwen2.5-3B", 256, 768],
  ["agentpo-roles", "Qwen2.5-3B", 256, 768],
  ["actor-finetune", "Qwen2.5-7B", 256, 2048],
  ["magrpo", "Qwen3-1.7B", 512, 256],
  ["magrpo-multiturn", "Qwen2.5-3B", 1024, 256],
  ["story-tellers", "stories15M", 48, 12, cores],
  ["story-tellers", "stories42M", 48, 12, cores],
  ["story-tellers", "Qwen2.5-0.5B", 48, 12],
];

const folder = await mkdtemp(join(tmpdir(), "laconic-plans-"));
for (const [name, config] of Object.entries(checkpoints)) {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, "config.json"), JSON.stringify(config));
  for (const file of ["tokenizer.json", "tokenizer_config.json"])
    await copyFile(join(story, file), join(folder, name, file));
}
const only = readWords();
for (const [preset, checkpoint, prompt, reply, given = gpu] of plans) {
  if (only.length > 0 && !only.includes(preset)) continue;
  const words = ["plan", `preset:${preset}`, `model=${join(folder, checkpoint)}`, "--json"];
  if (!preset.startsWith("story")) words.push("actor=null");
  const lengths = ["--prompt-tokens", String(prompt), "--completion-tokens", String(reply)];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "scripts/laconic.mjs"), ...words, ...given, ...lengths],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${preset}: ${stderr}`);
  const { model, memory, largest, replies, steps, stepSeconds } = JSON.parse(stdout) as {
    model: { parameters: number };
    memory: { training: number; sampling: number };
    largest: { maxTokensPerMicroBatch: number; rollouts: number };
    replies: number;
    steps: number;
    stepSeconds: { sampling: number; oldLogProbs: number; update: number };
  };
  const step = stepSeconds.sampling + stepSeconds.oldLogProbs + stepSeconds.update;
  const gibibytes = (bytes: number): number => Number((bytes / 2 ** 30).toFixed(1));
  print(preset, {
    checkpoint,
    parameters: model.parameters,
    lengths: `${prompt} + ${reply}`,
    replies,
    steps,
    training: gibibytes(memory.training),
    sampling: gibibytes(memory.sampling),
    maxTokensPerMicroBatch: largest.maxTokensPerMicroBatch,
    rollouts: largest.rollouts,
    step: Number(step.toPrecision(2)),
    hours: Number(((step * steps) / 3600).toPrecision(2)),
  });
}
await rm(folder, { recursive: true });
