import type { AgentId, ChatTokenizer, Sampling, Tokenizer } from "@laconic/core";
import type { CompletionServerOptions } from "../options.ts";
import type { GatewayEvent } from "./rollout-registry.ts";
import type { ToolFormat } from "@laconic/core";

/** Who speaks under a model's name. */
export interface GatewayAgent {
  /** Null for a model that reads no token ids, such as an API; it cannot learn. */
  readonly tokenizer: Tokenizer | ChatTokenizer | null;
  /** Most tokens of prompt and reply together. */
  readonly contextLength: number;
  /** Its replies are trained. */
  readonly learns: boolean;
}

/** Bounds on what harnesses may take. */
export interface GatewayLimits {
  /** Rollouts open at once. */
  readonly maxOpen: number;
  /** Rollouts that wait to be trained, above which no new one is opened. */
  readonly maxWaiting: number;
  /** Requests of one rollout. */
  readonly maxCalls: number;
  /** Tokens of all prompts and replies of one rollout. */
  readonly maxTokens: number;
  /** A rollout of which nothing is asked for so long is dropped. */
  readonly rolloutSeconds: number;
}

/** Who is trained through the endpoint, in what groups, and by which rules. */
export interface GatewayOptions extends Pick<
  CompletionServerOptions,
  "apiKey" | "hosts" | "maxConcurrency" | "maxBodyBytes" | "defaultMaxTokens" | "now" | "onError"
> {
  /** By the model name that requests have. */
  readonly agents: Readonly<Record<AgentId, GatewayAgent>>;
  /** Groups that a step is made of. */
  readonly groupsPerStep: number;
  /** Rollouts of one problem that are compared with each other. */
  readonly rolloutsPerGroup: number;
  /** A group that waits longer for its last members goes on with those it has, from two on; a single one is dropped. */
  readonly groupSeconds: number;
  /** How every reply is drawn: training corrects for this temperature and no other. */
  readonly sampling: Sampling;
  /** A request that asks to be sampled otherwise is answered as the run samples (`run`), or refused. */
  readonly otherSampling: "run" | "refuse";
  /** Prompts that say an earlier reply in other tokens begin a new sequence (`branch`), or are refused. */
  readonly rerendered: "branch" | "refuse";
  /** Steps that a reply may be behind when it is trained; older rollouts are dropped and refused. */
  readonly maxLag: number;
  /** Rewards of single agents are taken. */
  readonly agentRewards: boolean;
  /** Null refuses requests with tools. */
  readonly tools: ToolFormat | null;
  readonly limits: GatewayLimits;
  /** Replies are drawn from streams of it: by step, rollout and turn. */
  readonly seed: string | number;
  /** Kept before a client hears of it; what a run goes on from. */
  readonly journal: (event: GatewayEvent) => Promise<void>;
  /** The journal of the run's earlier processes: read once, with the first step. Requests wait until it is. */
  readonly past: AsyncIterable<GatewayEvent> | readonly GatewayEvent[];
}
