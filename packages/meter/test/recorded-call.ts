import type { RecordedCall } from "../src/index.ts";

/** Call of a recorded task. @param i - its place */
export function recordedCall(
  task: string,
  agent: string,
  body: object,
  text: string,
  i: number,
  toolCalls = 0,
): RecordedCall {
  const lengths = { promptLength: 1, replyLength: text.length, system: 0, repeated: 0, toolResults: 0, toolCalls };
  const flags = { isCut: false, isRetry: false, reads: [], agentSource: "header", taskSource: "header" } as const;
  const time = new Date(Date.UTC(2026, 10, 30, 0, 0, i)).toISOString();
  const names = { id: `${task}-${i}`, task, agent, path: "/v1/chat/completions", model: "m", request: "", reply: "" };
  const usage = { promptTokens: 10, completionTokens: 5 };
  return {
    ...names,
    ...lengths,
    ...flags,
    time,
    usage,
    milliseconds: 1,
    firstMilliseconds: 1,
    status: 200,
    body,
    text,
  };
}
