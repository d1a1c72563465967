/** Functions of assets/fused.wasm, built from assembly/. */
export const fusedNames = [
  "add",
  "addBias",
  "adamW",
  "appendToCache",
  "attention",
  "attentionBackward",
  "attentionCached",
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

/** Arrays are byte addresses. */
export type Fused = Readonly<Record<FusedName, (...args: number[]) => number>>;

/** Bundlers need this form and folder depth. */
export const fusedFile: URL = new URL("../../assets/fused.wasm", import.meta.url);

export const fmaFile: URL = new URL("../../assets/fused-fma.wasm", import.meta.url);
