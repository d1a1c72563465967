/**
 * Contract of the device operations that the transformer needs, and code shared by kernel sets.
 * @module @laconic/engine/kernels
 */
export type * from "./contract.ts";
export type { CreateKernels, KernelPlace, KernelSource } from "./kernel-source.ts";

export { checkedKernels } from "./checked-kernels.ts";
export { ancestorRuns, subtreeEnds } from "./cache-places.ts";
export { headSize, joinedSize, matrixSize, rangeOf, sizeOf } from "./shape-checks.ts";

export { heldPlaces, longestReach, newPages, newPlaces, pageRun, reachMask, seesEverything } from "./cache-places.ts";
export { isOnDevice, packSampling } from "./pack-sampling.ts";
export { Handle, HandleStore, type DeviceArray } from "./handles.ts";
export { KeyValueCaches } from "./key-value-caches.ts";
export { TensorScopes } from "./tensor-scopes.ts";
export { isOutOfMemory } from "./is-out-of-memory.ts";
export { roundsWeights } from "./rounds-weights.ts";
export { tensorsIn } from "./tensor-scopes.ts";
