import { LaconicError } from "@laconic/core";
import * as z from "zod";
import { settings, type NamedTask, type SettingsOf } from "./named-task.ts";

const count = z.int().min(1);
const seconds = z.number().positive();

export const gateway: NamedTask<SettingsOf<"gateway">> = {
  schema: settings("gateway", {
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
        rolloutSeconds: seconds.exactOptional().describe("Seconds without a request after which a rollout is dropped"),
        groupSeconds: seconds.exactOptional().describe("Seconds after which a group goes on with the rollouts it has"),
        stalledSeconds: seconds
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
    .refine(({ agents, frozen }) => frozen.every((agent) => agents.includes(agent)), {
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
      trainedAgents: agents.filter((agent) => !frozen.includes(agent)),
    };
  },
};

async function playedElsewhere(): Promise<never> {
  throw new LaconicError(
    "config_invalid",
    "task: the agents of a gateway belong to another program, which plays by itself; laconic serve --train takes what they say",
    { key: "task" },
  );
}
