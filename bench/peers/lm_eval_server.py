# lm-evaluation-harness itself (pip install lm_eval) on an OpenAI-compatible server, by its client of completions: what standard input
# gives, and the model. Without `evaluate`, which it imports for metrics that are not asked for.
import importlib.util
import json
import logging
import sys
import types

if importlib.util.find_spec("evaluate") is None:
    stand_in = types.ModuleType("evaluate")
    stand_in.load = lambda *_, **__: None
    sys.modules["evaluate"] = stand_in
from lm_eval.models.openai_completions import LocalCompletionsAPI
from transformers import AutoTokenizer

logging.disable(logging.WARNING)
given = json.load(sys.stdin)
tokenizer = AutoTokenizer.from_pretrained(given["folder"])
model = LocalCompletionsAPI(
    base_url=given["baseUrl"] + "/completions",
    model=given["model"],
    tokenizer=given["folder"],
    tokenizer_backend="huggingface",
    max_length=given["contextLength"],
    # As the tokenizer does by itself, and with it the server.
    add_bos_token=tokenizer.encode("a")[0] == tokenizer.bos_token_id,
)
