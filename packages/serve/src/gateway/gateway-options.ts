import { mapValues } from "@laconic/core";
import type { AgentId, ChatTokenizer, Sampling, Tokenizer, ToolFormat } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { hermesTools } from "@laconic/topologies";
import { serverKeys, serverSettings, type ServerSettings } from "../options.ts";
import type { GatewayEvent } from "./rollout-registry.ts";

/** An agent, served as a model. */
export interface GatewayAgent {
  /** Null for a model without token ids, such as an API; it cannot be trained. */
  readonly tokenizer: Tokenizer | ChatTokenizer | null;
  /** Prompt and reply together. */
  readonly contextLength: number;
  /** Default: true with a tokenizer. */
  readonly learns?: boolean;
}

export interface GatewayLimits {
  /** Includes rollouts that wait to start. Default 1,024. */
  readonly maxOpen: number;
  /**
   * Max rollouts that wait for training; above it no rollout starts. Default: those of `maxLag` + 4 steps, at least
   * 1,024.
   */
  readonly maxWaiting: number;
  /** Requests per rollout. Default 256. */
  readonly maxCalls: number;
  /** Tokens of all prompts and replies of a rollout. Default 262,144. */
  readonly maxTokens: number;
  /** Drops a rollout after so long without a request. Default 600. */
  readonly rolloutSeconds: number;
  /** Admits one extra group after so long without a request to any open rollout. Default 30. */
  readonly stalledSeconds: number;
}

/** Options of `createGateway`. */
export interface GatewayOptions extends ServerSettings {
  /** Keys are model names. */
  readonly agents: Readonly<Record<AgentId, GatewayAgent>>;
  /** The trainer's `problemsPerStep`. Default 16. */
  readonly groupsPerStep?: number;
  /** The trainer's `episodesPerProblem`. Default 8. */
  readonly rolloutsPerGroup?: number;
  /** Wait for missing members; then two or more members are trained and a single one is dropped. Default 600. */
  readonly groupSeconds?: number;
  /** Training corrects for its temperature, default 1. */
  readonly sampling?: Sampling;
  /** Uses the run's sampling for others (`run`, default) or refuses. */
  readonly otherSampling?: "run" | "refuse";
  /** Starts a new sequence (`branch`, default) for prompts that render an earlier reply in other tokens, or refuses. */
  readonly rerendered?: "branch" | "refuse";
  /** Steps that a trained reply may be behind; older rollouts are dropped. Default 0. */
  readonly maxLag?: number;
  /** Default false. */
  readonly agentRewards?: boolean;
  /** Default `hermesTools()`; null refuses requests with tools. */
  readonly tools?: ToolFormat | null;
  readonly limits?: Partial<GatewayLimits>;
  /** Random streams also depend on step, rollout and turn. Default 0. */
  readonly seed?: string | number;
  /** Stores events, before the response is sent, so that a run can resume. Default: nothing is stored. */
  readonly journal?: (event: GatewayEvent) => Promise<void>;
  /** Journal of the run's earlier processes, read with the first step. Requests wait for it. Default: none. */
  readonly past?: AsyncIterable<GatewayEvent> | readonly GatewayEvent[];
}

const checkOptions = optionCheck<GatewayOptions>()(
  "createGateway",
  `${serverKeys} agents groupsPerStep rolloutsPerGroup groupSeconds sampling otherSampling rerendered maxLag agentRewards tools limits seed journal past`,
);
const checkLimits = optionCheck<Partial<GatewayLimits>>()(
  "limits",
  "maxOpen maxWaiting maxCalls maxTokens rolloutSeconds stalledSeconds",
);

export type GatewaySettings = Required<Omit<GatewayOptions, "agents" | "limits">> & {
  readonly agents: Readonly<Record<AgentId, Required<GatewayAgent>>>;
  readonly limits: GatewayLimits;
};

export function gatewaySettings(options: GatewayOptions): GatewaySettings {
  checkOptions(options);
  checkLimits(options.limits ?? {});
  const { agents, limits, ...rest } = options;
  const settings = {
    groupsPerStep: 16,
    rolloutsPerGroup: 8,
    groupSeconds: 600,
    sampling: { temperature: 1 },
    otherSampling: "run",
    rerendered: "branch",
    maxLag: 0,
    agentRewards: false,
    tools: hermesTools(),
    seed: 0,
    journal: async () => undefined,
    past: [],
    ...rest,
  } as const;
  return {
    ...settings,
    ...serverSettings(rest),
    agents: mapValues(agents, (agent) => ({ learns: agent.tokenizer !== null, ...agent })),
    limits: {
      maxOpen: 1024,
      maxWaiting: Math.max(1024, (settings.maxLag + 4) * settings.groupsPerStep * settings.rolloutsPerGroup),
      maxCalls: 256,
      maxTokens: 262_144,
      rolloutSeconds: 600,
      stalledSeconds: 30,
      ...limits,
    },
  };
}
