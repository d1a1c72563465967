"""Reads a model folder with transformers: log-probs of replies, and greedy replies."""

import json
import sys

try:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(3)

with open(sys.argv[1]) as file:
    job = json.load(file)
torch.set_num_threads(1)
tokenizer = AutoTokenizer.from_pretrained(job["folder"])
model = AutoModelForCausalLM.from_pretrained(job["folder"], dtype=torch.float64).eval()
rows = []
for messages, reply in job["lessons"]:
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    prompt = tokenizer(text, add_special_tokens=False)["input_ids"]
    completion = tokenizer(reply, add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id]
    ids = torch.tensor([prompt + completion])
    with torch.no_grad():
        log_probs = model(ids).logits[0, len(prompt) - 1 : -1].log_softmax(-1)
        picked = log_probs.gather(1, torch.tensor(completion)[:, None])[:, 0].tolist()
        out = model.generate(torch.tensor([prompt]), do_sample=False, max_new_tokens=128, pad_token_id=tokenizer.eos_token_id)
    greedy = tokenizer.decode(out[0, len(prompt) :], skip_special_tokens=True)
    rows.append({"prompt": prompt, "completion": completion, "logProbs": picked, "greedy": greedy})
with open(sys.argv[2], "w") as file:
    json.dump(rows, file)
