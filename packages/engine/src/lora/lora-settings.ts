import { checkShape, loraShape, refuseSetting, type LoraSettings, type Random } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";
import { pairNames } from "../transformer/model-on-device.ts";
import { layerName, parameterShapes } from "../transformer/parameters.ts";

/** Projections by PEFT's target names. */
export const loraTargets = {
  q_proj: "self_attn.q_proj",
  k_proj: "self_attn.k_proj",
  v_proj: "self_attn.v_proj",
  o_proj: "self_attn.o_proj",
  gate_proj: "mlp.gate_proj",
  up_proj: "mlp.up_proj",
  down_proj: "mlp.down_proj",
} as const;

/** @throws LaconicError `config_invalid` naming the setting. */
export function checkLora(settings: LoraSettings): void {
  checkShape(loraShape, settings, "lora");
  const stray = settings.targets?.find((target) => !isProjection(target));
  if (stray === undefined) return;
  const modules = Object.keys(loraTargets).join(", ");
  refuseSetting("lora.targets", `expected modules ending in ${modules}, got ${stray}`);
}

export function isProjection(module: string): boolean {
  return Object.hasOwn(loraTargets, module.split(".").at(-1) as string);
}

/**
 * Targets are module names or their ends after a dot, as in PEFT.
 * @throws LaconicError `config_invalid` for a target that matches no module.
 */
export function adaptedProjections(config: ModelConfig, targets?: readonly string[]): string[] {
  const all = Array.from({ length: config.layers }, (_, layer) =>
    Object.values(loraTargets).map((part) => layerName(layer, part)),
  ).flat();
  if (!targets) return all;
  const stray = targets.find((target) => !all.some((module) => isTarget(module, target)));
  if (stray !== undefined) refuseSetting("lora.targets", `projection ${stray} not found in the model`);
  return all.filter((module) => targets.some((target) => isTarget(module, target)));
}

function isTarget(module: string, target: string): boolean {
  return module === target || module.endsWith(`.${target}`);
}

/**
 * A is [rank, in], B is [out, rank].
 * @throws LaconicError `config_invalid` for a rank above the model's width.
 */
export function adapterShapes(config: ModelConfig, settings: LoraSettings): Map<string, readonly number[]> {
  if (settings.rank > config.hiddenSize)
    refuseSetting("lora.rank", `expected at most the model's width, ${config.hiddenSize}, got ${settings.rank}`);
  const base = parameterShapes(config);
  const shapes = new Map<string, readonly number[]>();
  for (const projection of adaptedProjections(config, settings.targets)) {
    const [outer, inner] = base.get(`${projection}.weight`) as readonly [number, number];
    const { a, b } = pairNames(projection);
    shapes.set(a, [settings.rank, inner]);
    shapes.set(b, [outer, settings.rank]);
  }
  return shapes;
}

/** PEFT's initial values: A uniform within ±1/sqrt(in) (Kaiming with a = sqrt(5)), B zero. */
export function initialAdapter(config: ModelConfig, settings: LoraSettings, random: Random): Map<string, Float32Array> {
  const values = new Map<string, Float32Array>();
  for (const [name, shape] of adapterShapes(config, settings)) {
    const [rows, columns] = shape as readonly [number, number];
    const matrix = new Float32Array(rows * columns);
    if (name.endsWith(".lora_A.weight")) {
      const stream = random.split(name);
      const bound = 1 / Math.sqrt(columns);
      for (let i = 0; i < matrix.length; i++) matrix[i] = (2 * stream.uniform() - 1) * bound;
    }
    values.set(name, matrix);
  }
  return values;
}
