#!/usr/bin/env bash
# One node of a Ray cluster that SkyRL's Tinker server trains on. The same file on every node:
#   ROLE=head docs/scale/ray/cluster.sh              starts Ray and the server
#   ROLE=worker HEAD=10.0.0.1 docs/scale/ray/cluster.sh    joins
# Several adapters at a time need the megatron backend, with training and sampling on GPUs of their own.
set -euo pipefail
: "${ROLE:?head or worker}" "${NODES:=2}" "${GPUS:=8}" "${ENGINES:=8}" "${MODEL:=Qwen/Qwen3-4B-Instruct-2507}"
: "${RAY_PORT:=6379}" "${PORT:=8000}" "${CHECKPOINTS:?a folder that all nodes share}"
# Ray runs whatever reaches its ports; a token keeps others out.
export RAY_AUTH_MODE=token RAY_worker_register_timeout_seconds=600
: "${RAY_AUTH_TOKEN:?the same secret on every node}"
export RAY_AUTH_TOKEN
if [ "$ROLE" = worker ]; then
  exec uv run --extra tinker --extra megatron ray start --address "${HEAD:?address of the head}:$RAY_PORT" --disable-usage-stats --block
fi
uv run --extra tinker --extra megatron ray start --head --port "$RAY_PORT" --disable-usage-stats
mkdir -p "$CHECKPOINTS"
exec python3 "$(dirname "${BASH_SOURCE[0]}")/node-database.py" "$CHECKPOINTS/tinker.db" \
  uv run --extra tinker --extra megatron -m skyrl.tinker.api --host 127.0.0.1 --port "$PORT" \
  --base-model "$MODEL" --backend megatron --checkpoints-base "$CHECKPOINTS" --backend-config "{
    \"strategy\": \"megatron\",
    \"trainer.placement.policy_num_nodes\": $((NODES - 1)),
    \"trainer.placement.policy_num_gpus_per_node\": $GPUS,
    \"trainer.placement.colocate_all\": false,
    \"trainer.policy.megatron_config.lora_config.merge_lora\": false,
    \"trainer.policy.model.lora.max_loras\": 4,
    \"trainer.policy.model.lora.max_cpu_loras\": 8,
    \"trainer.micro_forward_batch_size_per_gpu\": 16,
    \"trainer.micro_train_batch_size_per_gpu\": 16,
    \"trainer.policy.optimizer_config.adam_betas\": [0.9, 0.95],
    \"trainer.policy.optimizer_config.weight_decay\": 0.0,
    \"trainer.policy.optimizer_config.max_grad_norm\": 1.0,
    \"generator.inference_engine.num_engines\": $ENGINES
  }"
