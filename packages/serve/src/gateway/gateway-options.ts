import type { AgentId, ChatTokenizer, Sampling, Tokenizer, ToolFormat } from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import { hermesTools } from "@laconic/topologies";
import { serverKeys, serverSettings, type ServerSettings } from "../options.ts";
import type { GatewayEvent } from "./rollout-registry.ts";

/** Who speaks under a model's name. */
export interface GatewayAgent {
  /** Null for a model that reads no token ids, such as an API; it cannot learn. */
  readonly tokenizer: Tokenizer | ChatTokenizer | null;
  /** Most tokens of prompt and reply together. */
  readonly contextLength: number;
  /** Its replies are trained; by default where it has a tokenizer. */
  readonly learns?: boolean;
}

/** Bounds on what other programs may take. */
export interface GatewayLimits {
  /** Rollouts open at once, those that wait to begin included; 1,024 by default. */
  readonly maxOpen: number;
  /** Rollouts that wait to be trained, above which no new one is opened; those of `maxLag` and four steps by default, 1,024 at the least. */
  readonly maxWaiting: number;
  /** Requests of one rollout; 256 by default. */
  readonly maxCalls: number;
  /** Tokens of all prompts and replies of one rollout; 262,144 by default. */
  readonly maxTokens: number;
  /** A rollout of which nothing is asked for so long is dropped; 600 by default. */
  readonly rolloutSeconds: number;
  /** Where nothing is asked of any open rollout for so long, one group more may begin than the next steps can train; 30 by default. */
  readonly stalledSeconds: number;
}

/** Who is trained through the endpoint, in what groups, and by which rules. Only who speaks has to be said. */
export interface GatewayOptions extends ServerSettings {
  /** By the model name that requests have. */
  readonly agents: Readonly<Record<AgentId, GatewayAgent>>;
  /** Groups that a step is made of: a trainer's `problemsPerStep`, 16 by default as there. */
  readonly groupsPerStep?: number;
  /** Rollouts of one problem that are compared with each other: a trainer's `episodesPerProblem`, 8 by default as there. */
  readonly rolloutsPerGroup?: number;
  /** A group that waits longer for its last members goes on with those it has, from two on; a single one is dropped. Default 600. */
  readonly groupSeconds?: number;
  /** How every reply is drawn: training corrects for this temperature, 1 by default, and no other. */
  readonly sampling?: Sampling;
  /** A request that asks to be sampled otherwise is answered as the run samples (`run`, the default), or refused. */
  readonly otherSampling?: "run" | "refuse";
  /** Prompts that say an earlier reply in other tokens begin a new sequence (`branch`, the default), or are refused. */
  readonly rerendered?: "branch" | "refuse";
  /** Steps that a reply may be behind when it is trained, 0 by default; older rollouts are dropped and refused. */
  readonly maxLag?: number;
  /** Rewards of single agents are taken; false by default. */
  readonly agentRewards?: boolean;
  /** `hermesTools()` by default; null refuses requests with tools. */
  readonly tools?: ToolFormat | null;
  readonly limits?: Partial<GatewayLimits>;
  /** Replies are drawn from streams of it, 0 by default: by step, rollout and turn. */
  readonly seed?: string | number;
  /** Kept before a client hears of it; what a run goes on from. Nothing is kept by default. */
  readonly journal?: (event: GatewayEvent) => Promise<void>;
  /** The journal of the run's earlier processes: read once, with the first step. Requests wait until it is. None by default. */
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

/** Options with nothing left open. */
export type GatewaySettings = Required<Omit<GatewayOptions, "agents" | "limits">> & {
  readonly agents: Readonly<Record<AgentId, Required<GatewayAgent>>>;
  readonly limits: GatewayLimits;
};

/** What is absent is the default. */
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
