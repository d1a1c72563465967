/**
 * Fake inference servers over any engine, with faults, and what every sampler is measured by.
 * @module @laconic/openai/testing
 */
export { startFakeVllm } from "./fake-vllm.ts";
export { startFakeSglang } from "./fake-sglang.ts";
export type { FakeServer } from "./fake-server.ts";
export type { FakeServerOptions } from "./served-weights.ts";
export type { Lie, ServerFault, ServerFaults } from "./faults.ts";
export { isReplyRequest, lies, lying } from "./lies.ts";
export { samplerCases, type SampledModel } from "./sampler-cases.ts";
