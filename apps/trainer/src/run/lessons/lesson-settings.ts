import { LaconicError } from "@laconic/core";
import { z } from "zod";
import { isReference } from "../../door/reference.ts";
import type { AppConfig, LessonSettings } from "../run-settings.ts";

/** Lessons by name: the tasks whose models need what they teach. */
const tasksOf: Readonly<Record<LessonSettings["name"], readonly string[]>> = {
  copying: ["story-tellers", "story-relay"],
};

/** What the presets' figures begin with. */
const copyingDefaults: LessonSettings = { name: "copying", steps: 400, batch: 32, seed: "0" };

export const lessonSettings: z.ZodType<LessonSettings> = z.strictObject({
  name: z.literal("copying"),
  steps: z.int().min(1).default(copyingDefaults.steps),
  batch: z.int().min(1).default(copyingDefaults.batch),
  seed: z
    .union([z.string(), z.int()])
    .transform((seed) => String(seed))
    .default(copyingDefaults.seed),
  model: z.string().min(1).exactOptional(),
});

/** @throws LaconicError `config_invalid` for lessons that teach nothing which the task needs, or that nobody here can give */
export function checkLessons({ lessons, task, engine }: Pick<AppConfig, "lessons" | "task" | "engine">): void {
  if (lessons === null) return;
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `lessons: ${reason}`, { key: "lessons" });
  };
  const tasks = tasksOf[lessons.name];
  if (isReference(task) || !tasks.includes(task.name))
    refuse(`${lessons.name} is taught for ${tasks.join(" and ")} alone; set lessons=null`);
  if (engine !== null)
    refuse("are given where a model computes here; the models of this run are on a server, so set lessons=null");
}

/** In a few words: `400 steps of lessons in copying`. */
export function lessonsSaid({ name, steps }: Pick<LessonSettings, "name" | "steps">): string {
  return `${steps} ${steps === 1 ? "step" : "steps"} of lessons in ${name}`;
}
