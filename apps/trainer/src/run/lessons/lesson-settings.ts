import { LaconicError } from "@laconic/core";
import { budgetFormNames } from "@laconic/tasks/stories";
import { z } from "zod";
import { isReference } from "../../door/reference.ts";
import type { AppConfig, LessonSettings } from "../run-settings.ts";

interface Kind {
  /** Tasks whose models need what is taught. */
  readonly tasks: readonly string[];
  /** What the presets' figures begin with. */
  readonly steps: number;
}

const kinds: Readonly<Record<LessonSettings["name"], Kind>> = {
  copying: { tasks: ["story-tellers", "story-relay"], steps: 400 },
  budgets: { tasks: ["story-budget"], steps: 160 },
};

export const lessonNames: readonly LessonSettings["name"][] = Object.keys(kinds) as LessonSettings["name"][];

/** Steps that are taken unless told. */
export function lessonSteps(name: LessonSettings["name"]): number {
  return kinds[name].steps;
}

const fields = {
  batch: z.int().min(1).default(32),
  seed: z
    .union([z.string(), z.int()])
    .transform((seed) => String(seed))
    .default("0"),
  model: z.string().min(1).exactOptional(),
};
const stepsOf = (name: LessonSettings["name"]): z.ZodType<number> => z.int().min(1).default(kinds[name].steps);

export const lessonSettings: z.ZodType<LessonSettings> = z.union([
  z.strictObject({ name: z.literal("copying"), steps: stepsOf("copying"), ...fields }),
  z.strictObject({
    ...{ name: z.literal("budgets"), steps: stepsOf("budgets"), ...fields },
    form: z.enum(budgetFormNames).exactOptional(),
  }),
]);

/** @throws LaconicError `config_invalid` for lessons that teach nothing which the task needs, or that nobody here can give */
export function checkLessons({ lessons, task, engine }: Pick<AppConfig, "lessons" | "task" | "engine">): void {
  if (lessons === null) return;
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `lessons: ${reason}`, { key: "lessons" });
  };
  const { tasks } = kinds[lessons.name];
  if (isReference(task) || !tasks.includes(task.name))
    return refuse(`${lessons.name} is taught for ${tasks.join(" and ")} alone; set lessons=null`);
  const form = "form" in task ? task.form : undefined;
  if (lessons.name === "budgets" && form !== lessons.form)
    refuse(`budgets are said as ${lessons.form ?? "by default"}, and by the task as ${form ?? "by default"}: set both`);
  if (engine !== null)
    refuse("are given where a model computes here; the models of this run are on a server, so set lessons=null");
}

/** In a few words: `400 steps of lessons in copying`. */
export function lessonsSaid({ name, steps }: Pick<LessonSettings, "name" | "steps">): string {
  return `${steps} ${steps === 1 ? "step" : "steps"} of lessons in ${name}`;
}
