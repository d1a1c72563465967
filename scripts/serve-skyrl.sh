#!/usr/bin/env bash
# Starts SkyRL's Tinker server on the CPU: JAX, one process, loopback only.
#   SKYRL=checkout SKYRL_PYTHON=venv/bin/python TINKER_SDK=checkout scripts/serve-skyrl.sh MODEL_FOLDER PORT WORK_FOLDER
# SKYRL: NovaSky-AI/SkyRL. TINKER_SDK: thinking-machines-lab/tinker, used only for its protobuf classes; not needed if the
# Python has the package. docs/scale/skyrl.md lists the Python's requirements.
set -euo pipefail
model=$(realpath "${1:?model folder}") port=${2:?port} work=$(mkdir -p "${3:?work folder}" && realpath "$3")
: "${SKYRL:?a checkout of NovaSky-AI/SkyRL}" "${SKYRL_PYTHON:?a Python with jax, flax, ...}"
SKYRL=$(realpath "$SKYRL") path=$(realpath "$SKYRL")
export SKYRL_PYTHON
# The server starts its engine through `uv run`; this replacement runs the existing Python.
mkdir -p "$work/bin" "$work/patch" "$work/checkpoints"
cat > "$work/bin/uv" <<'UV'
#!/usr/bin/env bash
while [ $# -gt 0 ] && [ "$1" != "-m" ]; do shift; done
"${SKYRL_PYTHON:?}" "$@" &
child=$!
trap 'kill -TERM $child' TERM INT
wait $child
UV
chmod +x "$work/bin/uv"
# Python 3.11: pydantic needs the TypedDict of typing_extensions.
printf '%s\n' 'import typing, typing_extensions' 'typing.TypedDict = typing_extensions.TypedDict' > "$work/patch/sitecustomize.py"
path=$path:$work/patch
if [ -n "${TINKER_SDK:-}" ]; then
  mkdir -p "$work/stub/tinker"
  touch "$work/stub/tinker/__init__.py"
  cp -r "$TINKER_SDK/src/tinker/proto" "$work/stub/tinker/"
  path=$path:$work/stub
fi
export PATH="$work/bin:$PATH" PYTHONPATH="$path" JAX_PLATFORMS=cpu XLA_FLAGS=--xla_cpu_multi_thread_eigen=false
export JAX_COMPILATION_CACHE_DIR="$work/compiled" HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false
cd "$work"
# The server reads its command line to start the engine, so its name must be `uv run`.
exec bash "$work/bin/uv" run -m skyrl.tinker.api --base-model "$model" --backend jax --backend-config \
  "{\"max_lora_adapters\":${SKYRL_ADAPTERS:-6},\"max_lora_rank\":8,\"train_micro_batch_size\":${SKYRL_BATCH:-32},\"sample_max_num_sequences\":${SKYRL_SAMPLES:-64}}" \
  --checkpoints-base "$work/checkpoints" --database-url "sqlite:///$work/tinker.db" --host 127.0.0.1 --port "$port"
