import type { Terminal } from "../../cli/terminal.ts";
import type { LessonSettings } from "../run-settings.ts";
import { writeLessons, type LessonRecord } from "./lesson-record.ts";
import { teach, type Course, type Teaching } from "./story-lessons.ts";
import { keepingBudgets } from "./teach-budgets.ts";
import { copying } from "./teach-copying.ts";

const courses: Readonly<Record<LessonSettings["name"], (lessons: LessonSettings) => Course>> = {
  copying: ({ seed }) => copying(seed),
  budgets: ({ seed, form }) => keepingBudgets(seed, form),
};

/** Gives a model its lessons and writes it into a folder, with a record of them. */
export async function giveLessons(
  lessons: LessonSettings,
  teaching: Pick<Teaching, "model" | "from" | "to" | "place">,
  terminal: Terminal,
): Promise<LessonRecord> {
  const { steps, batch } = lessons;
  const loss = await teach(courses[lessons.name](lessons), { ...teaching, steps, batch }, terminal);
  const record: LessonRecord = { version: 1, lessons: { ...lessons, model: teaching.model }, loss };
  await writeLessons(teaching.to, record);
  return record;
}
