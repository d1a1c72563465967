"""Renders chat templates as transformers' apply_chat_template does.

Reads a JSON list from the first path, writes a JSON list to the second:
  question [{template, messages: [{role, content}], variables: {name: value}}]
  answer   [{text} or {error}]
"""

import json
import sys
import warnings

try:
    from transformers.utils.chat_template_utils import render_jinja_template
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

# Python warns about templates such as `1[0]`, which the grammar writes.
warnings.simplefilter("ignore")


def rendered(case):
    try:
        texts, _ = render_jinja_template(
            [case["messages"]], chat_template=case["template"], add_generation_prompt=True, **case["variables"]
        )
        return {"text": texts[0]}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


with open(sys.argv[1]) as source:
    question = json.load(source)
with open(sys.argv[2], "w") as target:
    json.dump([rendered(case) for case in question], target)
