"""Supervised steps by plain PyTorch and transformers on the batches of bench/src/pretrain.ts, read from standard input."""

import json
import sys

import torch
from step_clock import cpu_seconds
from transformers import AutoModelForCausalLM


def padded(batch):
    width = max(len(row["tokens"]) for row in batch)
    ids = torch.zeros(len(batch), width, dtype=torch.long)
    weights = torch.zeros(len(batch), width)
    for i, row in enumerate(batch):
        ids[i, : len(row["tokens"])] = torch.tensor(row["tokens"])
        weights[i, 1 : len(row["tokens"])] = torch.tensor(row["weights"])
    return ids, weights[:, 1:]


def main():
    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    model = AutoModelForCausalLM.from_pretrained(job["checkpoint"], dtype=torch.float32, attn_implementation="sdpa")
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.0, fused=True)
    seconds, losses = [], []
    for batch in job["batches"]:
        start = cpu_seconds()
        ids, weights = padded(batch)
        logits = model(ids).logits[:, :-1]
        losses_BT = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
        loss = (losses_BT * weights.flatten()).sum() / weights.sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seconds.append(cpu_seconds() - start)
        losses.append(loss.item())
    print(json.dumps({"seconds": seconds, "losses": losses, "torch": torch.__version__}))


main()
