/** silu(gate) * up with silu(x) = x sigmoid(x). */
export function swiGlu(gate: Float64Array, up: Float64Array): Float64Array {
  return gate.map((x, i) => x * sigmoid(x) * (up[i] as number));
}

/** silu'(x) = sigmoid(x) (1 + x (1 - sigmoid(x))). */
export function swiGluBackward(
  dOut: Float64Array,
  gate: Float64Array,
  up: Float64Array,
): { readonly dGate: Float64Array; readonly dUp: Float64Array } {
  const dGate = gate.map((x, i) => {
    const s = sigmoid(x);
    return (dOut[i] as number) * (up[i] as number) * s * (1 + x * (1 - s));
  });
  const dUp = gate.map((x, i) => (dOut[i] as number) * x * sigmoid(x));
  return { dGate, dUp };
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
