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

/** Gives log-probs of tokens that were not sampled. */
export type PromptScorer = Pick<Sampler, "forward">;

/** A policy under the name that requests ask for it by. */
export interface ServedModel {
  readonly name: string;
  /** Answers; a local policy streams its tokens. */
  readonly policy: LanguageModel;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** Most tokens of prompt and reply together. */
  readonly contextLength: number;
  /** Gives the log-probs of a prompt's own tokens; without it `echo` with `logprobs` is refused. */
  readonly scorer?: PromptScorer;
  /** How the policy was taught to call tools; requests with tools are refused without it. */
  readonly tools?: ToolFormat;
}

/** A whole team under one name: it answers chats, by an episode each. */
export interface ServedTeam {
  readonly name: string;
  readonly topology: Topology;
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
  /** Where a request says nothing else. */
  readonly sampling: EpisodeContext["sampling"];
  /**
   * What a question is to the team, such as one whose statements are dealt among its holders; the question as it is when absent.
   * Not called where the request gives views itself.
   * @throws LaconicError `input_invalid` for a question that the team cannot be asked
   */
  readonly problemOf?: (question: string) => Problem;
}

/** Keys of `ServerSettings`, for checks. */
export const serverKeys = "defaultMaxTokens hosts apiKey maxConcurrency maxBodyBytes now onError";

/** What is served, to whom, and how much of it at once. */
export interface CompletionServerOptions {
  /** Models and teams, as `/v1/models` lists them. */
  readonly models: readonly (ServedModel | ServedTeam)[];
  /** Most tokens of a reply whose request does not say; 1,024 by default. A team's replies have the team's own ceilings. */
  readonly defaultMaxTokens?: number;
  /** What the server is bound to, and names that clients may call it by; none means this machine. With a key, plain addresses are taken too. */
  readonly hosts?: readonly string[];
  /** Null, the default, serves everybody who can connect. */
  readonly apiKey?: string | null;
  /** Replies in the making at once; more are refused with 429. 256 by default. */
  readonly maxConcurrency?: number;
  /** 4 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Milliseconds since 1970; the machine's clock by default. */
  readonly now?: () => number;
  /** Hears failures that are not the client's doing; by default they are warnings of the process. */
  readonly onError?: (error: unknown) => void;
}

/** Refuses unknown options of a server. */
export const checkServerOptions: (options: CompletionServerOptions) => void = optionCheck<CompletionServerOptions>()(
  "completionHandler",
  `${serverKeys} models`,
);

/** What both kinds of servers are told beside their models. */
export type ServerSettings = Omit<CompletionServerOptions, "models">;

/** What is absent is the default. */
export function serverSettings(given: ServerSettings): Required<ServerSettings> {
  return {
    defaultMaxTokens: 1024,
    hosts: [],
    apiKey: null,
    maxConcurrency: 256,
    maxBodyBytes: 4 << 20,
    now: () => new Date().getTime(),
    onError: (error) => process.emitWarning(error instanceof Error ? error : String(error)),
    ...given,
  };
}
