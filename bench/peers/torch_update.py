"""CPU seconds of a plain PyTorch update: forward, log-probs of the completions, backward, clipping, fused AdamW.

Reads a job from standard input: {"config", "threads", "sequences", "promptTokens", "completionTokens", "steps"}.
Prints one JSON object: the least CPU and wall seconds of a step, after one that warms up.
"""

import json
import os
import resource
import sys
import time

job = json.load(sys.stdin)
os.environ["OMP_NUM_THREADS"] = str(job["threads"])

import torch  # noqa: E402
import transformers  # noqa: E402
from transformers import Qwen2Config, Qwen2ForCausalLM  # noqa: E402

torch.set_num_threads(job["threads"])
torch.manual_seed(0)
config = {key: value for key, value in job["config"].items() if key not in ("architectures", "model_type")}
model = Qwen2ForCausalLM(Qwen2Config(**config))
prompt, length = job["promptTokens"], job["promptTokens"] + job["completionTokens"]
ids = torch.randint(2, config["vocab_size"], (job["sequences"], length))
advantages = torch.randn(job["sequences"], 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-9, betas=(0.9, 0.95), weight_decay=0.0, fused=True)


def step():
    # Logits of the rows that predict a completion token, as our head computes them.
    hidden = model.model(ids[:, :-1]).last_hidden_state[:, prompt - 1 :]
    log_probs = torch.log_softmax(model.lm_head(hidden), dim=-1)
    chosen = log_probs.gather(-1, ids[:, prompt:].unsqueeze(-1)).squeeze(-1)
    ratio = (chosen - chosen.detach()).mean(dim=1, keepdim=True).exp()
    (-(ratio * advantages).mean()).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


best = [float("inf"), float("inf")]
for count in range(job["steps"] + 1):
    start = cpu(), time.perf_counter()
    step()
    spent = cpu() - start[0], time.perf_counter() - start[1]
    if count >= 1:
        best = [min(best[0], spent[0]), min(best[1], spent[1])]
peer = f"torch {torch.__version__}, transformers {transformers.__version__}"
print(json.dumps({"peer": peer, "cpuSeconds": best[0], "wallSeconds": best[1]}))
