/**
 * Converts between language models of Vercel's AI SDK and Laconic: `ai` 5 to 7 to ours, ours to `ai` 6 and 7.
 * @module @laconic/openai/ai-sdk
 */
export { fromAiSdk, type FromAiSdkOptions } from "./from-ai-sdk.ts";
export { toAiSdk, type ToAiSdkOptions } from "./to-ai-sdk.ts";
export type { AiSdkModel, LaconicAiSdkModel } from "./sdk-types.ts";
