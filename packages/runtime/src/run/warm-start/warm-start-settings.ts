import { LaconicError } from "@laconic/core";
import { budgetFormNames } from "@laconic/worlds/stories";
import { z } from "zod";
import { isReference } from "../../resolver/reference.ts";
import type { AppConfig, WarmStartSettings } from "../run-settings.ts";

/** Kinds of examples: the tasks whose models need them. */
const tasksOf: Readonly<Record<WarmStartSettings["name"], readonly string[]>> = {
  copying: ["story-tellers", "story-relay"],
  owners: ["story-tellers"],
  budgets: ["story-budget"],
};

/** Steps that the presets' figures begin with. */
const defaultSteps: Readonly<Record<WarmStartSettings["name"], number>> = { copying: 400, owners: 600, budgets: 160 };

/** What there are examples of. */
export const warmStartNames = Object.keys(defaultSteps) as WarmStartSettings["name"][];

const fieldsOf = <Name extends WarmStartSettings["name"]>(name: Name) => ({
  name: z.literal(name),
  steps: z.int().min(1).default(defaultSteps[name]),
  batch: z.int().min(1).default(32),
  seed: z
    .union([z.string(), z.int()])
    .transform((seed) => String(seed))
    .exactOptional(),
  model: z.string().min(1).exactOptional(),
});

/** A warm start whose examples may take the seed of the run. */
export type GivenWarmStart = Omit<WarmStartSettings, "seed"> & Partial<Pick<WarmStartSettings, "seed">>;

/** As a configuration writes them. */
export const warmStartSettings: z.ZodType<GivenWarmStart> = z.discriminatedUnion("name", [
  z.strictObject(fieldsOf("copying")),
  z.strictObject(fieldsOf("owners")),
  z.strictObject({ ...fieldsOf("budgets"), form: z.enum(budgetFormNames).exactOptional() }),
]);

/** @throws LaconicError `config_invalid` for a warm start that the task does not need, or that cannot be given here */
export function checkWarmStart({
  warmStart,
  task,
  engine,
}: Pick<AppConfig, "task" | "engine"> & { readonly warmStart: GivenWarmStart | null }): void {
  if (warmStart === null) return;
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `warmStart: ${reason}`, { key: "warmStart" });
  };
  const tasks = tasksOf[warmStart.name];
  if (isReference(task) || !tasks.includes(task.name))
    return refuse(`${warmStart.name} is taught for ${tasks.join(" and ")} alone; set warmStart=null`);
  if (task.name === "story-budget" && (task.form ?? "unary") !== (warmStart.form ?? "unary"))
    refuse(
      `budgets are said as ${task.form ?? "unary"} in the task, as ${warmStart.form ?? "unary"} in the warm start; set warmStart.form`,
    );
  if (engine !== null)
    refuse("needs a model that computes here; the models of this run are on a server, so set warmStart=null");
}

/** In a few words: `400 steps of warm start on copying`. */
export function warmStartText({ name, steps }: Pick<WarmStartSettings, "name" | "steps">): string {
  return `${steps} ${steps === 1 ? "step" : "steps"} of warm start on ${name}`;
}
