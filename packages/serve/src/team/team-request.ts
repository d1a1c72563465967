import { createHash, randomUUID } from "node:crypto";
import type { AgentId, EpisodeContext, Problem, ToolDefinition } from "@laconic/core";
import { samplingOfFields } from "@laconic/core/backends";
import { invalid } from "../http.ts";
import { parse } from "../jobs.ts";
import type { ServedTeam } from "../options.ts";
import { teamChatSchema, type TeamChatBody, type TeamMessage } from "../schemas.ts";
import { toolsIn } from "../tool-schemas.ts";

/** What a chat asks of a team. */
export interface TeamRequest {
  readonly problem: Problem;
  readonly sampling: EpisodeContext["sampling"];
  /** Of the whole team in an episode, where the request says. */
  readonly maxTokens: number | null;
  /** Episodes, each with an answer. */
  readonly count: number;
  readonly seed: number | string;
  readonly isStreamed: boolean;
  readonly includesUsage: boolean;
  /** Null where the chat has no tools. */
  readonly offer: Offer | null;
  /** What calls of an episode answered, by their ids; null begins one. */
  readonly answers: ReadonlyMap<string, string> | null;
  /** Tells what an episode began with from anything else. */
  readonly begun: string;
}

/** Tools of the caller's, and who may call them. */
export interface Offer {
  readonly tools: readonly ToolDefinition[];
  readonly agents: readonly AgentId[];
}

type UserMessage = Extract<TeamMessage, { readonly role: "user" }>;

/**
 * Reads a chat for a team, `withoutNulls`: one message without a name is the question, one with an agent's name is what that agent alone sees. Calls
 * and their answers behind them go on with the episode that made them.
 * @throws HttpError 400 naming the parameter; LaconicError `input_invalid` for a question that the team cannot be asked
 */
export function teamRequest(given: object, team: ServedTeam): TeamRequest {
  const body = parse(teamChatSchema, given);
  const asked = body.messages.filter((each) => each.role === "user");
  const answers = answersIn(body.messages, asked.length);
  const questions = asked.filter(({ name }) => name === undefined);
  if (questions.length !== 1)
    throw invalid(
      `a team is asked one question: send one message without a name, not ${questions.length}; name=AGENT gives an agent its private view`,
      "messages",
    );
  if (answers && (body.n ?? 1) > 1) throw invalid("n: an episode goes on as one", "n");
  const { temperature, ...cuts } = samplingOfFields("openai-extended", body);
  const sampling = { ...team.sampling, ...cuts, ...(body.temperature !== undefined && { temperature }) };
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? null;
  const began = [team.name, asked, sampling, maxTokens, body.seed ?? null];
  return {
    problem: problemOf(team, questions[0]?.content ?? "", viewsIn(asked, team)),
    sampling,
    maxTokens,
    count: body.n ?? 1,
    seed: body.seed ?? randomUUID(),
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
    offer: offerOf(body, team),
    answers,
    begun: createHash("sha256").update(JSON.stringify(began)).digest("base64url"),
  };
}

/**
 * Of the last calls; null where none were made.
 * @param users - messages before the first call
 * @throws HttpError 400 for calls without answers, answers without calls, and anything behind them
 */
function answersIn(messages: readonly TeamMessage[], users: number): TeamRequest["answers"] {
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
    if (!call.tool_calls?.some((each) => each.id === id))
      refuse(`${JSON.stringify(id)} is none of the calls before it`);
    if (answers.has(id)) refuse(`call ${JSON.stringify(id)} has two answers`);
    answers.set(id, content);
  }
  if (answers.size === 0) refuse("the last calls have no answers");
  return answers;
}

/** @throws HttpError 400 for tools of a team that takes none, names of its own tools, and agents that it does not have */
function offerOf(body: TeamChatBody, { name, topology, tools: format }: ServedTeam): Offer | null {
  const { tool_agents: named } = body;
  const hasTools = (body.tools ?? []).length > 0;
  const { tool_choice: choice } = body;
  if (choice && choice !== "auto" && choice !== "none")
    throw invalid("tool_choice: a team's agents choose themselves: auto or none", "tool_choice");
  if (!hasTools && named) throw invalid("tool_agents: the request has no tools", "tool_agents");
  if (hasTools && !format) throw invalid(`tools: ${name} takes none, because its agents read no chats`, "tools");
  const agents = named ?? topology.answerers ?? topology.agents;
  const stranger = agents.find((agent) => !topology.agents.includes(agent));
  if (stranger !== undefined)
    throw invalid(
      `tool_agents: ${name} has no agent ${JSON.stringify(stranger)}; it has ${topology.agents.join(", ")}`,
      "tool_agents",
    );
  const tools = toolsIn(body);
  const names = tools.map((tool) => tool.name);
  const own = agents.flatMap((agent) => topology.environment?.tools?.(agent) ?? []).map((tool) => tool.name);
  const twice = names.find((each, i) => own.includes(each) || names.indexOf(each) < i);
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

/** @throws HttpError 400 for an agent that the team does not have, or that has two views */
function viewsIn(messages: readonly UserMessage[], { name: team, topology: { agents } }: ServedTeam): Problem["views"] {
  const views = new Map<AgentId, string>();
  messages.forEach(({ name, content }, i) => {
    if (name === undefined) return;
    const place = `messages.${i}.name`;
    if (!agents.includes(name))
      throw invalid(`${place}: ${team} has no agent ${JSON.stringify(name)}; it has ${agents.join(", ")}`, place);
    if (views.has(name)) throw invalid(`${place}: ${name} has a view already`, place);
    views.set(name, content);
  });
  return views.size === 0 ? undefined : Object.fromEntries(views);
}
