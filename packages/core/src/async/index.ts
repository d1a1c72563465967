/**
 * Abort signals, retries, queues and resources that are closed in reverse order.
 * @module @laconic/core/async
 */
export { backoffMs } from "./backoff.ts";
export { DisposalStack, disposing } from "./disposal-stack.ts";
export { Turns } from "./turns.ts";
export { expectNotAborted, untilAborted } from "./until-aborted.ts";
