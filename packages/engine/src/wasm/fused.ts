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
