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

/** WGSL that writes a V to four places, or to one. */
export function storeVector(value: string, place: string, vector: boolean): string {
  return vector
    ? `result[${place}] = ${value}.x; result[${place} + 1] = ${value}.y; result[${place} + 2] = ${value}.z; result[${place} + 3] = ${value}.w;`
    : `result[${place}] = ${value};`;
}

/** Rows of two tiles of a head that fit into the 16 KiB of workgroup memory that every adapter has. */
export function tileRows(headDim: number): number {
  return Math.max(1, Math.min(32, Math.floor(2048 / headDim)));
}
