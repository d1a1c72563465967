import type { AgentId, ChatTokenizer, Sampling, Tokenizer, ToolFormat } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { hermesTools } from "@laconic/topologies";
import { serverKeys, serverSettings, type ServerSettings } from "../options.ts";
import type { GatewayEvent } from "./rollout-registry.ts";

/** An agent, served as a model. */
export interface GatewayAgent {
  /** Null for a model without token ids, such as an API; it cannot be trained. */
  readonly tokenizer: Tokenizer | ChatTokenizer | null;
  /** Max tokens of prompt and reply together. */
  readonly contextLength: number;
  /** Whether its replies are trained. Default: true with a tokenizer. */
  readonly learns?: boolean;
}

/** Limits of what clients may use. */
export interface GatewayLimits {
  /** Max open rollouts, including those that wait to start. Default 1,024. */
  readonly maxOpen: number;
  /**
   * Max rollouts that wait for training; above it no rollout starts. Default: those of `maxLag` + 4 steps, at least
   * 1,024.
   */
  readonly maxWaiting: number;
  /** Max requests per rollout. Default 256. */
  readonly maxCalls: number;
  /** Max tokens of all prompts and replies of a rollout. Default 262,144. */
  readonly maxTokens: number;
  /** Seconds without a request after which a rollout is dropped. Default 600. */
  readonly rolloutSeconds: number;
  /** Seconds without a request to any open rollout after which one extra group may start. Default 30. */
  readonly stalledSeconds: number;
}

/** Options of `createGateway`. Only `agents` is required. */
export interface GatewayOptions extends ServerSettings {
  /** Keys are model names in requests. */
  readonly agents: Readonly<Record<AgentId, GatewayAgent>>;
  /** Groups per step: the trainer's `problemsPerStep`. Default 16. */
  readonly groupsPerStep?: number;
  /** Rollouts per group: the trainer's `episodesPerProblem`. Default 8. */
  readonly rolloutsPerGroup?: number;
  /**
   * Seconds that a group waits for missing members. Then two or more members are trained and a single one is dropped.
   * Default 600.
   */
  readonly groupSeconds?: number;
  /** Sampling of every reply. Training corrects for its temperature, default 1. */
  readonly sampling?: Sampling;
  /** Reaction to requests with other sampling: use the run's sampling (`run`, default) or refuse. */
  readonly otherSampling?: "run" | "refuse";
  /**
   * Reaction to prompts that render an earlier reply in other tokens: start a new sequence (`branch`, default) or
   * refuse.
   */
  readonly rerendered?: "branch" | "refuse";
  /** Max steps that a reply may be behind when it is trained; older rollouts are dropped. Default 0. */
  readonly maxLag?: number;
  /** Accepts rewards of single agents. Default false. */
  readonly agentRewards?: boolean;
  /** Tool format. Default `hermesTools()`; null refuses requests with tools. */
  readonly tools?: ToolFormat | null;
  readonly limits?: Partial<GatewayLimits>;
  /** Seed of the random streams, which also depend on step, rollout and turn. Default 0. */
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

/** Options with all defaults. */
export type GatewaySettings = Required<Omit<GatewayOptions, "agents" | "limits">> & {
  readonly agents: Readonly<Record<AgentId, Required<GatewayAgent>>>;
  readonly limits: GatewayLimits;
};

export function gatewaySettings(options: GatewayOptions): GatewaySettings {
  checkOptions(options);
  checkLimits(options.limits ?? {});
  const { agents, limits, ...given } = options;
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
    ...given,
  } as const;
  return {
    ...settings,
    ...serverSettings(given),
    agents: Object.fromEntries(
      Object.entries(agents).map(([id, agent]) => [id, { learns: agent.tokenizer !== null, ...agent }]),
    ),
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
