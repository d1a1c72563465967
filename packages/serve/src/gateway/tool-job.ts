import { randomUUID } from "node:crypto";
import type { CalledTool, ReadReply } from "../forms.ts";
import { chatJob, type Job } from "../jobs.ts";
import { strictRules } from "../reply-rules.ts";
import { plainChat, withoutTools } from "./plain-chat.ts";
import type { ToolFormat, WrittenCall } from "@laconic/core";

/** A chat that may have tools, `withoutNulls`. @throws HttpError 400 naming the parameter */
export function toolJob(body: Readonly<Record<string, unknown>>, format: ToolFormat, defaultMaxTokens: number): Job {
  const { messages, offered, rules } = plainChat(body, [], "", format);
  const job = chatJob({ ...withoutTools(body), messages }, defaultMaxTokens);
  if (offered.length === 0) return job;
  return {
    ...job,
    rules: [...rules, ...strictRules(offered), ...job.rules],
    readReply: ({ text }) => readCalls(format, text),
  };
}

/** Calls of a reply, each with an id of its own. */
export function readCalls(format: ToolFormat, text: string): ReturnType<ReadReply> {
  const { content, calls } = format.read(text);
  return { content, calls: calls.map(withId) };
}

/** A call under an id of its own. */
export function withId(call: WrittenCall): CalledTool {
  return { id: `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`, ...call };
}
