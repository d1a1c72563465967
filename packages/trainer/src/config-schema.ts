import { budgetOptionsShape, dualController } from "@laconic/budget";
import type { GroupKey, RatioUnit } from "@laconic/gspo";
import { estimatorNames, estimatorShape, objectiveNames, objectivePreset, objectiveShape } from "@laconic/gspo/presets";
import {
  episodeLimitsShape,
  group,
  LaconicError,
  nearestName,
  optimizerTable,
  samplingParameters,
  shapes,
  type Field,
  type Sampling,
  type Shape,
} from "@laconic/core";
import { costPreset, costShapes, decoupledShape, type CostSettings } from "@laconic/rewards";
import { issueWords, schemaOf } from "@laconic/core/schemas";
import * as z from "zod";
import {
  agentGspoDefaults,
  asynchronousDefaults,
  filledGroups,
  opponentDefaults,
  retentionDefaults,
  supervisedDefaults,
  type AdvantageSettings,
  type CreditSettings,
  type TrainConfig,
} from "./config.ts";
import { estimatorOf } from "./estimator-of.ts";
import {
  asynchronousTable,
  besideTable,
  checkpointTable,
  creditTables,
  divergenceTable,
  earlyStoppingTable,
  evaluationTable,
  exampleTable,
  learningRateTable,
  loopTable,
  opponentsTable,
  retentionTable,
  scoringTable,
  type Table,
  treeTable,
} from "./setting-tables.ts";

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
  .describe(
    "How rewards become advantages: an estimator by name with its options, or your own",
  ) as unknown as z.ZodType<AdvantageSettings>;

const objectiveSchema = z
  .discriminatedUnion("name", [
    named(...byName, "gspo", objectiveShape("gspo")),
    ...objectiveNames.filter((name) => name !== "gspo").map((name) => named(...byName, name, objectiveShape(name))),
  ])
  .describe("What is maximised: an objective by name with its options, or your own") as unknown as z.ZodType<
  TrainConfig["objective"]
>;

const costKinds = Object.values(costShapes).map((shape) => schemaOf(shape) as unknown as z.ZodObject);
const costSchema = z.discriminatedUnion(
  "kind",
  costKinds as [z.ZodObject, ...z.ZodObject[]],
) as unknown as z.ZodType<CostSettings>;

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

const budgetSchema = schemaOf(budgetOptionsShape);
const budgetHelp = "Moves the price of a token until the team keeps its budget; null keeps the price";

/** A greedy policy would have nothing to learn from. */
const trainedSampling = group<Sampling>({
  ...samplingParameters,
  temperature: { ...samplingParameters.temperature, shape: shapes.above0 },
});

/** Shape and ranges of a complete configuration; unknown keys are refused. */
export const trainConfigSchema: z.ZodType<TrainConfig> = z.strictObject({
  seed: z.union([z.string(), z.number()]).describe("From which every random number follows"),
  ...tableSchema(loopTable).shape,
  sampling: schemaOf(trainedSampling).describe("How tokens are sampled"),
  objective: objectiveSchema,
  advantage: advantageSchema,
  scoring: tableSchema(scoringTable).describe("Episodes that get no score"),
  limits: schemaOf(episodeLimitsShape).describe("Limits of an episode"),
  asynchronous: tableSchema(asynchronousTable)
    .nullable()
    .describe("Sampling beside training; null waits for each step's episodes"),
  credit: creditSchema.describe("How a team's reward becomes that of an utterance"),
  opponents: tableSchema(opponentsTable).exactOptional().describe("Frozen opponents that play some agents"),
  tree: tableSchema(treeTable).nullable().describe("MAGRPO's rollout trees; null for none"),
  policies: z
    .record(
      z.string(),
      z.strictObject({
        objective: objectiveSchema.exactOptional(),
        advantage: advantageSchema.exactOptional(),
        learningRate: scheduleSchema.exactOptional(),
        optimizer: tableSchema(someOf(optimizerTable)).exactOptional().describe("AdamW"),
        prices: pricesSchema.exactOptional(),
        budget: budgetSchema.exactOptional().describe(budgetHelp),
      }),
    )
    .describe("Settings of one policy, by its name"),
  costs: z
    .record(z.string(), costSchema)
    .nullable()
    .describe("What is charged besides tokens, by name; null for the objective's own"),
  prices: pricesSchema,
  budget: budgetSchema.nullable().describe(budgetHelp),
  budgets: z.record(z.string(), budgetSchema).describe("Budgets of other costs, by their name"),
  supervised: tableSchema({ ...besideTable, ...exampleTable })
    .nullable()
    .describe("Supervised examples beside reinforcement learning; null for none"),
  optimizer: z.strictObject({ ...tableSchema(optimizerTable).shape, learningRate: scheduleSchema }).describe("AdamW"),
  evaluation: tableSchema(evaluationTable).describe("Evaluations on held-out problems"),
  divergence: tableSchema(divergenceTable).nullable().describe("When a run counts as diverged; null never"),
  earlyStopping: tableSchema(earlyStoppingTable)
    .nullable()
    .describe("Ends a run that no longer gains; null trains all steps"),
  checkpoint: tableSchema(checkpointTable).describe("When weights are saved"),
  retention: tableSchema(retentionTable).exactOptional().describe("How much of a long run stays on disk"),
}) as unknown as z.ZodType<TrainConfig>;

/**
 * Fills a partial configuration from {@link agentGspoDefaults} and checks it.
 *
 * @param place - where the object lies in a larger configuration, for messages
 * @throws LaconicError `config_invalid` naming the key; for an unknown one, the nearest known key.
 */
export function parseTrainConfig(partial: unknown, place: readonly string[] = []): TrainConfig {
  const given = withDefaults(
    agentGspoDefaults,
    withoutNull(withoutNull(withClipRanges(partial), "opponents"), "retention"),
    [],
  );
  const parsed = trainConfigSchema.safeParse(given, { error: issueWords });
  if (!parsed.success) throw refusal(parsed.error.issues, place, given);
  checkCombinations(parsed.data, place);
  checkParts(parsed.data);
  return parsed.data;
}

function invalid(key: string, reason: string): LaconicError {
  return new LaconicError("config_invalid", `${key}: ${reason}`, { key });
}

/** Groups that a run has or has not: one that is given is filled from here. */
const filled: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["asynchronous", asynchronousDefaults],
  ["divergence", agentGspoDefaults.divergence],
  ["opponents", opponentDefaults],
  ["retention", retentionDefaults],
  ["supervised", supervisedDefaults],
]);

/** One number as a clip is plainly meant for both sides. */
function withClipRanges(written: unknown): unknown {
  if (!isRecord(written)) return written;
  const ranged = (settings: unknown): unknown => {
    if (!isRecord(settings) || !isRecord(settings["objective"])) return settings;
    const { clip, ...rest } = settings["objective"];
    return typeof clip === "number"
      ? { ...settings, objective: { ...rest, clip: { low: clip, high: clip } } }
      : settings;
  };
  const { policies } = written;
  const own = isRecord(policies)
    ? { policies: Object.fromEntries(Object.entries(policies).map(([name, each]) => [name, ranged(each)])) }
    : {};
  return { ...(ranged(written) as object), ...own };
}

/** Without a key that says null: a run keeps nothing of it then. */
function withoutNull(written: unknown, key: string): unknown {
  if (!isRecord(written) || written[key] !== null) return written;
  const { [key]: _none, ...rest } = written;
  return rest;
}

/** Lays what is given over the defaults; as own properties, so that no key reaches a prototype. */
function withDefaults(defaults: unknown, given: unknown, path: readonly string[]): unknown {
  if (given === undefined) return defaults;
  const place = path.join(".");
  const whole = filled.get(place);
  if (isRecord(whole) && isRecord(given)) return { ...whole, ...given };
  // Any other group is given as a whole: a default for one alternative must not leak into another.
  if (!isRecord(defaults) || !isRecord(given) || !isFilled(path)) return given;
  const merged = Object.entries(given).map(([key, value]) => {
    const own = Object.hasOwn(defaults, key) ? defaults[key] : undefined;
    return [key, withDefaults(own, value, [...path, key])] as const;
  });
  return Object.fromEntries([...Object.entries(defaults), ...merged]);
}

function isFilled([first]: readonly string[]): boolean {
  return first === undefined || (filledGroups as readonly string[]).includes(first);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first key that does not exist, with the nearest that does; else the first value that does not fit. */
function refusal(issues: readonly z.core.$ZodIssue[], place: readonly string[], given: unknown): LaconicError {
  const stray = issues.find((issue) => issue.code === "unrecognized_keys");
  const issue = stray ?? (issues[0] as z.core.$ZodIssue);
  const path = issue.path.map(String);
  const keyOf = (name: string): string => [...place, ...path, name].join(".");
  if (!stray) return invalid([...place, ...path].join("."), issue.message);
  const name = stray.keys[0] as string;
  const known = keysAt(trainConfigSchema, path, given);
  const near = nearestName(name, known);
  const hint = near === undefined ? `known here: ${known.join(", ")}` : `did you mean ${keyOf(near)}?`;
  return invalid(keyOf(name), `there is no such setting; ${hint}`);
}

/** Keys that the schema knows at a path; of several alternatives, those of the one that was given. */
function keysAt(schema: z.core.$ZodType, path: readonly string[], given: unknown): string[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional)
    return keysAt(schema.unwrap(), path, given);
  if (schema instanceof z.ZodUnion) {
    const meant = schema.options.filter((option) => isMeant(option, given));
    const options = meant.length > 0 ? meant : schema.options;
    return [...new Set(options.flatMap((option) => keysAt(option, path, given)))];
  }
  const [key, ...rest] = path;
  if (schema instanceof z.ZodRecord)
    return key === undefined ? [] : keysAt(schema.valueType, rest, isRecord(given) ? given[key] : undefined);
  if (!(schema instanceof z.ZodObject)) return [];
  if (key === undefined) return Object.keys(schema.shape);
  const inner = schema.shape[key];
  return inner ? keysAt(inner, rest, isRecord(given) ? given[key] : undefined) : [];
}

/** Its literal fields, the names of alternatives, are those of the value. */
function isMeant(option: z.core.$ZodType, given: unknown): boolean {
  if (!(option instanceof z.ZodObject) || !isRecord(given)) return false;
  const names = Object.entries(option.shape).filter(([, field]) => field instanceof z.ZodLiteral);
  return names.length > 0 && names.every(([key, field]) => (field as z.ZodLiteral).safeParse(given[key]).success);
}

/** Ratio units whose messages do not share an advantage, by grouping key. */
const ratioUnitsThatMix: Partial<Record<GroupKey, readonly RatioUnit[]>> = {
  "prompt+agent": ["joint"],
  "prompt+agent+turn": ["trajectory", "joint"],
};

/** What the parts themselves refuse is refused before anything runs. */
function checkParts(config: TrainConfig): void {
  const { name, ...options } = config.objective;
  objectivePreset(name, options);
  estimatorOf(config);
  if (config.budget) dualController(config.budget);
  for (const each of Object.values(config.budgets)) dualController(each);
  for (const [cost, settings] of Object.entries(config.costs ?? {})) costPreset(settings, `costs.${cost}`);
}

function checkCombinations(config: TrainConfig, place: readonly string[]): void {
  const refuse = (key: string, reason: string): never => {
    throw invalid([...place, key].join("."), reason);
  };
  const sequences = config.problemsPerStep * config.episodesPerProblem;
  if (config.minibatches > sequences) refuse("minibatches", `${config.minibatches} parts of ${sequences} episodes`);
  if (config.episodesPerProblem === 1 && config.advantage.estimator !== "raw")
    refuse(
      "episodesPerProblem",
      "a group of one has advantage 0: nothing would be learned; use at least 2, or advantage.estimator raw",
    );
  for (const cost of [...(config.budget ? ["tokens"] : []), ...Object.keys(config.budgets)])
    if (Object.hasOwn(config.prices, cost))
      refuse(`prices.${cost}`, "has no effect beside a budget, which sets this price; remove one");
  if (config.budget && Object.hasOwn(config.budgets, "tokens"))
    refuse("budgets.tokens", "is what budget sets; remove one");
  if (config.checkpoint.every % config.refreshOldPolicyEvery !== 0)
    refuse(
      "checkpoint.every",
      `must be a multiple of refreshOldPolicyEvery (${config.refreshOldPolicyEvery}): the old policy is not stored`,
    );
  const { decay, finalFraction } = config.optimizer.learningRate;
  if (decay === "constant" && finalFraction !== 1)
    refuse("optimizer.learningRate.finalFraction", "has no effect without a decay; set decay to linear or cosine");
  if (decay !== "constant" && finalFraction === 1)
    refuse("optimizer.learningRate.decay", `${decay} to the whole peak has no effect; set finalFraction below 1`);
  const mixed = ratioUnitsThatMix[config.groupBy];
  if (mixed?.includes(config.ratioUnit))
    refuse(
      "ratioUnit",
      `${config.ratioUnit} joins messages that groupBy ${config.groupBy} gives different advantages; use groupBy prompt`,
    );
  checkTrees(config, refuse);
  if (config.credit.kind !== "shared" && !config.groupBy.includes("agent"))
    refuse(
      "credit",
      `${config.credit.kind} gives agents different rewards; group by prompt+agent or prompt+agent+turn`,
    );
  if (config.credit.kind !== "shared" && config.advantage.estimator === "decoupled")
    refuse("credit", "decoupled advantages are of whole episodes; use another estimator");
  checkAsynchronous(config, refuse);
  if (config.objective.importance !== undefined) checkImportanceSource(config, refuse);
  if (config.earlyStopping && config.evaluation.every === 0)
    refuse("earlyStopping", "watches evaluations; set evaluation.every above 0");
}

type Refuse = (key: string, reason: string) => never;

function checkAsynchronous(config: TrainConfig, refuse: Refuse): void {
  const { asynchronous, problemsPerStep, episodesPerProblem, tree } = config;
  if (!asynchronous) return;
  const { activeGroups, maxLag, cutStragglers } = asynchronous;
  if (config.refreshOldPolicyEvery > 1)
    refuse("asynchronous", "has its own old policies; leave refreshOldPolicyEvery at 1");
  if (config.oldLogProbs === "sampler")
    refuse("oldLogProbs", "those of the sampler are of older weights in an asynchronous run; use recompute");
  const most = (maxLag + 1) * problemsPerStep;
  if ((activeGroups ?? 0) > most)
    refuse(
      "asynchronous.activeGroups",
      `is ${activeGroups}, of which maxLag ${maxLag} allows ${most}: (maxLag + 1) * problemsPerStep; null takes problemsPerStep + 1`,
    );
  if (cutStragglers && tree) refuse("asynchronous.cutStragglers", "a tree is played as a whole; use null");
  if (cutStragglers && Math.ceil(cutStragglers.afterShare * episodesPerProblem) >= episodesPerProblem)
    refuse("asynchronous.cutStragglers.afterShare", `is all of ${episodesPerProblem} episodes: nothing is ever cut`);
  if (cutStragglers && Math.ceil(cutStragglers.afterShare * episodesPerProblem) < 2)
    refuse("asynchronous.cutStragglers.afterShare", "leaves one episode of a group, whose advantage is 0");
}

/** One correction for the sampler, not two, and none where nothing is left to correct. */
function checkImportanceSource({ asynchronous, oldLogProbs }: TrainConfig, refuse: Refuse): void {
  if (asynchronous)
    refuse("objective.importance", "older samples are weighed already, by asynchronous.importanceCap; leave one out");
  if (oldLogProbs === "sampler")
    refuse("objective.importance", "with oldLogProbs sampler the ratio itself corrects; set oldLogProbs to recompute");
}

function checkTrees(config: TrainConfig, refuse: Refuse): void {
  if ((config.groupBy === "tree-node") !== (config.tree !== null))
    refuse("groupBy", "tree-node belongs to rollout trees: set it together with `tree`");
  if (!config.tree) return;
  const { advantage, credit } = config;
  if (advantage.estimator !== "group" || advantage.scale !== "none")
    refuse("advantage", "a tree's advantage is the return less its siblings' mean: group with scale none");
  if (credit.kind !== "shared") refuse("credit", "a tree gives each reply its own return; use shared");
}
