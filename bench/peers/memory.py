"""The work of memory-child.ts in PyTorch: transformers' eager model with sdpa attention, optional layer recomputation,
log-probs by log_softmax and gather, fused AdamW. Prints the peak of added bytes, and CPU seconds."""

import json
import resource
import sys

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

torch.set_num_threads(1)
case = json.loads(sys.argv[1])
settings = case["settings"]


def status(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measured(body):
    before = status("VmRSS")
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    start = cpu_seconds()
    body()
    return {"peakBytes": status("VmHWM") - before, "cpuSeconds": cpu_seconds() - start}


def log_probs(logits, targets):
    return torch.log_softmax(logits, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)


def update(config, prompt, completion, micro_batch):
    model = Qwen2ForCausalLM._from_config(Qwen2Config(**config), attn_implementation="sdpa")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    model.train()
    if settings["recompute"] == "layer":
        model.gradient_checkpointing_enable({"use_reentrant": False})
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0, fused=True)
    tokens = torch.zeros(micro_batch, prompt + completion, dtype=torch.long)
    for _ in range(2):
        logits = model(tokens[:, :-1], use_cache=False, logits_to_keep=completion).logits
        log_probs(logits, tokens[:, prompt:]).sum().backward()
        del logits
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def head(config):
    rows = settings["microBatch"] * settings["completionTokens"]
    hidden = torch.zeros(rows, config["hidden_size"], requires_grad=True)
    weight = torch.zeros(config["vocab_size"], config["hidden_size"], requires_grad=True)
    weight.grad = torch.zeros_like(weight)
    targets = torch.zeros(rows, dtype=torch.long)
    kept = []

    def forward():
        logits = hidden @ weight.T
        kept.append(log_probs(logits, targets).sum())

    first, second = measured(forward), measured(lambda: kept[0].backward())
    return {"forward": first, "backward": second}


config = {key: value for key, value in case["config"].items() if key not in ("architectures", "model_type")}
update({**config, "vocab_size": 64, "max_position_embeddings": 64, "num_hidden_layers": 1}, 8, 8, 2)
if case["work"] == "head":
    result = head(config)
else:
    sizes = (settings["promptTokens"], settings["completionTokens"], settings["microBatch"])
    result = measured(lambda: update(config, *sizes))
print(json.dumps(result))
