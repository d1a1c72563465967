import { LaconicError } from "@laconic/core";
import * as z from "zod";
import { taskNamed, type NamedTask } from "./named-task.ts";

/** What harnesses may take of a gateway; each has a default. */
export interface GatewayLimitSettings {
  /** Rollouts open at once, those that wait to begin included; 1,024 by default. */
  readonly maxOpen?: number;
  /** Requests of one rollout; 256 by default. */
  readonly maxCalls?: number;
  /** Tokens of all prompts and replies of one rollout; 262,144 by default. */
  readonly maxTokens?: number;
  /** A rollout of which nothing is asked for so long is dropped; 600 by default. */
  readonly rolloutSeconds?: number;
  /** A group that waits longer for its last members goes on with those it has; 600 by default. */
  readonly groupSeconds?: number;
  /** Where nothing is asked of any open rollout for so long, one group more may begin than the next steps can train; 30 by default. */
  readonly stalledSeconds?: number;
}

/** Agents of another program, which speak through an endpoint and say what they earned. */
export interface GatewaySettings {
  readonly name: "gateway";
  /** As requests name them in `model`. */
  readonly agents: readonly string[];
  /** Those that do not learn and speak with the actor; none by default. */
  readonly frozen?: readonly string[];
  /** Prompts that say an earlier reply in other tokens begin a new sequence (`branch`, the default), or are refused. */
  readonly rerendered?: "branch" | "refuse";
  /** Requests that ask for another temperature are answered at the run's (`run`, the default), or refused. */
  readonly otherSampling?: "run" | "refuse";
  /**
   * Calls between `<tool_call>` marks, as Qwen's models have them. `told` lists a request's tools to the model, the default;
   * `untold` does not, for one that has learned with them; `none` refuses tools.
   */
  readonly tools?: "told" | "untold" | "none";
  readonly limits?: GatewayLimitSettings;
}

const count = z.int().min(1);

export const gateway: NamedTask<GatewaySettings> = {
  schema: z
    .strictObject({
      name: taskNamed("gateway"),
      agents: z
        .array(z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/u))
        .min(1)
        .describe("Agents, as requests name them in `model`"),
      frozen: z.array(z.string()).default([]).describe("Agents that do not learn and speak with the actor"),
      rerendered: z
        .enum(["branch", "refuse"])
        .default("branch")
        .describe("A prompt that says an earlier reply in other tokens: begins a new sequence, or is refused"),
      otherSampling: z
        .enum(["run", "refuse"])
        .default("run")
        .describe("A request for another temperature: is answered at the run's, or refused"),
      tools: z
        .enum(["told", "untold", "none"])
        .default("told")
        .describe("Calls of tools in replies: `told` lists a request's tools to the model"),
      limits: z
        .strictObject({
          maxOpen: count.exactOptional().describe("Rollouts that are open at the same time"),
          maxCalls: count.exactOptional().describe("Requests of a rollout"),
          maxTokens: count.exactOptional().describe("Tokens of all prompts and replies of a rollout"),
          rolloutSeconds: z
            .number()
            .positive()
            .exactOptional()
            .describe("Seconds without a request after which a rollout is dropped"),
          groupSeconds: z
            .number()
            .positive()
            .exactOptional()
            .describe("Seconds after which a group goes on with the rollouts it has"),
          stalledSeconds: z
            .number()
            .positive()
            .exactOptional()
            .describe("Seconds in which no open rollout asks for anything, after which one group more may begin"),
        })
        .exactOptional()
        .describe("Limits of rollouts"),
    })
    .refine(({ agents }) => new Set(agents).size === agents.length, {
      path: ["agents"],
      error: "an agent is named twice",
    })
    .refine(({ agents, frozen }) => frozen.every((each) => agents.includes(each)), {
      path: ["frozen"],
      error: "they must be among the agents",
    })
    .refine(({ agents, frozen }) => frozen.length < agents.length, {
      path: ["frozen"],
      error: "nobody would learn",
    }),
  title: ({ agents }) => `gateway/${agents.join("+")}`,
  about: ({ agents }) =>
    `${agents.join(", ")} ${agents.length === 1 ? "is an agent" : "are agents"} of another program, which asks for their words through an endpoint. It plays the game by its own rules, and says itself what an episode earned.`,
  isServed: true,
  hasFrozenAgents: ({ frozen = [] }) => frozen.length > 0,
  async open({ agents, frozen = [] }, resources) {
    const { tokenizerOf } = await import("../text/tokenizer-of.ts");
    return {
      name: "gateway",
      topology: { name: "gateway", agents, run: playedElsewhere },
      problems: () => [],
      testProblems: [],
      tokenizer: await tokenizerOf(resources),
      trainedAgents: agents.filter((each) => !frozen.includes(each)),
    };
  },
};

async function playedElsewhere(): Promise<never> {
  throw new LaconicError(
    "config_invalid",
    "task: the agents of a gateway are another program's, and play when it asks; laconic serve --train takes what they say",
    { key: "task" },
  );
}
