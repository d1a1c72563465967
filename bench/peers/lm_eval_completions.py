# The log-likelihood of each option behind its prompt, by lm-evaluation-harness.
import json

from lm_eval_server import given, model
from lm_eval import __version__
from lm_eval.api.instance import Instance

pairs = [(question["prompt"], option) for question in given["questions"] for option in question["options"]]
requests = [Instance("loglikelihood", {}, pair, i) for i, pair in enumerate(pairs)]
sums = iter(sum_ for sum_, _ in model.loglikelihood(requests, disable_tqdm=True))
for question in given["questions"]:
    print(json.dumps({"version": __version__, "sums": [next(sums) for _ in question["options"]]}), flush=True)
