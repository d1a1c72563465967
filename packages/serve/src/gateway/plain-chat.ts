import type { ChatMessage, ToolFormat, ToolMessage } from "@laconic/core";
import { exactJson, exactNumber, writeJson } from "@laconic/core/json";
import { z } from "zod";
import { invalid } from "../http.ts";
import { parse } from "../jobs.ts";
import { choiceRule, type ReplyRule } from "../reply-rules.ts";
import {
  callsSchema,
  contentSchema,
  offeredShape,
  textSchema,
  toolsIn,
  type OfferedTools,
  type WireCall,
} from "../tool-schemas.ts";
import type { RecordedCall } from "./rollout-record.ts";

type WireMessage =
  | { readonly role: "system" | "developer" | "user"; readonly content: string }
  | { readonly role: "tool"; readonly content: string; readonly tool_call_id: string }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly tool_calls?: readonly WireCall[] | null | undefined;
    };

interface WireChat extends OfferedTools {
  readonly messages: readonly WireMessage[];
}

const chatSchema: z.ZodType<WireChat> = z.object({
  ...offeredShape,
  messages: z
    .array(
      z.discriminatedUnion(
        "role",
        [
          z.object({ role: z.enum(["system", "developer", "user"]), content: textSchema }),
          z.object({ role: z.literal("tool"), content: textSchema, tool_call_id: z.string().max(256) }),
          z.object({ role: z.literal("assistant"), content: contentSchema, tool_calls: callsSchema.nullish() }),
        ],
        { error: "it must be system, developer, user, assistant or tool" },
      ),
    )
    .min(1),
});

/** A chat with tools as a chat of plain text. */
export interface PlainChat {
  readonly messages: readonly ChatMessage[];
  /** Those that it offers. */
  readonly offered: ReturnType<typeof toolsIn>;
  /** What the choice of tools asks of replies. */
  readonly rules: readonly ReplyRule[];
}

/**
 * Calls that a reply of this rollout made come back as the text that the model wrote, so that nothing is rendered anew.
 * @throws HttpError 400 for tools where the gateway has no format for them, and for an answer that no call waits for
 */
export function plainChat(
  body: unknown,
  calls: readonly RecordedCall[],
  agent: string,
  format: ToolFormat | null,
): PlainChat {
  const { messages, ...given } = parse(chatSchema, body);
  const offered = toolsIn(given);
  const usesTools =
    (given.tools ?? []).length > 0 ||
    messages.some((each) => each.role === "tool" || (each.role === "assistant" && each.tool_calls?.length));
  if (usesTools && !format) throw invalid("tools: this run has no format for them", "tools");
  checkAnswers(messages);
  const plain = messages.map((message): ToolMessage => {
    const { role, content } = message;
    if (role !== "assistant") return { role: role === "developer" ? "system" : role, content };
    const all = message.tool_calls ?? [];
    if (all.length === 0) return { role, content };
    const own = calls.find((call) => call.agent === agent && isSame(call.tools, all));
    if (own) return { role, content: own.completion.text };
    return { role, content, calls: all.map((each) => each.function) };
  });
  const written = format ? format.write(plain, offered) : (plain as readonly ChatMessage[]);
  return { messages: written, offered, rules: choiceRule(given) };
}

/** A tool answers a call of the last reply before it, once. */
function checkAnswers(messages: readonly WireMessage[]): void {
  let waiting = new Map<string, boolean>();
  for (const [i, message] of messages.entries())
    if (message.role === "assistant") waiting = new Map((message.tool_calls ?? []).map(({ id }) => [id, true]));
    else if (message.role === "tool") {
      const { tool_call_id: id } = message;
      const place = `messages.${i}.tool_call_id`;
      const shown = JSON.stringify(id.slice(0, 64));
      if (!waiting.has(id)) throw invalid(`${place}: the reply before it calls nothing by the id ${shown}`, place);
      if (!waiting.get(id)) throw invalid(`${place}: the call ${shown} has its answer already`, place);
      waiting.set(id, false);
    }
}

function isSame(own: RecordedCall["tools"], given: readonly WireCall[]): boolean {
  return (
    own.length === given.length &&
    own.every(({ id, name, arguments: args }, i) => {
      const other = given[i];
      return other?.id === id && other.function.name === name && sameJson(args, other.function.arguments);
    })
  );
}

/** Whatever its spaces, and however it writes its numbers. */
function sameJson(left: string, right: string): boolean {
  const plain = (text: string): string => writeJson(exactJson(text, { number: exactNumber }));
  try {
    return plain(left) === plain(right);
  } catch {
    return left === right;
  }
}

/** What a chat has beside messages and tools. */
export function withoutTools(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([key]) => !toolParameters.has(key)));
}

const toolParameters: ReadonlySet<string> = new Set(["tools", "tool_choice", "messages"]);
