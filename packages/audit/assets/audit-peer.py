"""The weights of an audit by PyTorch's autograd and AdamW in float64: one JSON request a line in, one answer a line out."""

import copy
import json
import os
import sys

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM
import transformers

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
# One thread sums in one order, and leaves the machine to others.
torch.set_num_threads(1)
opened = []


def trained(model):
    """What learns, by the names in the folder: of an adapter (peft) its factors, without peft's own prefix and name."""
    own = {name: each for name, each in model.named_parameters() if each.requires_grad}
    return {name.removeprefix("base_model.model.").replace(".default.", "."): each for name, each in own.items()}


def load(folder, base):
    of = folder if base is None else base
    model = AutoModelForCausalLM.from_pretrained(of, dtype=torch.float64, attn_implementation="eager")
    if base is not None:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, folder, is_trainable=True).double().eval()
    parameters = trained(model)
    groups = [[each for each in parameters.values() if (each.dim() >= 2) == matrices] for matrices in (True, False)]
    optimizer = torch.optim.AdamW([{"params": group} for group in groups if group], foreach=False)
    path = os.path.join(folder, "optimizer.safetensors")
    if os.path.exists(path):
        with safe_open(path, "pt") as stored:
            steps = float((stored.metadata() or {}).get("steps", 0))
            for name in stored.keys():
                if name.startswith("first."):
                    own = name[len("first.") :]
                    optimizer.state[parameters[own]] = {
                        "step": torch.tensor(steps),
                        "exp_avg": stored.get_tensor(name).double(),
                        "exp_avg_sq": stored.get_tensor("second." + own).double(),
                    }
    opened.append((model, optimizer))
    return {"id": len(opened) - 1}


def seen(model, sequence):
    prompt, reply = sequence["prompt"], sequence["reply"]
    tokens = torch.tensor([prompt + reply[:-1]])
    logits = model(input_ids=tokens, use_cache=False).logits[0, len(prompt) - 1 :] / sequence["temperature"]
    logs = torch.log_softmax(logits, dim=-1)
    entropies = -(logs.exp() * logs).sum(-1)
    return logs.gather(1, torch.tensor(reply)[:, None])[:, 0], entropies


def answer(ask):
    if ask["do"] == "hello":
        return {"version": torch.__version__}
    if ask["do"] == "open":
        return load(ask["folder"], ask["base"])
    model, optimizer = opened[ask["id"]]
    if ask["do"] == "copy":
        opened.append((copy.deepcopy(model), None))
        return {"id": len(opened) - 1}
    if ask["do"] == "free":
        opened[ask["id"]] = (None, None)
        return {}
    if ask["do"] == "forward":
        with torch.no_grad():
            found = [seen(model, each) for each in ask["sequences"]]
        return {"seen": [{"logProbs": a.tolist(), "entropies": b.tolist()} for a, b in found]}
    if ask["do"] == "backward":
        optimizer.zero_grad()
        for each in trained(model).values():
            each.grad = torch.zeros_like(each)
        told = []
        for sequence, dLogProbs in zip(ask["sequences"], ask["dLogProbs"]):
            logs, entropies = seen(model, sequence)
            (logs * torch.tensor(dLogProbs, dtype=torch.float64)).sum().backward()
            told.append({"logProbs": logs.tolist(), "entropies": entropies.tolist()})
        norm = torch.sqrt(sum((each.grad**2).sum() for each in trained(model).values()))
        return {"seen": told, "norm": norm.item()}
    if ask["do"] == "step":
        if ask["maxGradNorm"] is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), ask["maxGradNorm"])
        for group in optimizer.param_groups:
            matrices = group["params"][0].dim() >= 2
            group.update(lr=ask["learningRate"], betas=(ask["beta1"], ask["beta2"]), eps=ask["epsilon"])
            group["weight_decay"] = ask["weightDecay"] if matrices else 0.0
        optimizer.step()
        return {}
    if ask["do"] == "save":
        save_file({name: each.detach().contiguous() for name, each in trained(model).items()}, ask["path"])
        return {}
    raise ValueError(ask["do"])


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
