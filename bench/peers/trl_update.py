"""One GSPO update of fixed sequences by TRL's GRPOTrainer, with its own loss and optimizer.

Reads the job of bench/src/prefix-tree/job.ts from standard input. Every sequence is passed by itself, prompts padded on
the left and replies on the right, as TRL batches them.
"""

import json
import resource
import sys
import tempfile

import torch
import trl
from datasets import Dataset
from step_clock import cpu_seconds
from tokenizers import Tokenizer, models
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import GRPOTrainer
from trl_config import grpo_config


def padded(rows, left):
    width = max(len(row) for row in rows)
    ids, mask = [], []
    for row in rows:
        gap, seen = [0] * (width - len(row)), [1] * len(row)
        ids.append(gap + row if left else row + gap)
        mask.append(gap + seen if left else seen + gap)
    return torch.tensor(ids), torch.tensor(mask)


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
    count = len(job["sequences"])
    trainer = GRPOTrainer(
        model=model,
        args=grpo_config(
            output_dir=tempfile.mkdtemp(),
            use_cpu=True,
            bf16=False,
            learning_rate=1e-6,
            per_device_train_batch_size=count,
            num_generations=2,
            max_completion_length=completion_ids.shape[1],
        ),
        train_dataset=Dataset.from_list([{"prompt": "a"}] * count),
        processing_class=PreTrainedTokenizerFast(
            tokenizer_object=Tokenizer(models.BPE(vocab={"a": 0, "b": 1}, merges=[])), eos_token="b", pad_token="b"
        ),
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
    )
    trainer.current_gradient_accumulation_steps = 1
    trainer.create_optimizer()
    seconds = []
    for step in range(1 + job["steps"]):
        start = cpu_seconds()
        model.train()
        trainer._compute_loss(model, inputs).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        trainer.optimizer.step()
        trainer.optimizer.zero_grad()
        if step > 0:
            seconds.append(cpu_seconds() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    side = f"trl {trl.__version__}, torch {torch.__version__}"
    print(json.dumps({"side": side, "seconds": min(seconds), "rows": None, "peakMiB": peak}))


main()
