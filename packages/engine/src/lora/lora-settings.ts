import { checkShape, loraShape, refuseSetting, type LoraSettings, type Random } from "@laconic/core";
import type { ModelConfig } from "../transformer/model-config.ts";
import { pairNames } from "../transformer/model-on-device.ts";
import { parameterShapes } from "../transformer/parameters.ts";

/** Names of projections; a checkpoint with joint projections lacks their parts. */
const projections = "q_proj k_proj v_proj qkv_proj o_proj gate_proj up_proj gate_up_proj down_proj".split(" ");

/** @throws LaconicError `config_invalid` naming the setting. */
export function checkLora(settings: LoraSettings): void {
  checkShape(loraShape, settings, "lora");
  const stray = settings.targets?.find((target) => !isProjection(target));
  if (stray === undefined) return;
  refuseSetting("lora.targets", `expected modules ending in ${projections.join(", ")}, got ${stray}`);
}

export function isProjection(module: string): boolean {
  return projections.includes(module.split(".").at(-1)!);
}

/**
 * Targets are module names or their ends after a dot, as in PEFT.
 * @throws LaconicError `config_invalid` for a target that matches no module.
 */
export function adaptedProjections(config: ModelConfig, targets?: readonly string[]): string[] {
  const all = projectionsOf(config);
  const stray = targets?.find((target) => !all.some((module) => isTarget(module, target)));
  if (stray !== undefined) refuseSetting("lora.targets", `projection ${stray} not found in the model`);
  return all.filter((module) => targets?.some((target) => isTarget(module, target)) ?? true);
}

/** Targets that match a module; others are ignored, as in PEFT. */
export function matchingTargets(config: ModelConfig, targets: readonly string[]): string[] {
  const all = projectionsOf(config);
  return targets.filter((target) => all.some((module) => isTarget(module, target)));
}

function projectionsOf(config: ModelConfig): string[] {
  const weights = [...parameterShapes(config).keys()].map((name) => name.replace(/\.weight$/, ""));
  return weights.filter(isProjection);
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
