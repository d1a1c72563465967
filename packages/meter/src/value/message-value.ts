import { ConfidenceSequence, type Interval } from "./confidence.ts";
import type { RecordedTask } from "./recorded-tasks.ts";
import { replayControl, replayTask, type AgentChange, type Resend } from "./replay.ts";

/** Grades an answer from 0 to 1. @param recorded - the answer of the recorded task */
export type GradeAnswer = (answer: string, recorded: string, task: RecordedTask) => Promise<number>;

/** US dollars of the replays. */
export interface ReplayBudget {
  readonly maxUsd: number;
  readonly spentUsd: () => number;
  /** Upper bound of a task's replay. */
  readonly boundOf: (task: RecordedTask) => number;
}

/** Options of {@link messageValue}. */
export interface ValueOptions {
  /** Tasks in random order. */
  readonly tasks: readonly RecordedTask[];
  readonly agent: string;
  readonly change: AgentChange;
  readonly resend: Resend;
  readonly grade: GradeAnswer;
  /** Plays the unchanged task again too: needed if the grade compares with the recorded answer. */
  readonly hasControl: boolean;
  /** Half width of an interval that is narrow enough, from 0 to 1. */
  readonly tolerance: number;
  /** Tasks at a time. */
  readonly parallel: number;
  readonly budget: ReplayBudget;
  readonly onTask?: (value: MessageValue) => void;
}

/** Effect of an agent's change on the grade. */
export interface MessageValue {
  /** Grade after the change minus the grade before; the interval has 95 % and holds at any stop. */
  readonly difference: Interval;
  readonly tasks: number;
  /** Tasks in which the agent wrote the last reply, or a prompt quotes a part of a reply that changed. */
  readonly skipped: number;
  readonly end: "decided" | "narrow" | "limit" | "tasks";
}

/** Plays tasks again until the sign is known, the interval is narrow, the limit is reached, or all are played. */
export async function messageValue(options: ValueOptions): Promise<MessageValue> {
  const { tasks, tolerance, parallel } = options;
  const sequence = new ConfidenceSequence();
  const counts = { tasks: 0, skipped: 0 };
  const value = (end: MessageValue["end"]): MessageValue => ({ difference: sequence.interval(), ...counts, end });
  for (let start = 0; start < tasks.length; start += parallel) {
    const batch = affordable(tasks.slice(start, start + parallel), options.budget);
    for (const difference of await Promise.all(batch.map((task) => differenceOf(task, options)))) {
      if (difference === null) {
        counts.skipped += 1;
        continue;
      }
      counts.tasks += 1;
      sequence.add(difference);
      const { low, high } = sequence.interval();
      options.onTask?.(value("tasks"));
      if (low > 0 || high < 0) return value("decided");
      if ((high - low) / 2 <= tolerance) return value("narrow");
    }
    if (batch.length < Math.min(parallel, tasks.length - start)) return value("limit");
  }
  return value("tasks");
}

function affordable(
  tasks: readonly RecordedTask[],
  { maxUsd, spentUsd, boundOf }: ReplayBudget,
): readonly RecordedTask[] {
  let usd = spentUsd();
  const end = tasks.findIndex((task) => (usd += boundOf(task)) > maxUsd);
  return end < 0 ? tasks : tasks.slice(0, end);
}

/** Null if the task cannot be played again. */
async function differenceOf(task: RecordedTask, options: ValueOptions): Promise<number | null> {
  const { agent, change, resend, grade, hasControl } = options;
  const last = task.at(-1);
  if (!last || (change.kind === "without" && last.agent === agent)) return null;
  const after = await replayTask(task, agent, change, resend);
  const before = after && hasControl ? await replayControl(task, after.sent, resend) : { answer: last.text };
  if (!after || !before) return null;
  return (await grade(after.answer, last.text, task)) - (await grade(before.answer, last.text, task));
}
