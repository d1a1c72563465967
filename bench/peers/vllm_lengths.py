"""Replies of fixed lengths to prompts on vLLM, if installed: {checkpoint, dtype, prompts, lengths} as JSON."""

import json
import sys
import time

try:
    import vllm
    from vllm import LLM, SamplingParams
except ImportError as error:
    print(json.dumps({"skipped": f"{error.name} is not installed"}))
    sys.exit(0)


def main() -> None:
    job = json.load(sys.stdin)
    model = LLM(job["checkpoint"], skip_tokenizer_init=True, dtype=job["dtype"], max_model_len=4096)
    settings = [
        SamplingParams(temperature=0.6, max_tokens=length, ignore_eos=True, detokenize=False)
        for length in job["lengths"]
    ]
    prompts = [{"prompt_token_ids": prompt} for prompt in job["prompts"]]
    model.generate(prompts[:1], settings[:1], use_tqdm=False)
    start = time.perf_counter()
    replies = model.generate(prompts, settings, use_tqdm=False)
    seconds = time.perf_counter() - start
    tokens = sum(len(reply.outputs[0].token_ids) for reply in replies)
    print(json.dumps({"vllm": vllm.__version__, "tokens": tokens, "seconds": seconds, "tokensPerSecond": tokens / seconds}))


main()
