import type { GradientPlaces, HeadGradients, Kernels, NormGradient, RotaryTables, Tensor } from "./contract.ts";

/** a + b and its RMS norm, as one operation where the set has it. */
export function addNorm(
  kernels: Kernels,
  a: Tensor,
  b: Tensor,
  weight: Tensor,
  epsilon: number,
): { readonly sum: Tensor; readonly out: Tensor; readonly invRms: Tensor } {
  if (kernels.addNorm) return kernels.addNorm(a, b, weight, epsilon);
  const sum = kernels.add(a, b);
  return { sum, ...kernels.rmsNorm(sum, weight, epsilon) };
}

/**
 * The gradients of a norm, dX on top of `onto` where that is not null, as one operation where the set has it.
 * @param needs - a weight that is not trained needs no gradient
 * @param into - where the weight's gradient may go; it is returned where it does not
 */
export function normBackwardOnto(
  kernels: Kernels,
  onto: Tensor | null,
  forward: NormGradient,
  needs: { readonly weight: boolean },
  into: Pick<GradientPlaces, "dWeight"> = {},
): { readonly dX: Tensor; readonly dWeight?: Tensor } {
  if (kernels.normBackwardOnto) return kernels.normBackwardOnto(onto, forward, needs, into);
  const { dOut, x, weight, invRms } = forward;
  const { dX, dWeight } = kernels.rmsNormBackward(dOut, x, weight, invRms);
  return { dX: onto === null ? dX : kernels.add(onto, dX), ...(needs.weight && { dWeight }) };
}

/** Queries and keys turned back by their positions, side by side with the values: one operation where the set has it. */
export function rotateBackAndJoin(
  kernels: Kernels,
  heads: HeadGradients,
  tables: RotaryTables,
  positions: Tensor,
): Tensor {
  if (kernels.rotateBackAndJoin) return kernels.rotateBackAndJoin(heads, tables, positions);
  const { dQ, dK, dV, queryHeads, kvHeads } = heads;
  const turned = kernels.rotary(kernels.joinColumns([dQ, dK]), tables, positions, queryHeads + kvHeads, true);
  return kernels.joinColumns([turned, dV]);
}
