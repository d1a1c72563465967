/**
 * Records what each agent of a running application reads, writes and costs.
 * @module @laconic/meter
 */
export type { BegunCall, MeteredCall, Quotation, Source } from "./call.ts";
export { ledgerOf, type Edge, type Ledger, type Spent } from "./ledger.ts";
export { costOf, priceOf, Spending, type Prices, type SpendingLimits } from "./limits.ts";
export { readReply, type ReadReply } from "./read-reply.ts";
export { meteredFetch } from "./metered-fetch.ts";
export { meterProxy, targetOf, type ProxyOptions } from "./proxy.ts";
export { Recorder, type Ending, type OpenCall, type RecorderOptions } from "./recorder.ts";
export type { CallNames } from "./recognition.ts";
export {
  messageValue,
  type GradeAnswer,
  type MessageValue,
  type ReplayBudget,
  type ValueOptions,
} from "./value/message-value.ts";
export { readTasks, type RecordedCall, type RecordedTask } from "./value/recorded-tasks.ts";
export type { AgentChange, Resend } from "./value/replay.ts";
export { openStore, readCalls, readTexts, type Store, type StoreOptions } from "./store.ts";
