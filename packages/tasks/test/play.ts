import { randomFromSeed, type CompletionRequest, type Episode, type Problem, type Topology } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";

export interface Asked {
  readonly agent: string;
  readonly prompt: string;
  readonly maxTokens: number;
}

/** Text of a prompt; chat messages are lines. */
function shown({ prompt }: CompletionRequest): string {
  if (prompt.kind === "messages") return prompt.messages.map(({ content }) => content).join("\n");
  return prompt.kind === "text" ? prompt.text : "";
}

export async function play(
  topology: Topology,
  problem: Problem,
  says: (agent: string, prompt: string, request: CompletionRequest) => string,
  more: Partial<Parameters<Topology["run"]>[1]> = {},
): Promise<{ readonly episode: Episode; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const modelOf = (agent: string) =>
    scriptedModel((request) => {
      asked.push({ agent, prompt: shown(request), maxTokens: request.sampling.maxTokens });
      return { text: says(agent, shown(request), request) };
    });
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, modelOf(agent)]));
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0), ...more };
  return { episode: await topology.run(problem, context), asked };
}
