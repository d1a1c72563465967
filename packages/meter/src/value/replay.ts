import { isRecord } from "@laconic/core";
import { shortest, WrittenTexts } from "../quotations.ts";
import { mapJson } from "../stored-request.ts";
import type { RecordedCall, RecordedTask } from "./recorded-tasks.ts";

/** Change of one agent. */
export type AgentChange =
  | { readonly kind: "without" }
  | { readonly kind: "words"; readonly words: number }
  | { readonly kind: "model"; readonly model: string };

/** Sends a request again and returns the text of the reply. */
export type Resend = (call: RecordedCall, body: unknown) => Promise<string>;

/** Outcome of a task that was played again. */
export interface Replay {
  /** Text of the last call. */
  readonly answer: string;
  /** Calls that were sent again. */
  readonly sent: ReadonlySet<string>;
}

/** Reply that differs from the recorded one. */
interface NewReply {
  readonly recorded: string;
  readonly text: string;
}

/**
 * Plays a task again with one agent changed. Calls whose prompt stays the same keep their recorded reply, and so do
 * calls of tools with their results.
 * @returns null if a prompt quotes only a part of a reply that changed
 */
export function replayTask(
  task: RecordedTask,
  agent: string,
  change: AgentChange,
  resend: Resend,
): Promise<Replay | null> {
  const request = (call: RecordedCall, body: unknown): unknown =>
    call.agent === agent ? changedRequest(body, change) : body;
  return replay(task, resend, request, change.kind === "without" ? agent : undefined);
}

/** Plays the same calls again without a change: what the replay of {@link replayTask} is compared with. */
export function replayControl(task: RecordedTask, sent: ReadonlySet<string>, resend: Resend): Promise<Replay | null> {
  return replay(task, resend, (call, body) => (sent.has(call.id) ? mapJson(body, (x) => x) : body));
}

/** @param request - another object if the request changes @param removed - agent whose calls are left out */
async function replay(
  task: RecordedTask,
  resend: Resend,
  request: (call: RecordedCall, body: unknown) => unknown,
  removed?: string,
): Promise<Replay | null> {
  const replies: NewReply[] = [];
  const sent = new Set<string>();
  let answer = "";
  for (const call of task) {
    if (call.agent === removed) {
      replies.push({ recorded: call.text, text: "" });
      continue;
    }
    answer = call.text;
    const quoted = withReplies(call.body, replies);
    if (quoted === null) return null;
    const body = request(call, quoted);
    if (body === call.body || call.toolCalls > 0) continue;
    answer = await resend(call, body);
    sent.add(call.id);
    if (answer !== call.text) replies.push({ recorded: call.text, text: answer });
  }
  return { answer, sent };
}

/** Request with other replies in place of the recorded ones; the same object without a quotation, null if unclear. */
function withReplies(body: unknown, replies: readonly NewReply[]): unknown {
  const written = new WrittenTexts<number>();
  for (const [i, { recorded }] of replies.entries()) written.add(i, recorded);
  let [isChanged, isUnclear] = [false, false];
  const changed = mapJson(body, (item) => {
    if (Array.isArray(item)) return item.filter((entry) => !isEmptied(entry, textOf));
    return typeof item === "string" ? textOf(item) : item;
  });
  return isUnclear ? null : isChanged ? changed : body;

  function textOf(text: string): string {
    const whole = replies.reduce((result, { recorded, text: reply }) => replaced(result, recorded, reply), text);
    const spans = whole === text ? written.spansIn(text) : [];
    isUnclear ||= spans.some(({ author }) => replies[author]?.text !== "");
    isChanged ||= whole !== text || spans.length > 0;
    return spans.reduceRight((result, { start, end }) => result.slice(0, start) + result.slice(end), whole);
  }
}

/** Replaces a whole reply, plain or inside JSON. */
function replaced(text: string, recorded: string, reply: string): string {
  const trimmed = recorded.trim();
  if (trimmed.length < shortest) return text;
  const inJson = (plain: string) => JSON.stringify(plain).slice(1, -1);
  return text.replaceAll(trimmed, () => reply.trim()).replaceAll(inJson(trimmed), () => inJson(reply.trim()));
}

/** Messages of which nothing is left are dropped: servers refuse empty ones. */
function isEmptied(entry: unknown, textOf: (text: string) => string): boolean {
  if (!isRecord(entry)) return false;
  const text = entry["content"] ?? entry["text"];
  return typeof text === "string" && text.trim() !== "" && textOf(text).trim() === "";
}

/** Request for another model or with a limit of words. */
function changedRequest(body: unknown, change: AgentChange): unknown {
  if (!isRecord(body) || change.kind === "without") return body;
  if (change.kind === "model") return { ...body, model: change.model };
  const instruction = `Answer in at most ${change.words} words.`;
  const [key, entries] =
    Object.entries(body).find(([name]) => ["messages", "input", "contents", "prompt"].includes(name)) ?? [];
  if (key === undefined) return body;
  if (typeof entries === "string") return { ...body, [key]: `${entries}\n\n${instruction}` };
  const added =
    key === "contents" ? { role: "user", parts: [{ text: instruction }] } : { role: "user", content: instruction };
  return { ...body, [key]: [...[entries].flat(), added] };
}
