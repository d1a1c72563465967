/**
 * Conformance tests for engines and kernel sets.
 * @module @laconic/engine/testing
 */
export {
  askTorch,
  askTorchValues,
  parityCases,
  parityErrors,
  valueParityCases,
  valueParityErrors,
} from "./torch-parity.ts";
export type { TorchAnswer } from "./torch-parity.ts";
export { engineCases, engineCasesFor } from "./engine-cases.ts";
export { config as conformanceConfig, optimizer as conformanceOptimizer, wholeProfile } from "./cases/engine-case.ts";
export type { EngineProfile } from "./cases/engine-case.ts";
export { holdTraining } from "./hold-training.ts";
