# lm-evaluation-harness's task MMLU with five examples, on the rows that it is given instead of the hub's.
import json
import os
import tempfile
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
from lm_eval_server import given, model
import lm_eval
import yaml
from lm_eval.api.task import ConfigurableTask
from lm_eval.evaluator import evaluate

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
