import { trainConfigSchema } from "@laconic/trainer";
import { expect, test } from "vitest";
import * as z from "zod";
import { configSchema } from "../run/app-config.ts";
import { places } from "./reference.ts";

/** Why a setting takes no value of a user's own, by its key or that of its group. */
const reasons: Readonly<Record<string, string>> = {
  model: "weights come from a folder or the hub; what they are is data",
  teachers: "weights, as model",
  bases: "weights, as model",
  lora: "a shape of weights; the engine's passes are written for it",
  engine: "an address and its settings",
  sampler: "addresses and their settings",
  policies: "who shares weights: two answers",
  chatTemplateArguments: "values of a template, which is the model's",
  device: "a name of hardware",
  workers: "a number of threads",
  deterministic: "which kernels a device takes: two answers",
  memory: "sizes",
  "train.seed": "a number or a text, from which every stream splits",
  "train.steps": "a count; a stopping rule at earlyStopping ends a run before",
  "train.problemsPerStep": "a count, by which a step's batch is laid out",
  "train.episodesPerProblem": "a count, as problemsPerStep",
  "train.minibatches": "a count, as problemsPerStep",
  "train.epochs": "a count, as problemsPerStep",
  "train.refreshOldPolicyEvery": "a count; checkpoints are only made where the old policy is fresh",
  "train.oldLogProbs": "which of two engines is trusted",
  "train.ratioUnit": "objectives are told whole units; one of one's own joins what it likes in evaluate",
  "train.weightBy": "two answers; an estimator of one's own weighs rows as it likes",
  "train.onAgentError": "ends a run, or an episode",
  "train.problemPool": "a count; which of them come next is curriculum",
  "train.costWhenTaskAtLeast": "a number; a reward of one's own charges when it likes",
  "train.scoring": "limits of time and failures",
  "train.limits": "ceilings that a sandboxed episode cannot move",
  "train.asynchronous": "sizes of a queue",
  "train.credit": "a reward of one's own gives terms to agents and turns",
  "train.tree": "MAGRPO's rollouts; a topology of one's own branches as it likes",
  "train.prices": "numbers; a budget of one's own moves them",
  "train.evaluation": "how often, and on how many problems",
  "train.divergence": "two numbers; a stopping rule sees every evaluation",
  "train.checkpoint": "how often, and how many",
  "train.sampling": "a number each, which the engine's kernels read; the temperature alone moves",
  "train.supervised.batch": "a count; examples of one's own are examples",
  "train.supervised.weight": "a number",
  "train.supervised.turns": "two answers; an example of one's own has the turns that it likes",
  "train.supervised.maxTokens": "a count",
  "train.supervised.long": "ends a run, or cuts",
  "train.supervised.agent": "a name; examples of one's own name theirs",
  "train.optimizer": "AdamW runs on the device; its learning rate is a schedule",
  "train.opponents.sides": "names of agents",
  "train.opponents.latest": "a share; matchmaking of one's own chooses among the others",
  "train.opponents.draw": "per group or per episode",
  "train.opponents.every": "a count of steps",
  "train.opponents.keep": "a count, which memory is planned by",
  "train.opponents.drop": "which weights are kept on disk; three answers",
  "train.opponents.runs": "folders of runs",
  "train.opponents.against": "names of opponents",
  "train.opponents.priced": "names of costs",
  "train.policies.*.prices": "numbers; a budget of one's own moves them",
  "train.policies.*.optimizer": "as train.optimizer",
};

/** Keys of a schema, in groups as far as `places` or the reasons go into them. */
function keysOf(schema: z.core.$ZodType, place: string): string[] {
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable) return keysOf(schema.unwrap(), place);
  const goesIn = places.some(([key]) => key.startsWith(`${place}.`)) && !Object.hasOwn(reasons, place);
  if (place !== "" && !goesIn && !parts.has(place)) return [place];
  if (schema instanceof z.ZodRecord) return keysOf(schema.valueType, `${place}.*`);
  if (!(schema instanceof z.ZodObject)) return [place];
  return Object.entries(schema.shape).flatMap(([name, inner]) =>
    keysOf(inner, place === "" ? name : `${place}.${name}`),
  );
}

/** Groups of which some keys take a value and others do not. */
const parts: ReadonlySet<string> = new Set(["train", "train.policies", "train.policies.*"]);

test("every setting takes a value of one's own, or has a reason why not", () => {
  const config = keysOf(configSchema, "").filter((key) => !key.startsWith("train"));
  const train = keysOf(trainConfigSchema, "train");
  const own = new Set(places.map(([key]) => key));
  const isOwn = (key: string): boolean => [...own].some((each) => each === key || each.startsWith(`${key}.`));
  const unsaid = [...config, ...train].filter((key) => !isOwn(key) && !reasons[key]);
  expect(unsaid).toEqual([]);
  // A reason is of a setting that exists, and is not one that takes a value.
  const all = new Set([...config, ...train]);
  expect(Object.keys(reasons).filter((key) => !all.has(key))).toEqual([]);
  expect(Object.keys(reasons).filter((key) => own.has(key))).toEqual([]);
});
