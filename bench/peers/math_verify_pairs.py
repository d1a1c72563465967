# Judges pairs by Math-Verify, as its documentation uses it: a list of pairs in JSON in, a line of JSON a pair out.
import json
import sys
import time
from importlib.metadata import version

from math_verify import parse, verify

pairs = json.load(sys.stdin)
start = time.perf_counter()
for pair in pairs:
    try:
        gold = pair["gold"] or ""
        said = bool(verify(parse(gold if "$" in gold or "#### " in gold else f"${gold}$"), parse(pair["prediction"] or "")))
    except Exception:
        said = False
    print(json.dumps({"id": pair["id"], "verdict": said}), flush=True)
print(json.dumps({"version": version("math-verify"), "seconds": time.perf_counter() - start}))
