import { randomFromSeed, type ChatMessage, type CompletionRequest, type Episode, type Topology } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import type { AnswerReader } from "../src/index.ts";

export interface Call {
  readonly agent: string;
  readonly messages: readonly ChatMessage[];
  readonly system: string;
  readonly user: string;
  readonly maxTokens: number;
  readonly request: CompletionRequest;
}

interface Asked {
  readonly id?: string;
  readonly question?: string;
  readonly temperature?: number;
}

export interface Played {
  readonly calls: readonly Call[];
  readonly speakers: readonly string[];
  readonly episode: Episode;
}

export async function play(
  team: Topology,
  answer: (call: Call, position: number) => string,
  { id = "1", question = "How many?", temperature = 1 }: Asked = {},
): Promise<Played> {
  const calls: Call[] = [];
  const modelOf = (agent: string) =>
    scriptedModel((request: CompletionRequest) => {
      const { prompt, sampling } = request;
      const messages = prompt.kind === "messages" ? [...prompt.messages] : [];
      const [system = "", user = ""] = [messages[0]?.content, messages.at(-1)?.content];
      const call = { agent, messages, system, user, maxTokens: sampling.maxTokens, request };
      calls.push(call);
      return answer(call, calls.length - 1);
    });
  const models = Object.fromEntries(team.agents.map((agent) => [agent, modelOf(agent)]));
  const problem = { id, question, gold: "7" };
  const episode = await team.run(problem, {
    models,
    sampling: { temperature },
    random: randomFromSeed(`${id} ${question}`),
  });
  return { calls, speakers: calls.map(({ agent }) => agent), episode };
}

export const firstOf = (pattern: RegExp): AnswerReader => ({
  read: (reply) => pattern.exec(reply)?.[0] ?? null,
  same: (a, b) => a === b,
});
export const lastNumber: AnswerReader = {
  read: (reply) => reply.match(/-?\d+(?:\.\d+)?/gu)?.at(-1) ?? null,
  same: (a, b) => Number(a) === Number(b),
};
export const wholeReply: AnswerReader = { read: (reply) => reply.trim() || null, same: (a, b) => a === b };
