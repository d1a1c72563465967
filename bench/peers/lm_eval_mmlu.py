# lm-evaluation-harness itself (pip install lm_eval) on an OpenAI-compatible server: its task MMLU with five examples, on the rows that it
# is given instead of the hub's. Without `evaluate`, which it imports for metrics that are not asked for.
import importlib.util
import json
import logging
import os
import sys
import tempfile
import types
from pathlib import Path

if importlib.util.find_spec("evaluate") is None:
    stand_in = types.ModuleType("evaluate")
    stand_in.load = lambda *_, **__: None
    sys.modules["evaluate"] = stand_in
os.environ["HF_HUB_OFFLINE"] = "1"
import lm_eval
import yaml
from lm_eval.api.task import ConfigurableTask
from lm_eval.evaluator import evaluate
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
    add_bos_token=tokenizer.encode("a")[0] == tokenizer.bos_token_id,
)
tasks = Path(lm_eval.__file__).parent / "tasks" / "mmlu" / "default"
for subject in given["subjects"]:
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for part in ("dev", "test"):
            files[part] = f"{folder}/{part}.jsonl"
            Path(files[part]).write_text("\n".join(map(json.dumps, subject[part])))
        config = {
            **yaml.safe_load((tasks / "_default_template_yaml").read_text()),
            **yaml.safe_load((tasks / f"mmlu_{subject['subject']}.yaml").read_text()),
            "dataset_path": "json",
            "dataset_name": None,
            "dataset_kwargs": {"data_files": files, "cache_dir": f"{folder}/cache"},
            "num_fewshot": 5,
        }
        config.pop("include")
        task = ConfigurableTask(config=config)
        found = evaluate(lm=model, task_dict={config["task"]: task}, log_samples=True, bootstrap_iters=0)
    for sample in sorted(found["samples"][config["task"]], key=lambda each: each["doc_id"]):
        prompts = [arguments[0] for arguments in sample["arguments"]]
        sums = [answer[0][0] if isinstance(answer[0], (list, tuple)) else answer[0] for answer in sample["resps"]]
        print(json.dumps({"version": lm_eval.__version__, "prompt": prompts[0], "sums": sums}), flush=True)
