import { isRecord } from "@laconic/core";
import type { GradingStep, StoredCall } from "@laconic/core/run-folder";

/** Grading steps of a sample; skips invalid values. */
export function gradingStepsIn(steps: unknown): GradingStep[] {
  return listIn(steps).filter((step): step is GradingStep => {
    if (!isRecord(step)) return false;
    const { name, answer, gold, ended = "" } = step;
    return [name, answer, ended].every(isText) && isTextOrNull(gold);
  });
}

/** Calls of a sample with all displayed fields; skips invalid values. */
export function callsIn(calls: unknown): StoredCall[] {
  return listIn(calls).filter((call): call is StoredCall => {
    if (!isRecord(call)) return false;
    const { agent, model, prompt, sampling, reply, error } = call;
    return (
      isPrompt(prompt) && isText(agent) && isText(model) && isRecord(sampling) && [reply, error].every(isTextOrNull)
    );
  });
}

function isPrompt(prompt: unknown): boolean {
  if (!isRecord(prompt)) return false;
  const { kind, messages, text, tokens } = prompt;
  if (kind === "messages")
    return (
      Array.isArray(messages) &&
      messages.every((message) => isRecord(message) && isText(message["role"]) && isText(message["content"]))
    );
  return kind === "text" ? isText(text) : kind === "tokens" && Array.isArray(tokens);
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}
