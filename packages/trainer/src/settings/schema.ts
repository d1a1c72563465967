import * as z from "zod";
import { budgetOptionsShape } from "@laconic/budget";
import { estimatorNames, estimatorShape, objectiveNames, objectiveShape } from "@laconic/gspo/presets";
import { episodeLimitsShape, group, type Sampling, type Shape, isRecord, mapValues } from "@laconic/core";
import { optimizerTable, samplingParameters } from "@laconic/core/backends";
import { costShapes, decoupledShape } from "@laconic/rewards";
import { schemaOf } from "@laconic/core/schemas";
import type { CreditSettings, TrainConfig } from "./config.ts";
import * as tables from "./tables.ts";
import { isValueSource, presentSchema, trainValues, valueKindOf, valueOr, valueSchema } from "./values.ts";
import type { TrainValues } from "./values.ts";

/** Adds a field that selects an alternative. @param named - fields by name */
function namedSchema(
  key: string,
  help: string,
  named: Readonly<Record<string, tables.Table>>,
): z.ZodDiscriminatedUnion {
  const alternatives = Object.entries(named).map(([name, fields]) =>
    tableSchema({ [key]: { help, shape: { kind: "choice", of: [name] } }, ...fields }),
  );
  return z.discriminatedUnion(key, alternatives as [z.ZodObject, ...z.ZodObject[]]);
}

const { costWhenTaskAtLeast: _, ...decoupledFields } = decoupledShape.fields;
const advantageSchema = namedSchema("estimator", "Estimator", {
  decoupled: decoupledFields,
  ...Object.fromEntries(estimatorNames.map((name) => [name, estimatorShape(name).fields])),
}).describe("Estimator of advantages: a name with options, or a value");

const objectiveSchema = namedSchema("name", "Objective", {
  gspo: objectiveShape("gspo").fields,
  ...Object.fromEntries(objectiveNames.map((name) => [name, objectiveShape(name).fields])),
}).describe("Training objective: a name with options, or a value");

const costKinds = Object.values(costShapes).map((shape) => schemaOf(shape) as unknown as z.ZodObject);
const costSchema = z.discriminatedUnion("kind", costKinds as [z.ZodObject, ...z.ZodObject[]]);

const creditSchema = namedSchema("kind", "Rule", tables.creditTables) as unknown as z.ZodType<CreditSettings>;

function tableSchema(fields: tables.Table): z.ZodObject {
  return schemaOf({ kind: "group", fields }) as unknown as z.ZodObject;
}

function someOf(fields: tables.Table): tables.Table {
  return mapValues(fields, (field) => ({ ...field, optional: true }));
}

/** Settings of supervised examples; defaults in `supervisedDefaults`. */
export const exampleShape: Shape = { kind: "group", fields: someOf(tables.exampleTable) };

const pricesSchema: z.ZodType<TrainConfig["prices"]> = z
  .record(z.string(), z.number().min(0))
  .describe("Price of one unit of a cost, by its name; `tokens` is λ");

const scheduleSchema = tableSchema(tables.learningRateTable).describe("Learning-rate schedule");

const budgetSchema = valueOr("budget", schemaOf(budgetOptionsShape));
const budgetHelp = "Controller of the token price; null keeps the price constant";

/** A greedy policy cannot learn. */
const trainedSampling = schemaOf(
  group<Sampling>({
    ...samplingParameters,
    temperature: { ...samplingParameters.temperature, shape: "above0" },
  }),
) as unknown as z.ZodObject;

const loopSchema = tableSchema(tables.loopTable).shape;
const opponentsSchema = tableSchema(tables.opponentsTable).shape;

/** Schema of a complete configuration; unknown keys are rejected. */
export const trainConfigSchema: z.ZodType<TrainConfig> = z.strictObject({
  seed: z.union([z.string(), z.number()]).describe("Seed of all random numbers"),
  ...loopSchema,
  groupBy: valueOr("grouping", loopSchema["groupBy"] as z.ZodType),
  reward: valueSchema("reward").exactOptional().describe("Reward (default: the task's)"),
  groupReward: valueSchema("groupReward").exactOptional().describe("Reward over all episodes of a group"),
  curriculum: valueSchema("curriculum").exactOptional().describe("Order of problems"),
  sampling: z
    .strictObject({
      ...trainedSampling.shape,
      temperature: valueOr("schedule", trainedSampling.shape["temperature"] as z.ZodType),
    })
    .describe("Sampling of tokens"),
  objective: valueOr("objective", objectiveSchema),
  advantage: valueOr("estimator", advantageSchema),
  scoring: tableSchema(tables.scoringTable).describe("Handling of episodes without a score"),
  limits: schemaOf(episodeLimitsShape).describe("Limits of an episode"),
  asynchronous: tableSchema(tables.asynchronousTable)
    .nullable()
    .describe("Asynchronous sampling; null samples before each step"),
  credit: valueOr("credit", creditSchema.describe("Credit of a message in the team's reward: a rule, or a value")),
  opponents: z
    .strictObject({
      ...opponentsSchema,
      matchmaking: valueOr("matchmaking", opponentsSchema["matchmaking"] as z.ZodType),
    })
    .exactOptional()
    .describe("Frozen opponents that play some agents"),
  tree: tableSchema(tables.treeTable).nullable().describe("MAGRPO's rollout trees; null disables them"),
  policies: z
    .record(
      z.string(),
      z.strictObject({
        objective: valueOr("objective", objectiveSchema).exactOptional(),
        advantage: valueOr("estimator", advantageSchema).exactOptional(),
        learningRate: valueOr("schedule", scheduleSchema).exactOptional(),
        optimizer: tableSchema(someOf(optimizerTable)).exactOptional().describe("AdamW"),
        prices: pricesSchema.exactOptional(),
        budget: budgetSchema.exactOptional().describe(budgetHelp),
      }),
    )
    .describe("Settings of one policy, by its name"),
  costs: z
    .record(z.string(), valueOr("cost", costSchema))
    .nullable()
    .describe("Costs of an episode by name; null charges tokens, turns and repetition (Eq. 1)"),
  prices: pricesSchema,
  budget: budgetSchema.nullable().describe(budgetHelp),
  budgets: z.record(z.string(), budgetSchema).describe("Budgets of other costs, by their name"),
  supervised: z
    .strictObject({
      ...tableSchema({ ...tables.besideTable, ...tables.exampleTable }).shape,
      examples: valueSchema("examples").exactOptional().describe("Examples: a JSON Lines file, or a module"),
    })
    .nullable()
    .describe("Supervised examples mixed into reinforcement learning; null disables them"),
  optimizer: z
    .strictObject({ ...tableSchema(optimizerTable).shape, learningRate: valueOr("schedule", scheduleSchema) })
    .describe("AdamW"),
  evaluation: tableSchema(tables.evaluationTable).describe("Evaluations on validation problems"),
  divergence: tableSchema(tables.divergenceTable).nullable().describe("Divergence criterion; null disables it"),
  earlyStopping: valueOr("stopping", tableSchema(tables.earlyStoppingTable))
    .nullable()
    .describe("Early stopping; null trains all steps"),
  checkpoint: tableSchema(tables.checkpointTable).describe("Schedule of checkpoints"),
}) as unknown as z.ZodType<TrainConfig>;

/**
 * Expands short forms: `"grpo"` to `{ name: "grpo" }`, 0.2 to `{ low: 0.2, high: 0.2 }`, and numbers to a budget's
 * target.
 */
export function expandPlainForms(schema: z.core.$ZodType, written: unknown): unknown {
  const present = presentSchema(schema);
  if (present !== schema) return expandPlainForms(present, written);
  const named = schema instanceof z.ZodUnion && valueKindOf(schema) !== undefined ? schema.options.at(-1) : undefined;
  if (named) return isValue(schema, written) ? written : expandPlainForms(named, written);
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const alternative = typeof written === "string" ? { [discriminator]: written } : written;
    if (!isRecord(alternative)) return written;
    const option = schema.options.find(
      (candidate) =>
        candidate instanceof z.ZodObject &&
        z.safeParse(candidate.shape[discriminator], alternative[discriminator]).success,
    );
    return option ? expandPlainForms(option, alternative) : alternative;
  }
  if (schema instanceof z.ZodRecord && isRecord(written))
    return mapValues(written, (value) => expandPlainForms(schema.valueType, value));
  if (!(schema instanceof z.ZodObject)) return written;
  if (typeof written === "number" && "low" in schema.shape) return { low: written, high: written };
  if (typeof written === "number" && "targetTokens" in schema.shape) return { targetTokens: written };
  if (!isRecord(written)) return written;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      return [name, field ? expandPlainForms(field, value) : value];
    }),
  );
}

function isValue(schema: z.core.$ZodType, written: unknown): boolean {
  const kind = valueKindOf(schema);
  return kind !== undefined && (isValueSource(written) || trainValues[kind].lacks(written) === null);
}

/** Fields of a group, of every alternative, or of any name as `*`. */
function fieldsOf(schema: z.core.$ZodType): (readonly [name: string, field: z.core.$ZodType])[] {
  const present = presentSchema(schema);
  if (present instanceof z.ZodUnion) return present.options.flatMap(fieldsOf);
  if (present instanceof z.ZodRecord) return [["*", present.valueType]];
  return present instanceof z.ZodObject ? Object.entries(present.shape) : [];
}

/** Paths of settings and groups; `*` matches any name. */
export function settingPaths(schema: z.core.$ZodType, path: readonly string[] = []): string[] {
  const paths = fieldsOf(schema).flatMap(([name, field]) => {
    const fieldPath = [...path, name];
    return [...(name === "*" ? [] : [fieldPath.join(".")]), ...settingPaths(field, fieldPath)];
  });
  return [...new Set(paths)];
}

/** Paths of settings that take a value, with its kind. */
export function valuePaths(
  schema: z.core.$ZodType,
  path: readonly string[] = [],
): (readonly [path: readonly string[], kind: keyof TrainValues])[] {
  const kind = valueKindOf(schema);
  if (kind !== undefined) return [[path, kind]];
  return fieldsOf(schema).flatMap(([name, field]) => valuePaths(field, [...path, name]));
}
