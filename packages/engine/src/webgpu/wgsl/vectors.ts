/** How a head's numbers are read: four at a time where they divide evenly. */
export interface HeadVectors {
  readonly vector: boolean;
  /** Reads of a head. */
  readonly chunks: number;
  /** Declares the type V of a read, and `total`, the sum of what it holds. */
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

/** WGSL that writes a V to four places of a buffer, or to one. */
export function storeVector(value: string, place: string, vector: boolean, into = "result"): string {
  const parts = vector ? ["x", "y", "z", "w"].map((part, i) => [`${value}.${part}`, ` + ${i}`]) : [[value, ""]];
  return parts.map(([part, further]) => `${into}[${place}${further}] = ${part};`).join(" ");
}

/** Rows of two tiles of a head that fit into the 16 KiB of workgroup memory that every adapter has. */
export function tileRows(headDim: number): number {
  return Math.max(1, Math.min(32, Math.floor(2048 / headDim)));
}
