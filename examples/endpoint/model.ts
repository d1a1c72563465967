/**
 * Makes a small model for the team of team.ts. It knows the format but not the task: it asks any drawer and reports in
 * many tokens. Trained on synthetic conversations in a few seconds.
 *
 *     npx tsx examples/endpoint/model.ts FOLDER
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed, type ChatMessage, type Random, type TrainingSequence } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import { loadTokenizer } from "@laconic/hub/tokenizers";
import { learningRateAt, supervised } from "@laconic/trainer";

const pieces = [
  '<tool_call>\n{"name": "look", "arguments": {"drawer": "',
  '"}}\n</tool_call>',
  "<tool_response>\n",
  "\n</tool_response>",
  "I have looked, and what I found in there is ",
  ", if I am not mistaken.",
] as const;
const [call, called, found, closed, wordy, unsure] = pieces;
const characters = Array.from("ABCD0123456789 .,!?\nabcdefghijklmnopqrstuvwxyz<>{}[]/:_-\"'#&");
const marks = ["<system>", "<user>", "<assistant>", "</s>"];

const tokenizer = {
  model: { type: "BPE", vocab: Object.fromEntries(characters.map((letter, id) => [letter, id])), merges: [] },
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: { type: "Fuse" },
  added_tokens: [...pieces, ...marks].map((content, i) => ({
    id: characters.length + i,
    content,
    special: i >= pieces.length,
    normalized: false,
    single_word: false,
    lstrip: false,
    rstrip: false,
  })),
};
const template =
  "{% for m in messages %}{{ '<' + m.role + '>' + m.content + '</s>' }}{% endfor %}{% if add_generation_prompt %}{{ '<assistant>' }}{% endif %}";

const folder = process.argv[2] ?? "runs/endpoint-model";
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
await writeFile(join(folder, "tokenizer_config.json"), JSON.stringify({ eos_token: "</s>", chat_template: template }));

const vocabulary = characters.length + pieces.length + marks.length;
const engine = await createLocalEngine({ device: wasmKernels(), workers: 1, onWarning: console.warn });
const model = await engine.createModel({
  kind: "config",
  seed: 1,
  config: {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: vocabulary,
    hidden_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    intermediate_size: 64,
    max_position_embeddings: 256,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    hidden_act: "silu",
    tie_word_embeddings: true,
    initializer_range: 0.1,
    bos_token_id: null,
    eos_token_id: vocabulary - 1,
  },
});
await model.save(folder); // loadTokenizer reads the configuration next to it
const { encode, encodeChat, endToken } = (await loadTokenizer(folder)) as Awaited<ReturnType<typeof loadTokenizer>> & {
  encodeChat(messages: readonly ChatMessage[]): number[];
};

const user = (content: string): ChatMessage => ({ role: "user", content });
const said = (content: string): ChatMessage => ({ role: "assistant", content });
const reply = (messages: readonly ChatMessage[], content: string): TrainingSequence => ({
  promptTokens: encodeChat(messages),
  completionTokens: [...encode(content), endToken],
});

/** Mapping as in team.ts; the scout follows it in only a fifth of the examples. */
const drawerOf = { A: 3, B: 1, C: 4, D: 2 } as const;
const hunch = 0.2;

/** The scout looks into a drawer and reports; the solver answers from the report. */
function conversation(random: Random): TrainingSequence[] {
  const [letter, digit] = [random.pick(["A", "B", "C", "D"] as const), String(random.integer(10))];
  const drawer = random.uniform() < hunch ? drawerOf[letter] : 1 + random.integer(4);
  const look = `${call}${drawer}${called}`;
  const report = random.uniform() < 0.85 ? `${wordy}${digit}${unsure}` : digit;
  return [
    reply([user(letter)], look),
    reply([user(letter), said(look), user(`${found}${digit}${closed}`)], report),
    reply([user(report)], digit),
  ];
}

const steps = 150;
const rate = { peak: 0.01, warmUpSteps: 10, decay: "cosine", finalFraction: 0.1 } as const;
const adam = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 1 };
await supervised(model, {
  steps,
  batch: (_, random) => Array.from({ length: 16 }, () => conversation(random)).flat(),
  random: randomFromSeed("endpoint"),
  optimizerAt: (step) => ({ ...adam, learningRate: learningRateAt(rate, step, steps) }),
  onStep: (step, { loss }) => {
    if (step % 50 === 0) console.log(`step ${step}: ${loss.toFixed(3)} nats per token`);
  },
});
await model.save(folder);
await engine.close();
console.log(`${folder}: a model of ${model.parameters} parameters`);
