"""Says how transformers encodes a text with tokenizer folders.

Reads a JSON object from the first path, writes a JSON list to the second:
  question {text, folders: [{tokenizer: tokenizer.json, config: tokenizer_config.json}]}
  answer   [{full: [id], plain: [id]} or {error: text}], the ids with and without special tokens
"""

import json
import os
import sys
import tempfile

try:
    from transformers import AutoTokenizer
    from transformers.utils import logging
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

logging.set_verbosity_error()


def ids_of(folder, text):
    with tempfile.TemporaryDirectory() as path:
        for name, content in (("tokenizer.json", folder["tokenizer"]), ("tokenizer_config.json", folder["config"])):
            with open(os.path.join(path, name), "w") as target:
                json.dump(content, target)
        try:
            tokenizer = AutoTokenizer.from_pretrained(path)
            return {"full": tokenizer(text).input_ids, "plain": tokenizer(text, add_special_tokens=False).input_ids}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}


with open(sys.argv[1]) as source:
    question = json.load(source)
answers = [ids_of(folder, question["text"]) for folder in question["folders"]]
with open(sys.argv[2], "w") as target:
    json.dump(answers, target)
