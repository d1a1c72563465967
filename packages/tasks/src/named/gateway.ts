import { refuseSetting } from "@laconic/core";
import * as z from "zod";
import { settings, type NamedTask, type SettingsOf } from "./named-task.ts";

const count = z.int().min(1);
const seconds = z.number().positive();

export const gateway: NamedTask<SettingsOf<"gateway">> = {
  schema: settings("gateway", {
    agents: z
      .array(z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/u))
      .min(1)
      .describe("Agent names, as in the requests' `model`"),
    frozen: z.array(z.string()).default([]).describe("Agents that do not learn and speak with the actor"),
    rerendered: z
      .enum(["branch", "refuse"])
      .default("branch")
      .describe("Action when a prompt retokenizes an earlier reply: new sequence, or refusal"),
    otherSampling: z
      .enum(["run", "refuse"])
      .default("run")
      .describe("Action on another temperature: use the run's, or refuse"),
    tools: z
      .enum(["told", "untold", "none"])
      .default("told")
      .describe("Tool calls in replies; `told` lists the request's tools in the prompt"),
    limits: z
      .strictObject({
        maxOpen: count.exactOptional().describe("Max open rollouts"),
        maxCalls: count.exactOptional().describe("Max requests per rollout"),
        maxTokens: count.exactOptional().describe("Max prompt and reply tokens per rollout"),
        rolloutSeconds: seconds.exactOptional().describe("Idle seconds before a rollout is dropped"),
        groupSeconds: seconds.exactOptional().describe("Seconds before a group continues with its present rollouts"),
        stalledSeconds: seconds.exactOptional().describe("Seconds without requests before another group may begin"),
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
      error: "name at least one trained agent",
    }),
  title: ({ agents }) => `gateway/${agents.join("+")}`,
  about: ({ agents }) =>
    `${agents.join(", ")} ${agents.length === 1 ? "is an agent" : "are agents"} of another program, which requests replies through an endpoint. It runs the episodes and reports their rewards.`,
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
  refuseSetting("task", "a gateway's agents belong to another program; use laconic serve --train");
}
