/**
 * What engines and kernel sets are measured by.
 * @module @laconic/engine/testing
 */
export { askTorch, parityCases, parityErrors } from "./torch-parity.ts";
export type { ParityCase, ParityErrors, TorchAnswer } from "./torch-parity.ts";
export { engineCases } from "./engine-cases.ts";
export { holdTraining } from "../memory/hold-training.ts";
