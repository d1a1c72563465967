"""The rollout of a step on vLLM, where it is installed; it has no update.

Reads the job of step.ts (bench/src/step/job.ts) from standard input and prints its result.
"""

import json
import sys

from step_clock import StepClock

try:
    import vllm
    from vllm import LLM, SamplingParams
except ImportError as error:
    print(json.dumps({"skipped": f"{error.name} is not installed"}))
    sys.exit(0)


def main() -> None:
    job = json.load(sys.stdin)
    model = LLM(job["checkpoint"], skip_tokenizer_init=True, dtype="float32", enforce_eager=False, max_model_len=256)
    settings = SamplingParams(
        n=job["generations"], temperature=1.0, max_tokens=job["maxTokens"], ignore_eos=True, detokenize=False
    )
    prompts = [{"prompt_token_ids": prompt} for prompt in job["prompts"]]
    clock = StepClock()
    tokens = 0
    for step in range(job["warmUp"] + job["steps"]):
        clock.running = step >= job["warmUp"]
        with clock.timed("rollout"):
            replies = model.generate(prompts, settings, use_tqdm=False)
        if clock.running:
            tokens += sum(len(output.token_ids) for reply in replies for output in reply.outputs)
    print(json.dumps(clock.result(f"vllm {vllm.__version__}", tokens, job["steps"])))


main()
