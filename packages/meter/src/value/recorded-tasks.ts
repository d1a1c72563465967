import type { MeteredCall } from "../call.ts";
import { daysWithTexts, readCalls, readTexts } from "../store.ts";
import { unpackRequest } from "../stored-request.ts";

/** Recorded call with its request and reply. */
export interface RecordedCall extends MeteredCall {
  readonly body: unknown;
  readonly text: string;
}

/** Finished calls of a task by start. */
export type RecordedTask = readonly RecordedCall[];

/**
 * Reads the tasks of a folder whose calls all succeeded and were stored with their texts.
 * @returns the tasks, and the number of others
 */
export async function readTasks(
  folder: string,
  since = "",
): Promise<{ readonly tasks: readonly RecordedTask[]; readonly others: number }> {
  const { calls } = await readCalls(folder, since);
  const texts = new Map<string, string>();
  for (const day of daysWithTexts(folder, since))
    for await (const { hash, text } of readTexts(folder, day)) texts.set(hash, text);
  const tasks = new Map<string, RecordedCall[]>();
  const damaged = new Set<string>();
  for (const call of calls) {
    const [packed, text] = [texts.get(call.request), texts.get(call.reply)];
    const body = packed === undefined ? undefined : unpackRequest(packed, texts);
    if (call.status === 429 || call.status >= 500) continue; // repeated by its client
    if (call.status !== 200 || call.isCut || body === undefined || text === undefined) damaged.add(call.task);
    else tasks.set(call.task, [...(tasks.get(call.task) ?? []), { ...call, body, text }]);
  }
  const whole = [...tasks].filter(([name]) => !damaged.has(name));
  return { tasks: whole.map(([, task]) => task.toSorted(byStart)), others: tasks.size + damaged.size - whole.length };
}

function byStart(a: RecordedCall, b: RecordedCall): number {
  return a.time < b.time ? -1 : Number(a.time > b.time);
}
