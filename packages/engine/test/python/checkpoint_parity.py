"""Writes tiny random checkpoints with transformers, and says what it computes with them.

Reads a JSON object from the first path, writes a JSON list to the second:
  question {folder: where to save, prompts: [[id]], newTokens: n}
  answer   [{name, folder, greedy: [[id]], logProbs: [[number]], first: [[number]]}], one a checkpoint;
           first holds the log-probs of the whole vocabulary after each prompt: the logits but for a constant
Checkpoints are float32 and bfloat16, tied and untied, in one file and in shards.
"""

import json
import os
import sys

try:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM
    from transformers import Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

torch.set_num_threads(1)
SIZES = dict(
    vocab_size=97,
    hidden_size=32,
    intermediate_size=56,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=256,
    initializer_range=0.25,
)
LLAMA3 = dict(
    rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=64
)
MODELS = {
    "qwen2, tied": (Qwen2ForCausalLM, Qwen2Config(**SIZES, tie_word_embeddings=True), torch.float32, "5GB"),
    "qwen2, bfloat16 shards": (Qwen2ForCausalLM, Qwen2Config(**SIZES, tie_word_embeddings=False), torch.bfloat16, "20KB"),
    "qwen3, shards": (Qwen3ForCausalLM, Qwen3Config(**SIZES, head_dim=12, tie_word_embeddings=False), torch.float32, "30KB"),
    "llama 3, rope scaling": (
        LlamaForCausalLM,
        LlamaConfig(**SIZES, tie_word_embeddings=False, rope_theta=500000.0, rope_scaling=LLAMA3),
        torch.float32,
        "5GB",
    ),
    "qwen3, tied, bfloat16": (
        Qwen3ForCausalLM,
        Qwen3Config(**SIZES, head_dim=16, tie_word_embeddings=True),
        torch.bfloat16,
        "5GB",
    ),
    "llama 3, tied, float16 shards": (
        LlamaForCausalLM,
        LlamaConfig(**SIZES, tie_word_embeddings=True, rope_theta=500000.0, rope_scaling=LLAMA3),
        torch.float16,
        "10KB",
    ),
    "llama with biases": (
        LlamaForCausalLM,
        LlamaConfig(**SIZES, tie_word_embeddings=False, attention_bias=True, rms_norm_eps=1e-5),
        torch.float32,
        "5GB",
    ),
    "mistral without a window": (
        MistralForCausalLM,
        MistralConfig(**SIZES, head_dim=12, sliding_window=None, tie_word_embeddings=False),
        torch.bfloat16,
        "5GB",
    ),
}

with open(sys.argv[1]) as source:
    question = json.load(source)
answers = []
for seed, (name, (make, config, dtype, shard)) in enumerate(MODELS.items()):
    torch.manual_seed(seed)
    folder = os.path.join(question["folder"], str(seed))
    make(config).to(dtype).save_pretrained(folder, max_shard_size=shard)
    model = make.from_pretrained(folder, dtype=torch.float32).eval()
    # Generation that must not end yet forbids the end token: without one, every token is the likeliest.
    model.generation_config.eos_token_id = None
    greedy, log_probs, first = [], [], []
    for prompt in question["prompts"]:
        with torch.no_grad():
            ids = torch.tensor([prompt])
            out = model.generate(
                ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=question["newTokens"], pad_token_id=0
            )[0]
            log_p = torch.log_softmax(model(out[None]).logits[0, len(prompt) - 1 : -1], dim=-1)
        new = out[len(prompt) :]
        greedy.append(new.tolist())
        log_probs.append(log_p.gather(1, new[:, None])[:, 0].tolist())
        first.append(log_p[0].tolist())
    answers.append({"name": name, "folder": folder, "greedy": greedy, "logProbs": log_probs, "first": first})
with open(sys.argv[2], "w") as target:
    json.dump(answers, target)
