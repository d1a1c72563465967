import type { KernelCounters } from "@laconic/kernels";

/** The counts of one {@link KernelCounters}, as they grow. */
export class Counters implements KernelCounters {
  operations = 0;
  nativeCalls = 0;
  dispatcherCalls = 0;
  hostCopies = 0;
  blockingCopies = 0;
  bytesToDevice = 0;
  bytesToHost = 0;

  now(): KernelCounters {
    const { operations, nativeCalls, dispatcherCalls, hostCopies, blockingCopies, bytesToDevice, bytesToHost } = this;
    return { operations, nativeCalls, dispatcherCalls, hostCopies, blockingCopies, bytesToDevice, bytesToHost };
  }
}
