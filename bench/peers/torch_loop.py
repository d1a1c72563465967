"""A plain PyTorch loop at the sizes of gpu-check: update (forward, log-probs, backward, fused AdamW) and model.generate.

Reads a job from standard input: {"config", "device", "dtype", "update": {"sequences", "tokens"},
"decode": {"rows": [n], "prompt", "tokens"}, "checkpoint", "tokens"}. Writes the model, with the log-probs and the gradient
norm of the given tokens in float32 and in the working precision, into the folder "checkpoint". Prints one JSON object a line.
"""

import json
import os
import sys
import time

import torch

job = json.load(sys.stdin)
device, dtype = torch.device(job["device"]), getattr(torch, job["dtype"])
torch.manual_seed(0)


def sync():
    if device.type == "cuda":
        torch.cuda.synchronize()


def peak():
    return {"peakMiB": torch.cuda.max_memory_allocated() // 2**20} if device.type == "cuda" else {}


try:
    import transformers
    from transformers import Qwen2Config, Qwen2ForCausalLM
except ImportError as error:
    print(json.dumps({"skipped": f"{error.name} is not installed", "torch": torch.__version__}))
    sys.exit(0)

config = {key: value for key, value in job["config"].items() if key not in ("architectures", "model_type")}
Qwen2ForCausalLM(Qwen2Config(**config)).to(dtype).save_pretrained(job["checkpoint"])
# Loaded again per precision: a converted model keeps rotary frequencies rounded in the other precision.
opened = lambda precision: Qwen2ForCausalLM.from_pretrained(job["checkpoint"], dtype=precision).to(device)
given = torch.tensor(job["tokens"], device=device)


def answers(precision):
    """Log-probs of all tokens but the first, and the gradient norm of their mean."""
    model = opened(precision)
    logits = model(given[:, :-1]).logits.float()
    log_probs = torch.log_softmax(logits, -1).gather(-1, given[:, 1:, None])[..., 0]
    (-log_probs.mean()).backward()
    squares = sum(p.grad.double().pow(2).sum() for p in model.parameters())
    return {"logProbs": log_probs.flatten().tolist(), "gradNorm": squares.sqrt().item()}


with open(os.path.join(job["checkpoint"], "answers.json"), "w") as file:
    json.dump({"float32": answers(torch.float32), "working": answers(dtype)}, file)
model = opened(dtype)
facts = {"peer": f"torch {torch.__version__}, transformers {transformers.__version__}"}
sequences, tokens = job["update"]["sequences"], job["update"]["tokens"]
ids = torch.randint(0, config["vocab_size"], (sequences, tokens), device=device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)


def step():
    logits = model(ids[:, :-1]).logits.float()
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


step()
sync()
start = time.perf_counter()
for _ in range(5):
    step()
sync()
seconds = (time.perf_counter() - start) / 5
print(json.dumps({**facts, "update": True, "seconds": seconds, "tokensPerSecond": sequences * tokens / seconds, **peak()}), flush=True)

model.eval()
new = job["decode"]["tokens"]
for rows in job["decode"]["rows"]:
    prompt = torch.randint(0, config["vocab_size"], (rows, job["decode"]["prompt"]), device=device)
    generate = lambda count: model.generate(
        prompt, attention_mask=torch.ones_like(prompt), do_sample=True, top_k=0, max_new_tokens=count, min_new_tokens=count, pad_token_id=0
    )
    with torch.no_grad():
        generate(4)
        sync()
        start = time.perf_counter()
        generate(new)
        sync()
    seconds = time.perf_counter() - start
    print(json.dumps({**facts, "decode": rows, "seconds": seconds, "tokensPerSecond": rows * new / seconds, **peak()}), flush=True)
