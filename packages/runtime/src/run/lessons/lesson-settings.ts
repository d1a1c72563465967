import { LaconicError } from "@laconic/core";
import { budgetFormNames } from "@laconic/worlds/stories";
import { z } from "zod";
import { isReference } from "../../resolver/reference.ts";
import type { AppConfig, LessonSettings } from "../run-settings.ts";

/** Lessons by name: the tasks whose models need what they teach. */
const tasksOf: Readonly<Record<LessonSettings["name"], readonly string[]>> = {
  copying: ["story-tellers", "story-relay"],
  budgets: ["story-budget"],
};

/** Steps that the presets' figures begin with. */
const defaultSteps: Readonly<Record<LessonSettings["name"], number>> = { copying: 400, budgets: 160 };

/** What there are lessons in. */
export const lessonNames = Object.keys(defaultSteps) as LessonSettings["name"][];

const fieldsOf = <Name extends LessonSettings["name"]>(name: Name) => ({
  name: z.literal(name),
  steps: z.int().min(1).default(defaultSteps[name]),
  batch: z.int().min(1).default(32),
  seed: z
    .union([z.string(), z.int()])
    .transform((seed) => String(seed))
    .default("0"),
  model: z.string().min(1).exactOptional(),
});

/** As a configuration writes them. */
export const lessonSettings: z.ZodType<LessonSettings> = z.discriminatedUnion("name", [
  z.strictObject(fieldsOf("copying")),
  z.strictObject({ ...fieldsOf("budgets"), form: z.enum(budgetFormNames).exactOptional() }),
]);

/** @throws LaconicError `config_invalid` for lessons that teach nothing which the task needs, or that nobody here can give */
export function checkLessons({ lessons, task, engine }: Pick<AppConfig, "lessons" | "task" | "engine">): void {
  if (lessons === null) return;
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `lessons: ${reason}`, { key: "lessons" });
  };
  const tasks = tasksOf[lessons.name];
  if (isReference(task) || !tasks.includes(task.name))
    return refuse(`${lessons.name} is taught for ${tasks.join(" and ")} alone; set lessons=null`);
  if (task.name === "story-budget" && (task.form ?? "unary") !== (lessons.form ?? "unary"))
    refuse(
      `budgets are said as ${task.form ?? "unary"} in the task, as ${lessons.form ?? "unary"} in the lessons; set lessons.form`,
    );
  if (engine !== null)
    refuse("are given where a model computes here; the models of this run are on a server, so set lessons=null");
}

/** In a few words: `400 steps of lessons in copying`. */
export function lessonsSaid({ name, steps }: Pick<LessonSettings, "name" | "steps">): string {
  return `${steps} ${steps === 1 ? "step" : "steps"} of lessons in ${name}`;
}
