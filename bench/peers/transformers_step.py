"""A step as one would write it by hand with PyTorch and transformers: `generate`, a GSPO loss by autograd, fused AdamW.

Reads the job of step.ts (bench/src/step/job.ts) from standard input and prints its result.
"""

import json
import sys

import torch
import transformers
from step_clock import StepClock
from transformers import AutoModelForCausalLM


def main() -> None:
    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(job["checkpoint"], dtype=torch.float32, attn_implementation="sdpa")
    model.generation_config.eos_token_id = None
    optimizer = torch.optim.AdamW(model.parameters(), lr=job["learningRate"], weight_decay=0.0, fused=True)
    length, groups = job["maxTokens"], job["generations"]
    prompts = torch.tensor(job["prompts"]).repeat_interleave(groups, dim=0)
    clock = StepClock()
    tokens = 0
    for step in range(job["warmUp"] + job["steps"]):
        clock.running = step >= job["warmUp"]
        with clock.timed("rollout"):
            model.eval()
            ids = model.generate(
                prompts,
                attention_mask=torch.ones_like(prompts),
                do_sample=True,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                max_new_tokens=length,
                pad_token_id=0,
            )
        if clock.running:
            tokens += ids[:, prompts.shape[1] :].numel()
        with clock.timed("update"):
            model.train()
            completion = ids[:, -length:]
            rewards = (completion % 2 == 0).sum(1).float().view(-1, groups)
            advantages = (rewards - rewards.mean(1, keepdim=True)).view(-1)
            logits = model(ids, logits_to_keep=length + 1).logits[:, :-1]
            picked = logits.gather(2, completion.unsqueeze(2)).squeeze(2) - logits.logsumexp(2)
            ratio = (picked - picked.detach()).mean(1).exp()
            loss = -torch.minimum(ratio * advantages, ratio.clamp(1 - 0.03, 1 + 0.04) * advantages).mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    side = f"transformers {transformers.__version__}, torch {torch.__version__}"
    print(json.dumps(clock.result(side, tokens, job["steps"])))


main()
