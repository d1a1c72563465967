# Judges pairs by Math-Verify, as its documentation uses it: a line of JSON in, a line of JSON out.
import json
import sys
import time

try:
    from importlib.metadata import version
    from math_verify import parse, verify
except ImportError as error:
    print(json.dumps({"missing": str(error)}))
    sys.exit(0)

print(json.dumps({"version": version("math-verify")}), flush=True)
start = time.perf_counter()
for line in sys.stdin:
    pair = json.loads(line)
    try:
        gold = pair["gold"] or ""
        said = bool(verify(parse(gold if "$" in gold or "#### " in gold else f"${gold}$"), parse(pair["prediction"] or "")))
    except Exception:
        said = False
    print(json.dumps({"id": pair["id"], "verdict": said}), flush=True)
print(json.dumps({"seconds": time.perf_counter() - start}), flush=True)
