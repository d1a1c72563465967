import {
  isRecord,
  type Curriculum,
  type Estimator,
  type EstimatorFunction,
  type Grouping,
  type GroupReward,
  type Matchmaking,
  type Objective,
  type Reward,
  type Schedule,
  type StoppingRule,
  type SupervisedExamples,
  type UnknownRecord,
} from "@laconic/core";
import type { PriceController, PriceRule } from "@laconic/budget";
import type { Cost } from "@laconic/rewards";
import * as z from "zod";
import type { Credit } from "./credit.ts";

/** Module export that creates a value; stored in configurations and replaced before a run is compiled. */
export interface ValueSource {
  /** Absolute module path; relative in a run folder. */
  readonly file: string;
  /** `default`, or an export name. */
  readonly export: string;
  /** Keys from the export to the value. */
  readonly path?: readonly string[];
  /** Arguments of an exported function. */
  readonly settings?: UnknownRecord;
  readonly name?: string;
}

/** Whether an entry is the source of a value. */
export function isValueSource(value: unknown): value is ValueSource {
  return isRecord(value) && typeof value["file"] === "string" && typeof value["export"] === "string";
}

/** Settings' values by kind. */
export interface TrainValues {
  readonly reward: Reward;
  readonly groupReward: GroupReward;
  readonly credit: Credit;
  readonly grouping: Grouping;
  readonly estimator: Estimator | EstimatorFunction;
  readonly objective: Objective;
  readonly cost: Cost;
  readonly budget: PriceController | PriceRule;
  readonly schedule: Schedule;
  readonly stopping: StoppingRule;
  readonly curriculum: Curriculum;
  readonly matchmaking: Matchmaking;
  readonly examples: SupervisedExamples;
}

/** A value or its source. */
export type Value<Kind extends keyof TrainValues> = TrainValues[Kind] | ValueSource;

/** Describes a kind of value; `lacks` returns the missing members or null. */
export interface ValueCheck {
  readonly noun: string;
  readonly lacks: (value: unknown) => string | null;
}

type Member = "function" | "object" | "array" | "string";

/** Requires an object with these members. */
export function having(members: Readonly<Record<string, Member>>): ValueCheck["lacks"] {
  return (value) => {
    if (!isRecord(value)) return `it is ${typeName(value)}`;
    for (const [name, type] of Object.entries(members)) {
      const member = value[name];
      if (member === undefined) return `${name} is missing`;
      if (type === "array" ? !Array.isArray(member) : typeof member !== type)
        return `${name} is ${typeName(member)}, not ${type === "array" || type === "object" ? "an" : "a"} ${type}`;
    }
    return null;
  };
}

/** Type name for messages. */
export function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const lacksOfFunction = (value: unknown): string | null =>
  typeof value === "function" ? null : `it is ${typeName(value)}, not a function`;

function functionOr(lacks: ValueCheck["lacks"]): ValueCheck["lacks"] {
  return (value) => (typeof value === "function" ? null : lacks(value));
}

/** Checks for values of training settings. */
export const trainValues: Readonly<Record<keyof TrainValues, ValueCheck>> = {
  reward: { noun: "reward", lacks: lacksOfFunction },
  groupReward: { noun: "group reward", lacks: lacksOfFunction },
  credit: { noun: "credit", lacks: lacksOfFunction },
  grouping: { noun: "grouping", lacks: lacksOfFunction },
  estimator: {
    noun: "estimator",
    lacks: functionOr(having({ name: "string", settings: "object", estimate: "function" })),
  },
  objective: { noun: "objective", lacks: having({ name: "string", settings: "object", evaluate: "function" }) },
  cost: { noun: "cost", lacks: having({ unit: "string", scope: "object", measure: "function" }) },
  budget: { noun: "budget", lacks: functionOr(having({ init: "function", step: "function" })) },
  schedule: { noun: "schedule", lacks: lacksOfFunction },
  stopping: { noun: "stopping rule", lacks: lacksOfFunction },
  curriculum: { noun: "curriculum", lacks: lacksOfFunction },
  matchmaking: { noun: "matchmaking", lacks: lacksOfFunction },
  examples: {
    noun: "list of examples",
    lacks: functionOr((value) => (Array.isArray(value) ? null : `it is ${typeName(value)}, not a list or a function`)),
  },
};

export function valueSchema<Kind extends keyof TrainValues>(kind: Kind): z.ZodType<Value<Kind>> {
  return z
    .custom<Value<Kind>>((value) => isValueSource(value) || trainValues[kind].lacks(value) === null, {
      error: `it must be a ${trainValues[kind].noun}`,
    })
    .meta({ value: kind });
}

export function valueOr<Kind extends keyof TrainValues, T>(
  kind: Kind,
  named: z.ZodType<T>,
): z.ZodType<Value<Kind> | T> {
  const { description } = named;
  const slot = z.union([valueSchema(kind), named]);
  return description === undefined ? slot : slot.describe(description);
}

export function presentSchema(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional
    ? presentSchema(schema.unwrap())
    : schema;
}

export function valueKindOf(schema: z.core.$ZodType): keyof TrainValues | undefined {
  const present = presentSchema(schema);
  if (present instanceof z.ZodUnion && !(present instanceof z.ZodDiscriminatedUnion))
    return present.options.map(valueKindOf).find((kind) => kind !== undefined);
  return present instanceof z.ZodCustom ? (present.meta()?.["value"] as keyof TrainValues | undefined) : undefined;
}
