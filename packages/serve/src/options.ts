import type { ChatTokenizer, LanguageModel, Tokenizer } from "@laconic/core";
import type { PromptScorer } from "./echo.ts";
import type { ToolFormat } from "./gateway/tool-format.ts";

/** What is served, to whom, and how much of it at once. */
export interface CompletionServerOptions {
  /** Answers; a local policy streams its tokens. */
  readonly policy: LanguageModel;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** As `/v1/models` lists it and requests name it. */
  readonly modelName: string;
  /** Most tokens of prompt and reply together. */
  readonly contextLength: number;
  /** Most tokens of a reply whose request does not say; 1,024 by default. */
  readonly defaultMaxTokens?: number;
  /** What the server is bound to, and names that clients may call it by; none means this machine. With a key, plain addresses are taken too. */
  readonly hosts?: readonly string[];
  /** Gives the log-probs of a prompt's own tokens; without it `echo` with `logprobs` is refused. */
  readonly scorer?: PromptScorer;
  /** How the policy was taught to call tools; requests with tools are refused without it. */
  readonly tools?: ToolFormat;
  /** Null serves everybody who can connect. */
  readonly apiKey: string | null;
  /** Replies in the making at once; more are refused with 429. */
  readonly maxConcurrency: number;
  readonly maxBodyBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Hears failures that are not the client's doing. */
  readonly onError: (error: unknown) => void;
}
