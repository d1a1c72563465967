"""Log-probs and adapter gradients by PEFT, for comparison with the engine.

Reads a JSON list from the first path, writes a JSON list to the second:
  question {base: folder, adapter: folder, resaved: folder to save to, own: folder to save to,
            sequences: [{promptTokens, completionTokens}], dLogProbs: one number per completion token}
  answer   {logProbs, gradients: {name: values}, ownLogProbs}
The adapter is loaded as it lies in its folder, and saved again by PEFT itself. PEFT also makes one of its own, on
every linear layer with both matrices away from zero.
"""

import json
import sys

try:
    import torch
    from peft import LoraConfig, PeftModel, get_peft_model
    from transformers import AutoModelForCausalLM
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

torch.set_num_threads(1)
PREFIX, INFIX = "base_model.model.", ".default.weight"


def load_base(question):
    return AutoModelForCausalLM.from_pretrained(question["base"], dtype=torch.float32)


def log_probs_of(model, question):
    log_probs = []
    for sequence in question["sequences"]:
        prompt, completion = sequence["promptTokens"], sequence["completionTokens"]
        logits = model(torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1]
        log_probs.append(torch.log_softmax(logits, dim=-1).gather(1, torch.tensor(completion)[:, None])[:, 0])
    return torch.cat(log_probs)


def answer(question):
    model = PeftModel.from_pretrained(load_base(question), question["adapter"], is_trainable=True).eval()
    model.save_pretrained(question["resaved"])
    log_probs = log_probs_of(model, question)
    (log_probs * torch.tensor(question["dLogProbs"])).sum().backward()
    settings = LoraConfig(
        r=3, lora_alpha=5, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM"
    )
    own = get_peft_model(load_base(question), settings).eval()
    own.save_pretrained(question["own"])
    return {
        "logProbs": log_probs.tolist(),
        "gradients": {
            name[len(PREFIX) :].replace(INFIX, ".weight"): parameter.grad.flatten().tolist()
            for name, parameter in model.named_parameters()
            if parameter.grad is not None
        },
        "ownLogProbs": log_probs_of(own, question).tolist(),
    }


with open(sys.argv[1]) as source:
    questions = json.load(source)
with open(sys.argv[2], "w") as target:
    json.dump([answer(question) for question in questions], target)
