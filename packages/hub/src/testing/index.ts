/**
 * Local hub for tests: the real protocol over HTTP, with faults on demand.
 * @module @laconic/hub/testing
 */
export { gitHash, sendBytes, sha256, signature, startFakeHub } from "./fake-hub.ts";
export type { FakeFile, FakeHub, Fault, Seen } from "./fake-hub.ts";
