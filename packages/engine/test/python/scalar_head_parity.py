"""Opens folders that the engine saved with AutoModelForSequenceClassification, and says what each state is worth.

Reads a JSON object from the first path, writes a JSON list to the second:
  question {folders: [folder], states: [[id]]}
  answer   [{labels: n, unused: [name], missing: [name], values: [number]}], one a folder
"""

import json
import sys

try:
    import torch
    from transformers import AutoModelForSequenceClassification
except ImportError as error:
    print(f"missing Python module: {error.name}", file=sys.stderr)
    sys.exit(3)

torch.set_num_threads(1)
with open(sys.argv[1]) as source:
    question = json.load(source)
answers = []
for folder in question["folders"]:
    model, info = AutoModelForSequenceClassification.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True
    )
    with torch.no_grad():
        values = [model.eval()(torch.tensor([state])).logits[0].tolist() for state in question["states"]]
    answers.append(
        {
            "labels": model.config.num_labels,
            "unused": sorted(info["unexpected_keys"]),
            "missing": sorted(info["missing_keys"]),
            "values": sum(values, []),
        }
    )
with open(sys.argv[2], "w") as target:
    json.dump(answers, target)
