# lm-evaluation-harness's formula for multiple choice on transformers: whole = encode(prompt + option), n = len(encode(prompt));
# the option's score is the sum of log-probs of whole[n:]. In double precision, which is the referee, and in single.
import json
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

given = json.load(sys.stdin)
tokenizer = AutoTokenizer.from_pretrained(given["folder"])
models = {
    name: AutoModelForCausalLM.from_pretrained(given["folder"], dtype=dtype).eval()
    for name, dtype in {"double": torch.float64, "single": torch.float32}.items()
}
with torch.no_grad():
    for question in given["questions"]:
        begins = len(tokenizer.encode(question["prompt"]))
        row = {"double": [], "single": []}
        for option in question["options"]:
            whole = tokenizer.encode(question["prompt"] + option)
            for name, model in models.items():
                log_probs = model(torch.tensor([whole])).logits[0].log_softmax(-1)
                row[name].append([log_probs[i - 1, whole[i]].item() for i in range(begins, len(whole))])
        print(json.dumps(row), flush=True)
