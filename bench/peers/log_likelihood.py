# lm-evaluation-harness's formula for multiple choice on transformers, in double precision:
# whole = encode(prompt + option), n = len(encode(prompt)); the option's score is the sum of log-probs of whole[n:].
import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

given = json.load(sys.stdin)
tokenizer = AutoTokenizer.from_pretrained(given["folder"])
model = AutoModelForCausalLM.from_pretrained(given["folder"], dtype=torch.float64).eval()
with torch.no_grad():
    for question in given["questions"]:
        begins = len(tokenizer.encode(question["prompt"]))
        scores = []
        for option in question["options"]:
            whole = tokenizer.encode(question["prompt"] + option)
            log_probs = model(torch.tensor([whole])).logits[0].log_softmax(-1)
            scores.append(sum(log_probs[i - 1, whole[i]].item() for i in range(begins, len(whole))))
        print(json.dumps({"scores": scores}), flush=True)
