"""GSPO as our side computes it, without logs and checkpoints, for TRL's GRPOTrainer."""

from trl import GRPOConfig


def grpo_config(**settings):
    return GRPOConfig(
        gradient_checkpointing=False,
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        lr_scheduler_type="constant",
        weight_decay=0.0,
        max_grad_norm=1.0,
        temperature=1.0,
        beta=0.0,
        epsilon=0.03,
        epsilon_high=0.04,
        importance_sampling_level="sequence",
        loss_type="grpo",
        scale_rewards="none",
        **settings,
    )
