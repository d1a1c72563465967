"""vLLM worker extension that loads all weights from a folder: `vllm serve --worker-extension-cls laconic_vllm.FullWeights`.

Its methods answer `POST /collective_rpc` of a server with VLLM_SERVER_DEV_MODE=1. An error is part of the answer, because
vLLM reports an exception as status 500 without its text.
"""

from pathlib import Path
from typing import Iterator


class FullWeights:
    """Added to vLLM's worker, which has `model_runner`, `vllm_config` and `device`."""

    laconic_version = None

    def laconic_init(self) -> dict:
        """Returns the version of the worker's weights: None for those of its start, and after a failed load."""
        return {"version": self.laconic_version, "error": None}

    def laconic_update(self, folder: str) -> dict:
        """Replaces the weights by those of a checkpoint folder, in the checkpoint's names."""
        self.laconic_version = None
        try:
            load_folder(self, folder)
        except Exception as error:  # whatever vLLM's loaders raise
            return {"version": None, "error": f"{type(error).__name__}: {error}"}
        return self.laconic_init()

    def laconic_finish(self, version: str) -> dict:
        """Names the loaded weights."""
        self.laconic_version = version
        return self.laconic_init()


def load_folder(worker, folder: str) -> None:
    import torch
    from vllm.config import set_current_vllm_config

    model = worker.model_runner.get_model()
    missing = {name for name, _ in model.named_parameters()}
    try:
        # Restores what vLLM repacked after its first load; older releases do not repack.
        from vllm.model_executor.model_loader.reload import finalize_layerwise_reload, initialize_layerwise_reload
    except ImportError:
        initialize_layerwise_reload = finalize_layerwise_reload = None
    with torch.device(worker.device), set_current_vllm_config(worker.vllm_config):
        if initialize_layerwise_reload:
            initialize_layerwise_reload(model)
        loaded = model.load_weights(read_tensors(Path(folder)))
        if finalize_layerwise_reload:
            finalize_layerwise_reload(model, worker.model_runner.model_config)
    # A few models do not report what they loaded.
    if loaded is not None and missing - set(loaded):
        raise KeyError(f"{folder} lacks {', '.join(sorted(missing - set(loaded))[:5])}")


def read_tensors(folder: Path) -> Iterator[tuple]:
    from safetensors import safe_open

    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise FileNotFoundError(f"{folder} has no safetensors file here; the server must see the trainer's folder")
    for path in files:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():
                tensor = file.get_tensor(name)
                if not tensor.is_floating_point():
                    raise TypeError(f"{path}: {name} has numbers of type {tensor.dtype}")
                yield name, tensor
