import { randomUUID } from "node:crypto";
import { samplingOfFields, type AgentId, type EpisodeContext, type Problem } from "@laconic/core";
import { invalid } from "../http.ts";
import { parse } from "../jobs.ts";
import type { ServedTeam } from "../options.ts";
import { teamChatSchema, type TeamChatBody } from "../schemas.ts";

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
}

/**
 * Reads a chat for a team: one message without a name is the question, one with an agent's name is what that agent alone sees.
 * @throws HttpError 400 naming the parameter; LaconicError `input_invalid` for a question that the team cannot be asked
 */
export function teamRequest(json: unknown, team: ServedTeam): TeamRequest {
  const body = parse(teamChatSchema, json);
  const questions = body.messages.filter(({ name }) => name === undefined);
  if (questions.length !== 1)
    throw invalid(
      `a team is asked one question: send one message without a name, not ${questions.length}; name=AGENT gives an agent its private view`,
      "messages",
    );
  const { temperature, ...cuts } = samplingOfFields("openai-extended", body);
  return {
    problem: problemOf(team, questions[0]?.content ?? "", viewsIn(body.messages, team)),
    sampling: { ...team.sampling, ...cuts, ...(body.temperature !== undefined && { temperature }) },
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    count: body.n ?? 1,
    seed: body.seed ?? randomUUID(),
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
  };
}

function problemOf({ problemOf: pose }: ServedTeam, question: string, views: Problem["views"]): Problem {
  if (!views && pose) return pose(question);
  return { id: "asked", question, gold: "", ...(views && { views }) };
}

/** @throws HttpError 400 for an agent that the team does not have, or that has two views */
function viewsIn(
  messages: TeamChatBody["messages"],
  { name: team, topology: { agents } }: ServedTeam,
): Problem["views"] {
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
