import { budgetOptionsShape } from "@laconic/budget";
import { estimatorNames, estimatorShape, objectiveNames, objectiveShape } from "@laconic/gspo/presets";
import { episodeLimitsShape, group, shapes, type Field, type Sampling, type Shape } from "@laconic/core";
import { optimizerTable, samplingParameters } from "@laconic/core/backends";
import { costShapes, decoupledShape } from "@laconic/rewards";
import { schemaOf } from "@laconic/core/schemas";
import * as z from "zod";
import type { CreditSettings, TrainConfig } from "./config.ts";
import { asynchronousTable, creditTables, opponentsTable, treeTable } from "./episode-tables.ts";
import {
  besideTable,
  checkpointTable,
  divergenceTable,
  earlyStoppingTable,
  evaluationTable,
  exampleTable,
  learningRateTable,
  loopTable,
  retentionTable,
  scoringTable,
  type Table,
} from "./tables.ts";
import { valueOr, valueSchema } from "./values.ts";

/** A group with one more field, by which one of several is chosen. */
function named(key: string, help: string, name: string, shape: Extract<Shape, { kind: "group" }>): z.ZodObject {
  const field: Field = { help, shape: { kind: "choice", of: [name] } };
  return schemaOf({ kind: "group", fields: { [key]: field, ...shape.fields } }) as unknown as z.ZodObject;
}

const byEstimator = ["estimator", "Which estimator"] as const;
const byName = ["name", "Which objective"] as const;

const { costWhenTaskAtLeast: _, ...decoupledFields } = decoupledShape.fields;
const advantageSchema = z
  .discriminatedUnion("estimator", [
    named(...byEstimator, "decoupled", { kind: "group", fields: decoupledFields }),
    ...estimatorNames.map((name) => named(...byEstimator, name, estimatorShape(name))),
  ])
  .describe("How rewards become advantages: an estimator by name with its options, or a value");

const objectiveSchema = z
  .discriminatedUnion("name", [
    named(...byName, "gspo", objectiveShape("gspo")),
    ...objectiveNames.filter((name) => name !== "gspo").map((name) => named(...byName, name, objectiveShape(name))),
  ])
  .describe("What is maximised: an objective by name with its options, or a value");

const costKinds = Object.values(costShapes).map((shape) => schemaOf(shape) as unknown as z.ZodObject);
const costSchema = z.discriminatedUnion("kind", costKinds as [z.ZodObject, ...z.ZodObject[]]);

const [firstCredit, ...otherCredits] = Object.entries(creditTables).map(([kind, fields]) =>
  named("kind", "Which rule", kind, { kind: "group", fields }),
);
const creditSchema = z.discriminatedUnion("kind", [
  firstCredit as z.ZodObject,
  ...otherCredits,
]) as unknown as z.ZodType<CreditSettings>;

/** Settings of a table, checked. */
function tableSchema(fields: Table): z.ZodObject {
  return schemaOf({ kind: "group", fields }) as unknown as z.ZodObject;
}

/** The same settings, each of which may be left out. */
function someOf(fields: Table): Table {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, optional: true }]));
}

/** Settings of supervised examples; what is absent is that of `supervisedDefaults`. */
export const exampleShape: Shape = { kind: "group", fields: someOf(exampleTable) };

const pricesSchema: z.ZodType<TrainConfig["prices"]> = z
  .record(z.string(), z.number().min(0))
  .describe("Price of one unit of a cost, by its name; `tokens` is λ");

const scheduleSchema = tableSchema(learningRateTable).describe("How the learning rate moves");

const budgetSchema = valueOr("budget", schemaOf(budgetOptionsShape));
const budgetHelp = "Moves the price of a token until the team keeps its budget; null keeps the price";

/** A greedy policy would have nothing to learn from. */
const trainedSampling = schemaOf(
  group<Sampling>({
    ...samplingParameters,
    temperature: { ...samplingParameters.temperature, shape: shapes.above0 },
  }),
) as unknown as z.ZodObject;

const loopSchema = tableSchema(loopTable).shape;
const opponentsSchema = tableSchema(opponentsTable).shape;

/** Shape and ranges of a complete configuration; unknown keys are refused. */
export const trainConfigSchema: z.ZodType<TrainConfig> = z.strictObject({
  seed: z.union([z.string(), z.number()]).describe("From which every random number follows"),
  ...loopSchema,
  groupBy: valueOr("grouping", loopSchema["groupBy"] as z.ZodType),
  reward: valueSchema("reward").exactOptional().describe("A reward; absent for the task's"),
  groupReward: valueSchema("groupReward").exactOptional().describe("A reward over all episodes of a group"),
  curriculum: valueSchema("curriculum").exactOptional().describe("Which problems come next"),
  sampling: z
    .strictObject({
      ...trainedSampling.shape,
      temperature: valueOr("schedule", trainedSampling.shape["temperature"] as z.ZodType),
    })
    .describe("How tokens are sampled"),
  objective: valueOr("objective", objectiveSchema),
  advantage: valueOr("estimator", advantageSchema),
  scoring: tableSchema(scoringTable).describe("Episodes that get no score"),
  limits: schemaOf(episodeLimitsShape).describe("Limits of an episode"),
  asynchronous: tableSchema(asynchronousTable)
    .nullable()
    .describe("Sampling beside training; null waits for each step's episodes"),
  credit: creditSchema.describe("How a team's reward becomes that of an utterance"),
  opponents: z
    .strictObject({
      ...opponentsSchema,
      matchmaking: valueOr("matchmaking", opponentsSchema["matchmaking"] as z.ZodType),
    })
    .exactOptional()
    .describe("Frozen opponents that play some agents"),
  tree: tableSchema(treeTable).nullable().describe("MAGRPO's rollout trees; null for none"),
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
    .describe("What an episode is charged for, by name; null for the tokens, turns and repetition of Eq. 1"),
  prices: pricesSchema,
  budget: budgetSchema.nullable().describe(budgetHelp),
  budgets: z.record(z.string(), budgetSchema).describe("Budgets of other costs, by their name"),
  supervised: z
    .strictObject({
      ...tableSchema({ ...besideTable, ...exampleTable }).shape,
      examples: valueSchema("examples").exactOptional().describe("The examples: a file of JSON lines, or a module"),
    })
    .nullable()
    .describe("Supervised examples beside reinforcement learning; null for none"),
  optimizer: z
    .strictObject({ ...tableSchema(optimizerTable).shape, learningRate: valueOr("schedule", scheduleSchema) })
    .describe("AdamW"),
  evaluation: tableSchema(evaluationTable).describe("Evaluations on validation problems"),
  divergence: tableSchema(divergenceTable).nullable().describe("When a run counts as diverged; null never"),
  earlyStopping: valueOr("stopping", tableSchema(earlyStoppingTable))
    .nullable()
    .describe("Ends a run that no longer gains; null trains all steps"),
  checkpoint: tableSchema(checkpointTable).describe("When weights are saved"),
  retention: tableSchema(retentionTable).describe("How much of a long run stays on disk"),
}) as unknown as z.ZodType<TrainConfig>;
