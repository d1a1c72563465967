import type { Completion, CompletionRequest, LanguageModel, Topology } from "@laconic/core";
import { hermesTools, type CompletionHandler, type ServedTeam } from "@laconic/serve";
import { graphTopology } from "@laconic/topologies";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { lookingTeam, tokenizer } from "./tiny-gateway.ts";
import type { ServerChange } from "./tiny-server.ts";

export const lookTool = {
  name: "look",
  description: "looks something up",
  parameters: { type: "object", properties: { key: { type: "string" } } },
};

export const looking: ServerChange = {
  policy: lookingTeam.scout,
  tokenizer,
  contextLength: 4096,
  maxBodyBytes: 4 << 20,
  tools: hermesTools(),
};

export const openAiOf = (handler: CompletionHandler): OpenAI =>
  new OpenAI({
    baseURL: "http://localhost/v1",
    apiKey: "none",
    maxRetries: 0,
    fetch: (input, init) => handler(new Request(input, init)),
  });

export const anthropicOf = (handler: CompletionHandler, apiKey = "none"): Anthropic =>
  new Anthropic({
    baseURL: "http://localhost",
    apiKey,
    maxRetries: 0,
    fetch: (input, init) => handler(new Request(input, init)),
  });

/** Replies by `replies` of the prompt; `asked` receives each request. */
export const reading = (replies: (read: string) => string, asked: CompletionRequest[] = []): LanguageModel => ({
  id: "reading",
  complete(request): Promise<Completion> {
    asked.push(request);
    const { prompt } = request;
    const read = prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("|") : "";
    const text = replies(read);
    const usage = { promptTokens: read.length, completionTokens: text.length + 1, counted: "model" } as const;
    return Promise.resolve({ text, finishReason: "stop", usage, model: { id: "reading", weightVersion: 0 } });
  },
});

export const scoutAndSolver: Topology = graphTopology({
  name: "pair",
  rounds: 1,
  agents: ["scout", "solver"].map((id) => ({
    id,
    role: id,
    maxTokens: 500,
    prompt: ({ question, inbox }) => ({
      kind: "messages",
      messages: [{ role: "user", content: `${question} ${inbox.map(({ text }) => text).join(" ")}` }],
    }),
  })),
  spatial: [{ from: "scout", to: "solver" }],
  answer: {
    name: "solver's",
    agents: ["solver"],
    choose: (all) => all.findLast(({ agent }) => agent === "solver") ?? null,
  },
});

/** Team whose solver answers with the scout's report. */
export const reportingTeam: ServedTeam = {
  name: "pair",
  topology: scoutAndSolver,
  models: { scout: reading(() => "mild"), solver: reading((read) => read.split(" ").at(-1) ?? "") },
  sampling: { temperature: 1 },
};
