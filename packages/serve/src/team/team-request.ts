import { createHash, randomUUID } from "node:crypto";
import type { AgentId, EpisodeContext, Problem, ToolDefinition } from "@laconic/core";
import { samplingOfFields } from "@laconic/core/backends";
import { z } from "zod";
import { invalid } from "../http.ts";
import type { ServedTeam } from "../options.ts";
import { parse } from "../parse.ts";
import { callsSchema, commonShape, offeredShape, textSchema, toolsIn } from "../schemas.ts";

/** What a chat asks of a team. */
export interface TeamRequest {
  readonly problem: Problem;
  readonly sampling: EpisodeContext["sampling"];
  /** Limit of the whole team in an episode; null for the team's own. */
  readonly maxTokens: number | null;
  /** Episodes, each with an answer. */
  readonly count: number;
  readonly seed: number | string;
  readonly isStreamed: boolean;
  readonly includesUsage: boolean;
  /** Null where the chat has no tools. */
  readonly offer: Offer | null;
  /** Answers to calls of an episode by their ids; null begins a new episode. */
  readonly answers: ReadonlyMap<string, string> | null;
  /** Hash of the request that an episode begins with. */
  readonly begun: string;
}

/** The caller's tools, and the agents that may call them. */
export interface Offer {
  readonly tools: readonly ToolDefinition[];
  readonly agents: readonly AgentId[];
}

const messageSchema = z.discriminatedUnion(
  "role",
  [
    // A message with an agent's name is what that agent alone sees.
    z.strictObject({ role: z.literal("user"), content: textSchema, name: z.string().min(1).exactOptional() }),
    // Only its calls are read.
    z.object({ role: z.literal("assistant"), tool_calls: callsSchema.nullish() }),
    z.object({ role: z.literal("tool"), tool_call_id: z.string().max(256), content: textSchema }),
  ],
  {
    error:
      "it must be user, or assistant and tool for calls of tools: a team is asked one question, and keeps no conversation",
  },
);
type Message = z.output<typeof messageSchema>;
type UserMessage = Extract<Message, { readonly role: "user" }>;

const chatSchema = z.strictObject({
  ...commonShape,
  max_completion_tokens: z.int().min(1).exactOptional(),
  ...offeredShape,
  /** Agents that may call the tools; those that answer by default. */
  tool_agents: z.array(z.string()).min(1).optional(),
  messages: z.array(messageSchema).min(1),
});

/**
 * Reads a chat for a team, `withoutNulls`. Calls and their answers continue the episode that made them.
 * @throws HttpError 400 naming the parameter; LaconicError `input_invalid` for a question that the team cannot be asked
 */
export function teamRequest(json: object, team: ServedTeam): TeamRequest {
  const body = parse(chatSchema, json);
  const users = body.messages.filter((message) => message.role === "user");
  const answers = answersIn(body.messages, users.length);
  const questions = users.filter(({ name }) => name === undefined);
  if (questions.length !== 1)
    throw invalid(
      `a team is asked one question: send one message without a name, not ${questions.length}; name=AGENT gives an agent its private view`,
      "messages",
    );
  if (answers && (body.n ?? 1) > 1) throw invalid("n: an episode goes on as one", "n");
  const { temperature, ...cuts } = samplingOfFields("openai-extended", body);
  const sampling = { ...team.sampling, ...cuts, ...(body.temperature !== undefined && { temperature }) };
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? null;
  const begun = [team.name, users, sampling, maxTokens, body.seed ?? null];
  return {
    problem: problemOf(team, questions[0]?.content ?? "", viewsIn(users, team)),
    sampling,
    maxTokens,
    count: body.n ?? 1,
    seed: body.seed ?? randomUUID(),
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
    offer: offerOf(body, team),
    answers,
    begun: createHash("sha256").update(JSON.stringify(begun)).digest("base64url"),
  };
}

/**
 * Answers to the last calls; null without calls.
 * @param users - messages before the first call
 * @throws HttpError 400 for calls without answers, answers without calls, and anything behind them
 */
function answersIn(messages: readonly Message[], users: number): TeamRequest["answers"] {
  const turns = messages.slice(users);
  if (turns.length === 0) return null;
  const refuse = (reason: string): never => {
    throw invalid(`messages: ${reason}; a team keeps no conversation beside its calls and their answers`, "messages");
  };
  if (messages.slice(0, users).some(({ role }) => role !== "user"))
    refuse("a message of the user stands behind a call");
  const last = turns.findLastIndex(({ role }) => role === "assistant");
  const call = turns[last];
  if (turns[0]?.role !== "assistant" || call?.role !== "assistant") return refuse("answers stand before their calls");
  const answers = new Map<string, string>();
  for (const message of turns.slice(last + 1)) {
    if (message.role !== "tool") continue;
    const { tool_call_id: id, content } = message;
    if (!call.tool_calls?.some((made) => made.id === id))
      refuse(`${JSON.stringify(id)} is none of the calls before it`);
    if (answers.has(id)) refuse(`call ${JSON.stringify(id)} has two answers`);
    answers.set(id, content);
  }
  if (answers.size === 0) refuse("the last calls have no answers");
  return answers;
}

/** @throws HttpError 400 for tools of a team that takes none, names of its own tools, and unknown agents */
function offerOf(body: z.output<typeof chatSchema>, { name, topology, tools: format }: ServedTeam): Offer | null {
  const { tool_agents: named, tool_choice: choice } = body;
  const hasTools = (body.tools ?? []).length > 0;
  if (choice && choice !== "auto" && choice !== "none")
    throw invalid("tool_choice: a team's agents choose themselves: auto or none", "tool_choice");
  if (!hasTools && named) throw invalid("tool_agents: the request has no tools", "tool_agents");
  if (hasTools && !format) throw invalid(`tools: ${name} takes none, because its agents read no chats`, "tools");
  const agents = named ?? topology.answerers ?? topology.agents;
  for (const agent of agents) checkAgent(agent, "tool_agents", name, topology.agents);
  const tools = toolsIn(body);
  const names = tools.map((tool) => tool.name);
  const own = agents.flatMap((agent) => topology.environment?.tools?.(agent) ?? []).map((tool) => tool.name);
  const twice = names.find((tool, i) => own.includes(tool) || names.indexOf(tool) < i);
  if (twice !== undefined)
    throw invalid(
      `tools: ${JSON.stringify(twice)} is ${own.includes(twice) ? "the team's own" : "there twice"}`,
      "tools",
    );
  return hasTools ? { tools, agents } : null;
}

function problemOf({ problemOf: pose }: ServedTeam, question: string, views: Problem["views"]): Problem {
  if (!views && pose) return pose(question);
  return { id: "asked", question, gold: "", ...(views && { views }) };
}

/** @throws HttpError 400 for an unknown agent, or two views of one */
function viewsIn(messages: readonly UserMessage[], { name: team, topology: { agents } }: ServedTeam): Problem["views"] {
  const views = new Map<AgentId, string>();
  messages.forEach(({ name, content }, i) => {
    if (name === undefined) return;
    const place = `messages.${i}.name`;
    checkAgent(name, place, team, agents);
    if (views.has(name)) throw invalid(`${place}: ${name} has a view already`, place);
    views.set(name, content);
  });
  return views.size === 0 ? undefined : Object.fromEntries(views);
}

function checkAgent(agent: string, place: string, team: string, agents: readonly AgentId[]): void {
  if (agents.includes(agent)) return;
  throw invalid(`${place}: ${team} has no agent ${JSON.stringify(agent)}; it has ${agents.join(", ")}`, place);
}
