import type {
  AgentId,
  ChatTokenizer,
  EpisodeContext,
  LanguageModel,
  Problem,
  Sampler,
  Tokenizer,
  ToolFormat,
  Topology,
} from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";

/** Computes log-probs of given tokens. */
export type PromptScorer = Pick<Sampler, "forward">;

/** Policy under a model name. */
export interface ServedModel {
  readonly name: string;
  /** A local policy streams its tokens. */
  readonly policy: LanguageModel;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** Prompt and reply together. */
  readonly contextLength: number;
  /** Computes log-probs of prompts; without it `echo` with `logprobs` is refused. */
  readonly scorer?: PromptScorer;
  /** Trained tool format; without it requests with tools are refused. */
  readonly tools?: ToolFormat;
}

/** Team under a model name; one episode answers each chat. */
export interface ServedTeam {
  readonly name: string;
  readonly topology: Topology;
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  readonly sampling: EpisodeContext["sampling"];
  /**
   * Converts a question to the team's problem. Default: the question alone. Not called if the request gives views.
   * @throws LaconicError `input_invalid` for an unusable question
   */
  readonly problemOf?: (question: string) => Problem;
}

export const serverKeys = "defaultMaxTokens hosts apiKey maxConcurrency maxBodyBytes now onError";

/** Options of `completionHandler`. */
export interface CompletionServerOptions {
  /** Same order as `/v1/models`. */
  readonly models: readonly (ServedModel | ServedTeam)[];
  /** Default 1,024. Teams use their limits. */
  readonly defaultMaxTokens?: number;
  /** Bound host and other names; empty means this machine. With a key, IP addresses are also allowed. */
  readonly hosts?: readonly string[];
  /** Null (default) allows all clients that can connect. */
  readonly apiKey?: string | null;
  /** More replies in progress get status 429. Default 256. */
  readonly maxConcurrency?: number;
  /** Default 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Milliseconds since 1970. Default: the system clock. */
  readonly now?: () => number;
  /** Errors that the client did not cause. Default: process warnings. */
  readonly onError?: (error: unknown) => void;
}

export const checkServerOptions: (options: CompletionServerOptions) => void = optionCheck<CompletionServerOptions>()(
  "completionHandler",
  `${serverKeys} models`,
);

export type ServerSettings = Omit<CompletionServerOptions, "models">;

export function serverSettings(settings: ServerSettings): Required<ServerSettings> {
  return {
    defaultMaxTokens: 1024,
    hosts: [],
    apiKey: null,
    maxConcurrency: 256,
    maxBodyBytes: 4 << 20,
    now: () => new Date().getTime(),
    onError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
    ...settings,
  };
}
