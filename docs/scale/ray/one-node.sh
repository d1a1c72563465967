#!/usr/bin/env bash
# SkyRL's Tinker server on one machine with 4 GPUs: 4 train and sample in turn. Run in a checkout of NovaSky-AI/SkyRL, with uv, CUDA 13.
#   MODEL=Qwen/Qwen3-4B-Instruct-2507 docs/scale/ray/one-node.sh
set -euo pipefail
: "${MODEL:=Qwen/Qwen3-4B-Instruct-2507}" "${GPUS:=4}" "${PORT:=8000}" "${CHECKPOINTS:=$HOME/skyrl-checkpoints}"
mkdir -p "$CHECKPOINTS"
# It has no keys of its own: loopback, and an SSH tunnel or an authenticating proxy for others.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/node-database.py" "$CHECKPOINTS/tinker.db" \
  uv run --extra tinker --extra fsdp -m skyrl.tinker.api --host 127.0.0.1 --port "$PORT" \
  --base-model "$MODEL" --backend fsdp --checkpoints-base "$CHECKPOINTS" --backend-config "{
    \"trainer.placement.policy_num_gpus_per_node\": $GPUS,
    \"trainer.micro_forward_batch_size_per_gpu\": 16,
    \"trainer.micro_train_batch_size_per_gpu\": 16,
    \"trainer.policy.optimizer_config.adam_betas\": [0.9, 0.95],
    \"trainer.policy.optimizer_config.weight_decay\": 0.0,
    \"trainer.policy.optimizer_config.max_grad_norm\": 1.0,
    \"generator.inference_engine.num_engines\": $GPUS
  }"
