import { LaconicError } from "@laconic/core";
import { budgetFormNames } from "@laconic/tasks/stories";
import { schemaOf } from "@laconic/core/schemas";
import { exampleShape } from "@laconic/trainer";
import { z } from "zod";
import { isReference, type Reference } from "../../resolver/reference.ts";
import type { WorldWarmStart } from "@laconic/tasks/warm-start";
import type { AppConfig, WarmStartSettings } from "../run-settings.ts";

/** Kinds of examples: the tasks whose models need them. */
const tasksOf: Readonly<Record<WorldWarmStart["name"], readonly string[]>> = {
  copying: ["story-tellers", "story-relay"],
  owners: ["story-tellers"],
  budgets: ["story-budget"],
};

/** Steps that the presets' figures begin with. */
const defaultSteps: Readonly<Record<WarmStartSettings["name"], number>> = {
  copying: 400,
  owners: 600,
  budgets: 160,
  examples: 100,
};

/** What worlds have examples of. */
export const warmStartNames = Object.keys(tasksOf) as WorldWarmStart["name"][];

const fieldsOf = <Name extends WarmStartSettings["name"]>(name: Name) => ({
  name: z.literal(name).describe("Which examples"),
  steps: z.int().min(1).default(defaultSteps[name]).describe("Optimiser steps"),
  batch: z.int().min(1).default(32).describe("Examples of an optimiser step"),
  seed: z
    .union([z.string(), z.int()])
    .transform((seed) => String(seed))
    .exactOptional()
    .describe("Seed of the examples; that of the run by default"),
  model: z.string().min(1).exactOptional().describe("Weights to begin with, instead of those of the run"),
});

/** A warm start whose examples may take the seed of the run. */
export type GivenWarmStart = WarmStartSettings extends infer Each
  ? Each extends WarmStartSettings
    ? Omit<Each, "seed"> & Partial<Pick<Each, "seed">>
    : never
  : never;

const referenceSchema: z.ZodType<Reference> = z.strictObject(
  {
    file: z.string().min(1),
    export: z.string().min(1).describe("Name of the export; `default` by default"),
    path: z.array(z.string()).exactOptional().describe("Place within the export"),
    settings: z.record(z.string(), z.unknown()).exactOptional().describe("What the export is called with"),
    name: z.string().exactOptional().describe("Name for messages"),
  },
  { error: "is a file of examples, or a list or function in a module" },
);

/** As TRL's trainer of supervised examples has it. */
const defaultLearningRate = 2e-5;

const exampleFields = schemaOf(exampleShape) as unknown as z.ZodObject;

/** As a configuration writes them. */
export const warmStartSettings: z.ZodType<GivenWarmStart> = z.discriminatedUnion("name", [
  z.strictObject(fieldsOf("copying")),
  z.strictObject({
    ...fieldsOf("owners"),
    silence: z
      .enum(["chance", "labelled"])
      .exactOptional()
      .describe("Whose silence examples have: anybody's by chance, or that of all who know nothing"),
  }),
  z.strictObject({
    ...fieldsOf("budgets"),
    form: z.enum(budgetFormNames).exactOptional().describe("How a budget is said in the examples"),
  }),
  z.strictObject({
    ...fieldsOf("examples"),
    examples: referenceSchema.describe("Examples of your own: a file of JSON lines, or a module"),
    learningRate: z.number().positive().default(defaultLearningRate).describe("Learning rate"),
    ...exampleFields.shape,
  }),
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
  if (engine !== null)
    refuse("needs a model that computes here; the models of this run are on a server, so set warmStart=null");
  if (warmStart.name === "examples") return;
  const tasks = tasksOf[warmStart.name];
  if (isReference(task) || !tasks.includes(task.name))
    return refuse(`${warmStart.name} is taught for ${tasks.join(" and ")} alone; set warmStart=null`);
  if (
    task.name === "story-budget" &&
    warmStart.name === "budgets" &&
    (task.form ?? "unary") !== (warmStart.form ?? "unary")
  )
    refuse(
      `budgets are said as ${task.form ?? "unary"} in the task, as ${warmStart.form ?? "unary"} in the warm start; set warmStart.form`,
    );
}
