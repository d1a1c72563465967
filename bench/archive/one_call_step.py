"""A decode step of the smallest model of step.ts as one call: eager, recorded by TorchScript, and compiled by Inductor.

What no host code at all between its operations would leave. 64 rows of which each has the same number of positions, float32, one thread, CPU time. The operations are
those that `kernels-torch` asks for; the new keys go to one place of a row, and a step draws by inverting the cumulative distribution.

`python bench/archive/one_call_step.py` prints a line of JSON for each number of positions. Inductor needs a C++ compiler.
"""

import json
import time

import torch

ROWS, HIDDEN, LAYERS, HEADS, KV_HEADS, HEAD_DIM, FEED_FORWARD, VOCABULARY = 64, 64, 2, 4, 2, 16, 192, 64
STEPS = 500


def norm(x, ones, weight):
    return torch.rsqrt(torch.addmm(torch.full((1,), 1e-6), x * x, ones)) * x * weight


def layer(x, weights, cos, sin, keys, values, at, positions: int):
    normed = norm(x, weights["mean"], weights["norm1"])
    joined = torch.addmm(weights["bias"], normed, weights["qkv"])
    turned = joined[:, : (HEADS + KV_HEADS) * HEAD_DIM].reshape(ROWS, HEADS + KV_HEADS, HEAD_DIM)
    rolled = torch.roll(turned, [HEAD_DIM // 2], [2])
    turned = turned * cos + rolled * sin
    q = turned[:, :HEADS].reshape(ROWS * KV_HEADS, HEADS // KV_HEADS, HEAD_DIM)
    k = turned[:, HEADS:].reshape(ROWS * KV_HEADS, HEAD_DIM)
    v = joined[:, (HEADS + KV_HEADS) * HEAD_DIM :].reshape(ROWS * KV_HEADS, HEAD_DIM)
    keys.view(-1, HEAD_DIM).index_copy_(0, at, k)
    values.view(-1, HEAD_DIM).index_copy_(0, at, v)
    scores = torch.baddbmm(weights["none"], q, keys[:, :positions].transpose(1, 2), beta=0.0, alpha=HEAD_DIM**-0.5)
    mixed = torch.bmm(torch.softmax(scores, 2), values[:, :positions]).view(ROWS, HEADS * HEAD_DIM)
    x = torch.addmm(x, mixed, weights["out"])
    both = torch.mm(norm(x, weights["mean"], weights["norm2"]), weights["gateUp"])
    inner = torch.nn.functional.silu(both[:, :FEED_FORWARD]) * both[:, FEED_FORWARD:]
    return torch.addmm(x, inner, weights["down"])


def step(layers, shared, caches, positions: int):
    def run(tokens, past, uniforms):
        x = shared["embedding"].index_select(0, tokens)
        cos = shared["cos"].index_select(0, past).unsqueeze(1)
        sin = shared["sin"].index_select(0, past).unsqueeze(1)
        at = (shared["starts"] + past.unsqueeze(1)).view(-1)
        for weights, (keys, values) in zip(layers, caches, strict=True):
            x = layer(x, weights, cos, sin, keys, values, at, positions)
        logits = torch.mm(norm(x, shared["mean"], shared["norm"]), shared["head"])
        shares = torch.softmax(logits, 1)
        sums = torch.cumsum(shares.double(), 1)
        chosen = torch.searchsorted(sums, uniforms * sums[:, -1:], right=True).clamp(max=VOCABULARY - 1)
        return chosen.view(-1), torch.log(shares.gather(1, chosen))

    return run


def made(positions):
    def weight(*shape):
        return torch.randn(*shape) * 0.05

    mean = torch.full((HIDDEN, 1), 1 / HIDDEN)
    layers = [
        {
            "mean": mean,
            "norm1": torch.ones(HIDDEN),
            "norm2": torch.ones(HIDDEN),
            "bias": weight((HEADS + 2 * KV_HEADS) * HEAD_DIM),
            "qkv": weight(HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD_DIM),
            "out": weight(HEADS * HEAD_DIM, HIDDEN),
            "gateUp": weight(HIDDEN, 2 * FEED_FORWARD),
            "down": weight(FEED_FORWARD, HIDDEN),
            "none": torch.zeros(1, 1, 1),
        }
        for _ in range(LAYERS)
    ]
    shared = {
        "mean": mean,
        "norm": torch.ones(HIDDEN),
        "embedding": weight(VOCABULARY, HIDDEN),
        "head": weight(HIDDEN, VOCABULARY),
        "cos": torch.rand(256, HEAD_DIM),
        "sin": torch.rand(256, HEAD_DIM),
        "starts": (torch.arange(ROWS * KV_HEADS) * 128).view(ROWS, KV_HEADS),
    }
    caches = [tuple(torch.randn(ROWS * KV_HEADS, 128, HEAD_DIM) for _ in range(2)) for _ in range(LAYERS)]
    inputs = (torch.randint(VOCABULARY, (ROWS,)), torch.full((ROWS,), positions - 1), torch.rand(ROWS, 1).double())
    return step(layers, shared, caches, positions), inputs


def microseconds(run, inputs):
    """The shortest of eight times STEPS, after a warm-up."""
    for _ in range(50):
        run(*inputs)
    best = float("inf")
    for _ in range(8):
        start = time.process_time()
        for _ in range(STEPS):
            run(*inputs)
        best = min(best, time.process_time() - start)
    return round(1e6 * best / STEPS, 1)


def main():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    torch.manual_seed(1)
    for positions in (20, 48, 80):
        run, inputs = made(positions)
        line = {"bench": "one-call-step", "torch": torch.__version__, "rows": ROWS, "positions": positions}
        recorded = torch.jit.trace(run, inputs, check_trace=False)
        compiled = torch.compile(run, dynamic=False)
        us = {"eager": microseconds(run, inputs), "recorded": microseconds(recorded, inputs)}
        us["compiled"] = microseconds(compiled, inputs)
        print(json.dumps({**line, "microseconds": us}), flush=True)


if __name__ == "__main__":
    main()
