"""Loss, gradient and metrics of TRL's own GRPOTrainer, for batches read from stdin.

Input:  [{"name", "settings", "batch"}, ...], log-probs as one list per sequence.
Output: {"trl", "torch", "results": {name: {"loss", "gradient", "metrics"}}}, or {"missing": package} without TRL.
"""

import json
import sys
from collections import defaultdict
from types import SimpleNamespace

try:
    import torch
    import trl
    from trl.trainer.grpo_trainer import GRPOTrainer
except ModuleNotFoundError as error:
    # Only an absent package is a reason to skip; a package that cannot be loaded is a failure.
    if error.name not in ("torch", "trl", "transformers", "accelerate", "datasets"):
        raise
    print(json.dumps({"missing": f"the Python package {error.name}"}))
    sys.exit(0)

# Scalars that TRL turns into tensors (SAPO's temperatures) follow the default type.
torch.set_default_dtype(torch.float64)


def padded(rows, fill):
    """One row per sequence, padded on the right as TRL pads completions."""
    width = max(len(row) for row in rows)
    return torch.tensor([row + [fill] * (width - len(row)) for row in rows])


def stand_in(settings, log_probs):
    """The attributes of a trainer that its loss reads: one process, one micro-batch, log-probs given."""
    arguments = SimpleNamespace(
        delta=settings.get("delta"),
        use_bias_correction_kl=settings.get("use_bias_correction_kl", False),
        steps_per_generation=1,
        sapo_temperature_pos=1.0,
        sapo_temperature_neg=1.05,
        vespo_k_pos=2.0,
        vespo_lambda_pos=3.0,
        vespo_k_neg=3.0,
        vespo_lambda_neg=2.0,
    )
    accelerator = SimpleNamespace(num_processes=1, gather=lambda x: x, reduce=lambda x, reduction: x)
    return SimpleNamespace(
        args=arguments,
        accelerator=accelerator,
        model=SimpleNamespace(training=True),
        loss_type=settings["loss_type"],
        importance_sampling_level=settings.get("importance_sampling_level", "token"),
        epsilon_low=settings.get("epsilon_low", 0.2),
        epsilon_high=settings.get("epsilon_high", 0.2),
        beta=settings.get("beta", 0.0),
        max_completion_length=settings.get("max_completion_length"),
        off_policy_mask_threshold=settings.get("off_policy_mask_threshold"),
        get_off_policy_mask=GRPOTrainer.get_off_policy_mask,
        get_gamma_weights=GRPOTrainer.get_gamma_weights,
        top_entropy_quantile=1.0,
        use_vllm=False,
        aux_loss_enabled=False,
        _entropy_bonus_enabled=False,
        current_gradient_accumulation_steps=1,
        _metrics={"train": defaultdict(list)},
        _get_per_token_logps_and_entropies=lambda *_, **__: (log_probs, torch.zeros_like(log_probs), None),
    )


def evaluate(batch, settings):
    lengths = [len(row) for row in batch["log_probs"]]
    # Padding is far off, so that a loss which reads it cannot agree by chance.
    log_probs = padded(batch["log_probs"], -7.0).requires_grad_()
    completion_mask = padded([[1.0] * length for length in lengths], 0.0)
    tool_mask = padded([[float(m) for m in row] for row in batch["mask"]], 0.0)
    ids = torch.zeros_like(completion_mask, dtype=torch.long)
    trainer = stand_in(settings, log_probs)
    inputs = {
        "prompt_ids": ids[:, :1],
        "prompt_mask": torch.ones_like(ids[:, :1]),
        "completion_ids": ids,
        "completion_mask": completion_mask,
        "tool_mask": tool_mask,
        "advantages": torch.tensor(batch["advantages"]),
        "old_per_token_logps": padded(batch["old_log_probs"], -3.0),
        "ref_per_token_logps": padded(batch["ref_log_probs"], -5.0),
        "num_items_in_batch": (completion_mask * tool_mask).sum(),
    }
    loss = GRPOTrainer._compute_loss(trainer, None, inputs)
    loss.backward()
    gradient = [row[:length].tolist() for row, length in zip(log_probs.grad, lengths)]
    beyond = sum(row[length:].abs().sum().item() for row, length in zip(log_probs.grad, lengths))
    assert beyond == 0, f"TRL trains padding: {beyond}"
    metrics = {name: values[-1] for name, values in trainer._metrics["train"].items()}
    return {"loss": loss.item(), "gradient": gradient, "metrics": metrics}


results = {each["name"]: evaluate(each["batch"], each["settings"]) for each in json.load(sys.stdin)}
print(json.dumps({"trl": trl.__version__, "torch": torch.__version__, "results": results}))
