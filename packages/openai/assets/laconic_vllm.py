"""vLLM worker extension that loads all weights from a folder: `vllm serve --worker-extension-cls laconic_vllm.FullWeights`.

`POST /collective_rpc` calls its methods. An error is part of the answer: vLLM reports an exception as a bare status 500.
"""

from pathlib import Path


class FullWeights:
    """Added to vLLM's worker, which has `model_runner`, `vllm_config` and `device`."""

    # None for the weights of the start, and after a failed load.
    laconic_version = None

    def laconic_init(self) -> dict:
        return {"version": self.laconic_version, "error": None}

    def laconic_update(self, folder: str) -> dict:
        self.laconic_version = None
        try:
            load_folder(self, Path(folder))
        except Exception as error:  # whatever vLLM's loaders raise
            return {"version": None, "error": f"{type(error).__name__}: {error}"}
        return self.laconic_init()

    def laconic_finish(self, version: str) -> dict:
        self.laconic_version = version
        return self.laconic_init()


def load_folder(worker, folder: Path) -> None:
    import torch
    from vllm.config import set_current_vllm_config
    from vllm.model_executor.model_loader.reload import finalize_layerwise_reload, initialize_layerwise_reload

    model = worker.model_runner.get_model()
    missing = {name for name, _ in model.named_parameters()}
    with torch.device(worker.device), set_current_vllm_config(worker.vllm_config):
        initialize_layerwise_reload(model)  # restores what vLLM repacked after its first load
        loaded = model.load_weights(read_tensors(folder))
        finalize_layerwise_reload(model, worker.model_runner.model_config)
    # A few models do not report what they loaded.
    if loaded is not None and missing - set(loaded):
        raise KeyError(f"{folder} lacks {', '.join(sorted(missing - set(loaded))[:5])}")


def read_tensors(folder: Path):
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
