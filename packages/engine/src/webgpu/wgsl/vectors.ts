/** Reads four elements at a time if the width allows. */
export interface HeadVectors {
  readonly vector: boolean;
  /** Reads per head. */
  readonly chunks: number;
  /** Type V, and `total`, the sum of its elements. */
  readonly declaration: string;
}

export function headVectors(headDim: number): HeadVectors {
  return headDim % 4 === 0
    ? {
        vector: true,
        chunks: headDim / 4,
        declaration: "alias V = vec4<f32>;\nfn total(x : V) -> f32 { return x.x + x.y + x.z + x.w; }",
      }
    : { vector: false, chunks: headDim, declaration: "alias V = f32;\nfn total(x : V) -> f32 { return x; }" };
}

export function storeVector(value: string, location: string, vector: boolean, into = "result"): string {
  const parts = vector ? ["x", "y", "z", "w"].map((part, i) => [`${value}.${part}`, ` + ${i}`]) : [[value, ""]];
  return parts.map(([part, further]) => `${into}[${location}${further}] = ${part};`).join(" ");
}

/** Rows of two tiles that fit in 16 KiB, the minimum workgroup memory. */
export function tileRows(headDim: number): number {
  return Math.max(1, Math.min(32, Math.floor(2048 / headDim)));
}
