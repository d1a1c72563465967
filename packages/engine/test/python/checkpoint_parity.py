"""Writes tiny random checkpoints with transformers, and says what it computes with them.

Reads a JSON list of questions from the first path, writes a JSON list of answers to the second:
  question {folder: where to save, config, dtype, shard: max size of a file, prompts: [[id]], newTokens: n}
  answer   {greedy: [[id]], logProbs: [[number]], first: [[number]]};
           first holds the log-probs of the whole vocabulary after each prompt: the logits but for a constant
"""

import json
import sys

try:
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

torch.set_num_threads(1)


def answer(seed, question):
    torch.manual_seed(seed)
    made = AutoModelForCausalLM.from_config(AutoConfig.for_model(**question["config"]))
    for parameter in made.parameters():
        # Norms and biases matter as well.
        parameter.data.add_(0.1 * torch.randn_like(parameter))
    made.to(getattr(torch, question["dtype"])).save_pretrained(question["folder"], max_shard_size=question["shard"])
    model = AutoModelForCausalLM.from_pretrained(question["folder"], dtype=torch.float32).eval()
    # Generation that must not end yet forbids the end token: without one, every token is the likeliest.
    model.generation_config.eos_token_id = None
    greedy, log_probs, first = [], [], []
    for prompt in question["prompts"]:
        with torch.no_grad():
            ids = torch.tensor([prompt])
            out = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                max_new_tokens=question["newTokens"],
                pad_token_id=0,
            )[0]
            log_p = torch.log_softmax(model(out[None]).logits[0, len(prompt) - 1 : -1], dim=-1)
        new = out[len(prompt) :]
        greedy.append(new.tolist())
        log_probs.append(log_p.gather(1, new[:, None])[:, 0].tolist())
        first.append(log_p[0].tolist())
    return {"greedy": greedy, "logProbs": log_probs, "first": first}


with open(sys.argv[1]) as source:
    questions = json.load(source)
with open(sys.argv[2], "w") as target:
    json.dump([answer(seed, question) for seed, question in enumerate(questions)], target)
