/**
 * Language models behind OpenAI-compatible servers.
 * @module @laconic/openai
 */
export { openAiModel, type OpenAiModelOptions } from "./openai-model.ts";
export type { ApiEvent, ApiModelOptions, OpenAiModel } from "./api-model.ts";
export { SpendAccount, type Reservation } from "./spend-account.ts";
export { openSpendJournal, readSpendJournal } from "./spend-journal.ts";
export type { CallReply, JournalTotals, SpendJournal } from "./spend-journal.ts";
export { publicPrices } from "./tokens.ts";
export { Limiter, type LimiterOptions } from "./limiter.ts";
export { readUsage, type ReportedUsage } from "./read-usage.ts";
