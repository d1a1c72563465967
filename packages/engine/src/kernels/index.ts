/**
 * Contract of the device operations, and code shared by kernel sets.
 * @module @laconic/engine/kernels
 */
export { gateCurves, isSilu } from "./arguments.ts";
export type * from "./contract.ts";
export { isOutOfMemory, roundsWeights } from "./contract.ts";

export { checkedKernels, checkRanges } from "./checked-kernels.ts";
export { headSize, joinedSize, matrixSize, rangeOf, sizeOf } from "./shape-checks.ts";

export {
  ancestorRuns,
  heldPlaces,
  longestReach,
  newPages,
  newPlaces,
  pageRun,
  reachMask,
  seesEverything,
  subtreeEnds,
} from "./cache-places.ts";
export { isOnDevice, packSampling } from "./pack-sampling.ts";
export { Handle, HandleStore, type DeviceArray } from "./handles.ts";
export { KeyValueCaches } from "./key-value-caches.ts";
export { TensorScopes, tensorsIn } from "./handles.ts";
