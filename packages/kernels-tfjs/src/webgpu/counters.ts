import type { KernelCounters } from "@laconic/kernels";
import type { TensorInfo } from "@tensorflow/tfjs-core";

/** The parts of TensorFlow.js's backend through which all of that goes, its own operations' too. */
interface CountedBackend {
  readonly tensorMap: {
    get(dataId: object): { readonly values: ArrayLike<number> | null; readonly resource: unknown };
  };
  uploadToGPU(dataId: object): void;
  recordAndSubmit(program: object, output: TensorInfo, inputs: readonly TensorInfo[], uniforms?: object): void;
  makeUniforms(uniforms: object): { readonly size: number };
  getBufferData(buffer: { readonly size: number }): Promise<ArrayBuffer>;
}

/**
 * Counts from now on: dispatches of shaders, copies, tensors and the uniforms of every dispatch. WebGPU is no C library here and
 * has no dispatcher of operators, and what is read comes when it is ready while the thread goes on: those counts stay 0.
 */
export function countCommands(given: unknown): () => KernelCounters {
  const backend = given as CountedBackend;
  const counts = { operations: 0, hostCopies: 0, bytesToDevice: 0, bytesToHost: 0 };
  const sent = (bytes: number): void => {
    counts.hostCopies += 1;
    counts.bytesToDevice += bytes;
  };
  const { recordAndSubmit, makeUniforms, uploadToGPU, getBufferData } = backend;
  backend.recordAndSubmit = function counted(...call) {
    counts.operations += 1;
    recordAndSubmit.apply(this, call);
  };
  backend.makeUniforms = function counted(uniforms) {
    const made = makeUniforms.call(this, uniforms);
    sent(made.size);
    return made;
  };
  backend.uploadToGPU = function counted(dataId) {
    const held = this.tensorMap.get(dataId);
    if (held.values && !held.resource) sent(4 * held.values.length);
    uploadToGPU.call(this, dataId);
  };
  backend.getBufferData = function counted(buffer) {
    counts.hostCopies += 1;
    counts.bytesToHost += buffer.size;
    return getBufferData.call(this, buffer);
  };
  return () => ({ ...counts, nativeCalls: 0, dispatcherCalls: 0, blockingCopies: 0 });
}
