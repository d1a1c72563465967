"""A step of TRL's GRPOTrainer (GSPO loss) on the same checkpoint, prompts and sizes as our own run.

Reads a job from standard input, as in bench/src/step/job.ts. Prints one JSON object.
"""

import json
import sys
import tempfile
import time

import torch
import transformers
import trl
from datasets import Dataset
from step_clock import StepClock, cpu_seconds
from tokenizers import Tokenizer, models
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import GRPOTrainer
from trl_config import grpo_config

LETTERS = 6000


def letter(token: int) -> str:
    """One private-use character per token id, so that text and ids map one to one."""
    return chr(0xE000 + token)


def character_tokenizer(vocabulary: int) -> PreTrainedTokenizerFast:
    ids = {letter(i): i for i in range(min(vocabulary, LETTERS))}
    # The model lacks this end token, so no reply ends early.
    end = letter(LETTERS)
    ids[end] = vocabulary
    # Padding is masked out; it may share the end token's id.
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.BPE(vocab=ids, merges=[])), eos_token=end, pad_token=end, padding_side="left"
    )


def main() -> None:
    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(job["checkpoint"], dtype=getattr(torch, job.get("dtype", "float32")))
    tokenizer = character_tokenizer(job["vocabulary"])
    prompts = ["".join(letter(t) for t in prompt) for prompt in job["prompts"]]
    batch = len(prompts) * job["generations"]
    rounds = job["warmUp"] + job["steps"]
    clock = StepClock()
    tokens = 0

    def reward(completions, completion_ids, **_):
        nonlocal tokens
        if clock.running:
            tokens += sum(len(ids) for ids in completion_ids)
        return [float(sum(token % 2 == 0 for token in ids)) for ids in completion_ids]

    class TimedTrainer(GRPOTrainer):
        def _generate_and_score_completions(self, inputs):
            with clock.timed("rollout"):
                return super()._generate_and_score_completions(inputs)

    class Whole(TrainerCallback):
        """The rest of a step after its rollout is the update."""

        def on_step_begin(self, args, state, control, **_):
            clock.running = state.global_step >= job["warmUp"]
            self.start = time.perf_counter(), cpu_seconds(), clock.wall["rollout"], clock.cpu["rollout"]

        def on_step_end(self, args, state, control, **_):
            wall, cpu, rollout_wall, rollout_cpu = self.start
            clock.add(
                "update",
                time.perf_counter() - wall - (clock.wall["rollout"] - rollout_wall),
                cpu_seconds() - cpu - (clock.cpu["rollout"] - rollout_cpu),
            )

    with tempfile.TemporaryDirectory() as folder:
        config = grpo_config(
            output_dir=folder,
            use_cpu=job.get("device", "cpu") == "cpu",
            bf16=job.get("dtype") == "bfloat16",
            learning_rate=job["learningRate"],
            max_steps=rounds,
            per_device_train_batch_size=batch,
            steps_per_generation=1,
            num_generations=job["generations"],
            max_completion_length=job["maxTokens"],
            top_k=0,
            shuffle_dataset=False,
        )
        trainer = TimedTrainer(
            model=model,
            args=config,
            train_dataset=Dataset.from_list([{"prompt": prompt} for prompt in prompts] * rounds),
            processing_class=tokenizer,
            reward_funcs=reward,
            callbacks=[Whole()],
        )
        trainer.train()

    side = f"trl {trl.__version__}, transformers {transformers.__version__}, torch {torch.__version__}"
    print(json.dumps(clock.result(side, tokens, job["steps"])))


main()
