/** The functions of assets/fused.wasm, built from assembly/. */
export const fusedNames = [
  "add",
  "addBias",
  "adamW",
  "appendToCache",
  "attention",
  "attentionBackward",
  "attentionCached",
  "attentionTree",
  "attentionTreeBackward",
  "columnSums",
  "copyColumns",
  "firstOutside",
  "gatherRows",
  "headLogProbs",
  "headLogProbsBackward",
  "multiply",
  "packColumns",
  "packTransposed",
  "product",
  "rmsNorm",
  "rmsNormBackward",
  "rotary",
  "sampleTokens",
  "scale",
  "scatterAddRows",
  "sumSquares",
  "swiGlu",
  "swiGluBackward",
  "transposedProduct",
] as const;

export type FusedName = (typeof fusedNames)[number];

/** Arrays are byte addresses in the memory. */
export type Fused = Readonly<Record<FusedName, (...args: number[]) => number>>;

/** Where the fused kernels lie. In this form, at this depth, bundlers find the file and ship it. */
export const fusedFile: URL = new URL("../../assets/fused.wasm", import.meta.url);

/** The same source with fused multiplication and addition in its products. */
export const fmaFile: URL = new URL("../../assets/fused-fma.wasm", import.meta.url);
