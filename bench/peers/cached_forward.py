"""What bench/src/decode-memory.ts compares with: transformers on PyTorch, one job from standard input, one JSON object out.

{"kind": "prompt", "checkpoint", "threads", "tokens": [...]}: CPU seconds and added resident memory of one forward pass
over the prompt into a cache. {"kind": "bfloat16", "checkpoint", "threads", "sequences": [[prompt, completion], ...]}: mean
difference of the log-probs of the completions between token by token with a cache and one pass over all.
"""

import json
import resource
import sys

import torch
import transformers
from transformers import AutoModelForCausalLM

job = json.load(sys.stdin)
torch.set_num_threads(job["threads"])
dtype = torch.bfloat16 if job["kind"] == "bfloat16" else torch.float32
model = AutoModelForCausalLM.from_pretrained(job["checkpoint"], dtype=dtype, attn_implementation="sdpa").eval()
facts = {"peer": f"torch {torch.__version__}, transformers {transformers.__version__}"}


def memory(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return int(line.split()[1]) * 1024


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def prompt(tokens):
    return model(torch.tensor([tokens]), use_cache=True, logits_to_keep=1)


def log_probs(logits, tokens):
    return torch.log_softmax(logits.float(), -1).gather(-1, torch.tensor(tokens)[:, None])[:, 0]


with torch.no_grad():
    if job["kind"] == "prompt":
        prompt(job["tokens"][:512])
        open("/proc/self/clear_refs", "w").write("5")
        before, start = memory("VmRSS"), cpu_seconds()
        prompt(job["tokens"])
        print(json.dumps({**facts, "cpuSeconds": cpu_seconds() - start, "addedBytes": memory("VmHWM") - before}))
    else:
        differences = []
        for tokens, completion in job["sequences"]:
            full = model(torch.tensor([tokens + completion[:-1]])).logits[0, len(tokens) - 1 :]
            out = model(torch.tensor([tokens]), use_cache=True)
            steps = [out.logits[0, -1]]
            for token in completion[:-1]:
                out = model(torch.tensor([[token]]), past_key_values=out.past_key_values, use_cache=True)
                steps.append(out.logits[0, -1])
            differences += (log_probs(full, completion) - log_probs(torch.stack(steps), completion)).abs().tolist()
        print(json.dumps({**facts, "meanDifference": sum(differences) / len(differences)}))
