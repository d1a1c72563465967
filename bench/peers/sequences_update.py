"""One GSPO update of fixed sequences: by TRL's GRPOTrainer (its own loss and optimizer), or by hand with transformers.

Reads the job of bench/src/prefix-tree/job.ts from standard input; the first argument is `trl` or `transformers`. Every
sequence is passed by itself, prompts padded on the left and replies on the right, as TRL batches them.
"""

import json
import resource
import sys
import tempfile

import torch
import transformers
from step_clock import cpu_seconds
from transformers import AutoModelForCausalLM


def padded(rows, left, value=0):
    width = max(len(row) for row in rows)
    ids, mask = [], []
    for row in rows:
        gap = [value] * (width - len(row))
        seen = [1] * len(row)
        ids.append(gap + row if left else row + gap)
        mask.append([0] * len(gap) + seen if left else seen + [0] * len(gap))
    return torch.tensor(ids), torch.tensor(mask)


def by_hand(job, model, inputs):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, weight_decay=0.0, fused=True)
    ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], 1)
    mask = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], 1)
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    completion, own = inputs["completion_ids"], inputs["completion_mask"].float()
    advantages = inputs["advantages"]
    length = completion.shape[1]

    def update():
        model.train()
        output = model(ids, attention_mask=mask, position_ids=positions, logits_to_keep=length + 1)
        logits = output.logits[:, :-1]
        picked = logits.gather(2, completion.unsqueeze(2)).squeeze(2) - logits.logsumexp(2)
        ratio = (((picked - picked.detach()) * own).sum(1) / own.sum(1)).exp()
        loss = -torch.minimum(ratio * advantages, ratio.clamp(1 - 0.03, 1 + 0.04) * advantages).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return update, f"transformers {transformers.__version__}, torch {torch.__version__}"


def by_trl(job, model, inputs):
    import trl
    from datasets import Dataset
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.BPE(vocab={"a": 0, "b": 1}, merges=[])), eos_token="b", pad_token="b"
    )
    count = len(job["sequences"])
    config = GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        report_to=[],
        learning_rate=1e-6,
        lr_scheduler_type="constant",
        weight_decay=0.0,
        per_device_train_batch_size=count,
        num_generations=2,
        max_completion_length=inputs["completion_ids"].shape[1],
        temperature=1.0,
        beta=0.0,
        epsilon=0.03,
        epsilon_high=0.04,
        importance_sampling_level="sequence",
        loss_type="grpo",
        scale_rewards="none",
    )
    trainer = GRPOTrainer(
        model=model,
        args=config,
        train_dataset=Dataset.from_list([{"prompt": "a"}] * count),
        processing_class=tokenizer,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
    )
    trainer.current_gradient_accumulation_steps = 1
    trainer.create_optimizer()
    optimizer = trainer.optimizer

    def update():
        model.train()
        loss = trainer._compute_loss(model, inputs)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    return update, f"trl {trl.__version__}, torch {torch.__version__}"


def main():
    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    model = AutoModelForCausalLM.from_pretrained(job["checkpoint"], dtype=torch.float32, attn_implementation="sdpa")
    prompt_ids, prompt_mask = padded([each["promptTokens"] for each in job["sequences"]], left=True)
    completion_ids, completion_mask = padded([each["completionTokens"] for each in job["sequences"]], left=False)
    inputs = {
        "prompt_ids": prompt_ids,
        "prompt_mask": prompt_mask,
        "completion_ids": completion_ids,
        "completion_mask": completion_mask,
        "advantages": torch.tensor(job["advantages"]),
        "num_items_in_batch": completion_mask.sum(),
    }
    update, side = (by_trl if sys.argv[1] == "trl" else by_hand)(job, model, inputs)
    seconds = []
    for step in range(1 + job["steps"]):
        start = cpu_seconds()
        update()
        if step > 0:
            seconds.append(cpu_seconds() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"side": side, "seconds": min(seconds), "rows": None, "peakMiB": peak}))


main()
