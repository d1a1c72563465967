import { randomUUID } from "node:crypto";
import type { CalledTool, ReadReply } from "../forms.ts";
import { invalid } from "../http.ts";
import { chatJob, type Job } from "../jobs.ts";
import { plainChat, withoutTools } from "./gateway-requests.ts";
import type { ToolFormat, WrittenCall } from "@laconic/core";

/** A chat that may have tools. @throws HttpError 400 naming the parameter */
export function toolJob(json: unknown, format: ToolFormat, defaultMaxTokens: number): Job {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw invalid("the body is no JSON object");
  const { messages, hasTools, rules } = plainChat(json, [], "", format);
  const rest = withoutTools(json as Readonly<Record<string, unknown>>);
  const job = chatJob({ ...rest, messages }, defaultMaxTokens);
  if (!hasTools) return job;
  return { ...job, rules: [...rules, ...job.rules], readReply: ({ text }) => readCalls(format, text) };
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
