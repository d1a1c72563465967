import type { AgentId, EpisodeContext, Problem, } from "@laconic/core";
import { randomUUID } from "node:crypto";
import { samplingOfFields } from "@laconic/core/backends";
import { z } from "zod";
import { invalid } from "../http.ts";
import type { ServedTeam } from "../options.ts";
import { parse } from "../parse.ts";
import { commonShape, textSchema } from "../schemas.ts";

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
}

const messageSchema = z.strictObject({
  role: z.literal("user", { error: "it must be user: a team is asked one question, and keeps no conversation" }),
  content: textSchema,
  /** The agent whose private view it is; the question has none. */
  name: z.string().min(1).exactOptional(),
});

const chatSchema = z.strictObject({
  ...commonShape,
  max_completion_tokens: z.int().min(1).exactOptional(),
  messages: z.array(messageSchema).min(1),
  // Clients send these at a value without effect.
  tools: z.array(z.unknown()).max(0, { error: "a team takes no tools of its callers, only its own" }).optional(),
  tool_choice: z.enum(["auto", "none"]).optional(),
});

/**
 * Reads a chat for a team, `withoutNulls`.
 * @throws HttpError 400 naming the parameter; LaconicError `input_invalid` for a question that the team cannot be asked
 */
export function teamRequest(json: object, team: ServedTeam): TeamRequest {
  const body = parse(chatSchema, json);
  const questions = body.messages.filter(({ name }) => name === undefined);
  if (questions.length !== 1)
    throw invalid(
      `a team is asked one question: send one message without a name, not ${questions.length}; name=AGENT gives an agent its private view`,
      "messages",
    );
  const question = questions[0]?.content ?? "";
  const views = viewsIn(body.messages, team);
  const { temperature, ...cuts } = samplingOfFields("openai-extended", body);
  return {
    problem:
      !views && team.problemOf
        ? team.problemOf(question)
        : { id: "asked", question, gold: "", ...(views && { views }) },
    sampling: { ...team.sampling, ...cuts, ...(body.temperature !== undefined && { temperature }) },
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    count: body.n ?? 1,
    seed: body.seed ?? randomUUID(),
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
  };
}

/** @throws HttpError 400 for an unknown agent, or two views of one */
function viewsIn(
  messages: readonly z.output<typeof messageSchema>[],
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
