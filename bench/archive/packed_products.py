"""All products of one decode step, by MKL as PyTorch calls it, and by oneDNN with weights packed before. One thread, CPU time.

`python bench/archive/packed_products.py` prints a line of JSON for each model and number of rows.
"""

import json
import time

import torch

linear = torch.ops.mkldnn._linear_pointwise
pack = torch.ops.mkldnn._reorder_linear_weight

# Inner and outer widths of each weight, as the models of step.ts hold them.
MODELS = {
    "28M": [(512, 1024), (512, 512), (512, 3072), (1536, 512)] * 8 + [(512, 5120)],
    "4.7M": [(256, 512), (256, 256), (256, 1536), (768, 256)] * 6 + [(256, 64)],
    "0.1M": [(64, 128), (64, 64), (64, 384), (192, 64)] * 2 + [(64, 64)],
}


def milliseconds(body):
    """The shortest of six, after one that warms up."""
    body()
    best = float("inf")
    for _ in range(6):
        start = time.process_time()
        body()
        best = min(best, time.process_time() - start)
    return round(1e3 * best, 3)


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    for model, sizes in MODELS.items():
        weights = [torch.randn(outer, inner) for inner, outer in sizes]
        packed = [pack(weight, 64) for weight in weights]
        once = milliseconds(lambda: [pack(weight, 64) for weight in weights])
        for rows in (1, 4, 16, 64, 256):
            inputs = [torch.randn(rows, inner) for inner, _ in sizes]
            outputs = [torch.empty(rows, outer) for _, outer in sizes]
            plain = milliseconds(
                lambda: [torch.mm(x, w.t(), out=o) for x, w, o in zip(inputs, weights, outputs, strict=True)]
            )
            ours = milliseconds(
                lambda: [linear(x, w, None, "none", [], "") for x, w in zip(inputs, packed, strict=True)]
            )
            line = {"bench": "packed-products", "torch": torch.__version__, "model": model, "rows": rows}
            print(json.dumps({**line, "mm": plain, "packed": ours, "packing": once}), flush=True)


main()
