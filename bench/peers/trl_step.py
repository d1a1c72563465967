"""Times TRL's GRPOTrainer (GSPO loss) on the same checkpoint, prompts and sizes as our own run.

Reads a job from standard input:
  {"checkpoint": folder with config.json and model.safetensors, "vocabulary": V, "endToken": id,
   "prompts": [[token ids]], "generations": G, "maxTokens": T, "minibatches": m, "steps": n, "threads": k}
Prints one JSON object: tokens per second of rollout and of update, and seconds per step.
"""

import json
import sys
import tempfile
import time

import torch
import transformers
import trl
from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer


def letter(token: int) -> str:
    """One private-use character per token id, so that text and ids map one to one."""
    return chr(0xE000 + token)


def character_tokenizer(vocabulary: int, end_token: int) -> PreTrainedTokenizerFast:
    ids = {letter(i): i for i in range(vocabulary)}
    # Padding is masked out; it may share the end token's id.
    end = letter(end_token)
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.BPE(vocab=ids, merges=[])), eos_token=end, pad_token=end, padding_side="left"
    )


def main() -> None:
    job = json.load(sys.stdin)
    torch.set_num_threads(job["threads"])
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_pretrained(job["checkpoint"], dtype=torch.float32)
    tokenizer = character_tokenizer(job["vocabulary"], job["endToken"])
    prompts = ["".join(letter(t) for t in prompt) for prompt in job["prompts"]]
    batch = len(prompts) * job["generations"]
    seconds = {"rollout": 0.0}
    tokens = {"rollout": 0}

    def reward(completions, completion_ids, **_):
        tokens["rollout"] += sum(len(ids) for ids in completion_ids)
        return [-float(len(ids)) for ids in completion_ids]

    class TimedTrainer(GRPOTrainer):
        def _generate_and_score_completions(self, inputs):
            start = time.perf_counter()
            output = super()._generate_and_score_completions(inputs)
            seconds["rollout"] += time.perf_counter() - start
            return output

    with tempfile.TemporaryDirectory() as folder:
        config = GRPOConfig(
            output_dir=folder,
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
            report_to=[],
            save_strategy="no",
            logging_strategy="no",
            disable_tqdm=True,
            learning_rate=2e-4,
            max_steps=job["steps"] * job["minibatches"],
            per_device_train_batch_size=batch // job["minibatches"],
            steps_per_generation=job["minibatches"],
            num_generations=job["generations"],
            max_completion_length=job["maxTokens"],
            temperature=1.0,
            top_k=0,
            beta=0.0,
            epsilon=0.03,
            epsilon_high=0.04,
            importance_sampling_level="sequence",
            loss_type="grpo",
            scale_rewards="none",
            shuffle_dataset=False,
        )
        trainer = TimedTrainer(
            model=model,
            args=config,
            train_dataset=Dataset.from_list([{"prompt": prompt} for prompt in prompts] * job["steps"]),
            processing_class=tokenizer,
            reward_funcs=reward,
        )
        start = time.perf_counter()
        trainer.train()
        total = time.perf_counter() - start

    update = total - seconds["rollout"]
    print(
        json.dumps(
            {
                "peer": f"trl {trl.__version__}, transformers {transformers.__version__}, torch {torch.__version__}",
                "sequencesPerStep": batch,
                "completionTokens": tokens["rollout"],
                "rolloutTokensPerSecond": tokens["rollout"] / seconds["rollout"],
                "updateTokensPerSecond": tokens["rollout"] / update,
                "rolloutSeconds": seconds["rollout"] / job["steps"],
                "updateSeconds": update / job["steps"],
                "secondsPerStep": total / job["steps"],
            }
        )
    )


main()
