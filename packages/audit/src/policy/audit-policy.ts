import type { Place } from "../findings.ts";
import type { AuditedPolicy, AuditedStep } from "../folder/record.ts";
import type { StepContext } from "../memory.ts";
import type { Numbers } from "../rules/numbers.ts";
import { firstPrice, nextPrice, usedOf } from "../rules/prices.ts";
import { isOwnValue } from "../rules/schema.ts";
import { settingsOf, type ResolvedSettings } from "../rules/settings.ts";
import type { PolicyFacts } from "../step-facts.ts";
import { advantagesOf, compareAdvantages, valuesOf } from "./advantages.ts";
import { judge } from "./judge.ts";
import { checkRows, toBeTrained, trainedOf } from "./trained.ts";
import { oldLogProbsOf, updatesOf } from "./updates.ts";

/** What a policy made of a step: its rewards and prices, what it was trained on, advantages, losses. */
export function auditPolicy(
  context: StepContext,
  step: AuditedStep,
  { name, row, judged: team, team: teamsPrices }: Pick<PolicyFacts, "name" | "row" | "judged"> & { team: Numbers },
): PolicyFacts {
  const { train, findings, memory } = context;
  const settings = settingsOf(train, name);
  const place: Place = { step: step.step, policy: name };
  const prices = settings.hasOwnBudget ? ownPrices(context, settings, row, name) : teamsPrices;
  for (const [cost, price] of Object.entries(prices))
    findings.number("price", place, `λ of ${cost}`, price, row.prices[cost]);
  const judged = settings.hasOwnBudget ? judge(context, step, settings, prices, row.agents) : team;
  if (settings.hasOwnBudget)
    judged.forEach((each, i) =>
      findings.number("reward", { ...each.place, policy: name }, "reward", each.own.reward, row.rewards?.[i]),
    );
  const { all, empty } = toBeTrained(step, judged, row);
  const trained = trainedOf(findings, all, judged, row, place);
  const { values, estimated } = advantagesOf(context, step, { settings, name, judged, trained: all, prices, row });
  const perSequence = values && valuesOf(values, all, trained);
  compareAdvantages(findings, place, trained, perSequence, row);
  const { old, sampled } = oldLogProbsOf(findings, settings, trained, row);
  checkRows(findings, place, trained, row, settings);
  const done = updatesOf(context, settings, { step, row, trained, old, sampled, place }, perSequence);
  if (settings.hasOwnBudget && settings.budget && !isOwnValue(settings.budget) && memory.isWhole) {
    const key = `policy ${name}`;
    const { state } = nextPrice(
      settings.budget,
      memory.prices.get(key) ?? firstPrice(settings.budget),
      usedOf("tokens", judged),
    );
    memory.prices.set(key, state);
  }
  return {
    name,
    row,
    judged,
    prices,
    trained,
    empty,
    estimated,
    old,
    sampled,
    ...done,
    hasOwnBudget: settings.hasOwnBudget,
  };
}

function ownPrices(
  { train, memory }: StepContext,
  settings: ResolvedSettings,
  row: AuditedPolicy,
  name: string,
): Numbers {
  const own = train.policies[name]?.budget;
  if (isOwnValue(own)) return { ...settings.prices, tokens: row.prices["tokens"] ?? 0 };
  const state = memory.prices.get(`policy ${name}`) ?? (own && firstPrice(own));
  const tokens = own ? (memory.isWhole ? state?.price : row.prices["tokens"]) : settings.prices["tokens"];
  return { ...settings.prices, tokens: tokens ?? 0 };
}
