"""Runs the worker extension in a stand-in for vLLM's worker: `vllm_extension.py EXTENSION_FOLDER FOLDER...`.

The model has vLLM's stacked parameters and its `load_weights`, which takes the checkpoint's names.
"""

import contextlib
import json
import sys
import types

import torch
from safetensors import safe_open

extension, *folders = sys.argv[1:]
sys.path.insert(0, extension)
calls = []


def module(name: str, **members: object) -> None:
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


for name in ("vllm", "vllm.model_executor", "vllm.model_executor.model_loader"):
    module(name)
module("vllm.config", set_current_vllm_config=lambda config: contextlib.nullcontext(calls.append(config)))
module(
    "vllm.model_executor.model_loader.reload",
    initialize_layerwise_reload=lambda model: calls.append("initialize"),
    finalize_layerwise_reload=lambda model, config: calls.append("finalize"),
)
from laconic_vllm import FullWeights  # noqa: E402

# The first folder is the published one.
with safe_open(f"{folders[0]}/model.safetensors", framework="pt") as file:
    checkpoint = {name: file.get_tensor(name) for name in file.keys()}
shards = ("q_proj", "k_proj", "v_proj")


def place_of(name: str) -> tuple[str, int]:
    """Parameter of vLLM, and the position among its shards."""
    for index, shard in enumerate(shards):
        if f".{shard}." in name:
            return name.replace(shard, "qkv_proj"), index
    return name, 0


expected: dict[str, list[torch.Tensor]] = {}
for name in sorted(checkpoint, key=place_of):
    expected.setdefault(place_of(name)[0], []).append(checkpoint[name].bfloat16())


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.parts = {name: [torch.zeros_like(part) for part in parts] for name, parts in expected.items()}

    def named_parameters(self):
        return self.parts.items()

    def load_weights(self, weights):
        loaded = set()
        for name, tensor in weights:
            target, index = place_of(name)
            assert self.parts[target][index].shape == tensor.shape, f"{name} has another shape"
            self.parts[target][index].copy_(tensor)
            loaded.add(target)
        return loaded


class Worker:
    def __init__(self) -> None:
        self.device, self.vllm_config, model = "cpu", "config", Model()
        self.model_runner = types.SimpleNamespace(get_model=lambda: model, model_config="model")


# As vLLM adds an extension to its worker.
assert not [name for name in dir(FullWeights) if not name.startswith("__") and hasattr(Worker, name)]
for folder in folders:
    calls.clear()
    worker = type("Extended", (Worker, FullWeights), {})()
    answers = [worker.laconic_init(), worker.laconic_update(folder)]
    if answers[-1]["error"] is None:
        answers.append(worker.laconic_finish("named"))
    parts = worker.model_runner.get_model().parts
    equal = all(torch.equal(part, other) for name in expected for part, other in zip(parts[name], expected[name]))
    print(json.dumps({"answer": answers[-1], "calls": calls, "equal": equal}))
