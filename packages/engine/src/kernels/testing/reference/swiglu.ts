import { gateCurves, type GateCurve } from "../../arguments.ts";

/** gate sigmoid(slope gate + cubic gate^3) up. */
export function swiGlu(gate: Float64Array, up: Float64Array, curve: GateCurve = gateCurves.silu): Float64Array {
  return gate.map((x, i) => x * share(x, curve) * (up[i] as number));
}

/** The derivative of x s(x) is s + s (1 - s) (slope x + 3 cubic x^3). */
export function swiGluBackward(
  dOut: Float64Array,
  gate: Float64Array,
  up: Float64Array,
  curve: GateCurve = gateCurves.silu,
): { readonly dGate: Float64Array; readonly dUp: Float64Array } {
  const dGate = gate.map((x, i) => {
    const s = share(x, curve);
    const slope = s * (1 + (1 - s) * x * (curve.slope + 3 * curve.cubic * x * x));
    return (dOut[i] as number) * (up[i] as number) * slope;
  });
  const dUp = gate.map((x, i) => (dOut[i] as number) * x * share(x, curve));
  return { dGate, dUp };
}

function share(x: number, { slope, cubic }: GateCurve): number {
  return 1 / (1 + Math.exp(-x * (slope + cubic * x * x)));
}
