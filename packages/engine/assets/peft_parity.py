"""Log-probs and adapter gradients by PEFT, for comparison with the engine.

Reads a JSON object from the first path, writes a JSON object to the second:
  question {base: folder, adapter: folder, resaved: folder to save to, sequences: [{promptTokens, completionTokens}],
            dLogProbs: one number per completion token}
  answer   {logProbs, gradients: {name: values}}
The adapter is loaded as it lies in its folder, and saved again by PEFT itself.
"""

import json
import sys

try:
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

torch.set_num_threads(1)
with open(sys.argv[1]) as source:
    question = json.load(source)

base = AutoModelForCausalLM.from_pretrained(question["base"], dtype=torch.float32)
model = PeftModel.from_pretrained(base, question["adapter"], is_trainable=True).eval()
model.save_pretrained(question["resaved"])

log_probs = []
for sequence in question["sequences"]:
    prompt, completion = sequence["promptTokens"], sequence["completionTokens"]
    logits = model(torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1]
    log_probs.append(torch.log_softmax(logits, dim=-1).gather(1, torch.tensor(completion)[:, None])[:, 0])
log_probs = torch.cat(log_probs)
(log_probs * torch.tensor(question["dLogProbs"])).sum().backward()

prefix, infix = "base_model.model.", ".default.weight"
with open(sys.argv[2], "w") as target:
    json.dump(
        {
            "logProbs": log_probs.tolist(),
            "gradients": {
                name[len(prefix) :].replace(infix, ".weight"): parameter.grad.flatten().tolist()
                for name, parameter in model.named_parameters()
                if parameter.grad is not None
            },
        },
        target,
    )
