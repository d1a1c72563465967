// Fused kernels over float32 arrays in one memory. Every argument that names an array is a byte address.
export { copyColumns, firstOutside, gatherRows, scatterAddRows } from "./rows";
export { add, addBias, columnSums, multiply, scale, sumSquares } from "./elementwise";
export { packColumns, packTransposed, product, transposedProduct } from "./product";
export { rmsNorm, rmsNormBackward } from "./rms-norm";
export { rotary } from "./rotary";
export { attention } from "./attention";
export { attentionBackward } from "./attention-backward";
export { appendToCache, attentionCached } from "./attention-cached";
export { swiGlu, swiGluBackward } from "./swiglu";
export { headLogProbs, headLogProbsBackward } from "./head";
export { sampleTokens } from "./sampling";
export { adamW } from "./adamw";
