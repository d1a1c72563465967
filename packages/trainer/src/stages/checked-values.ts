import { isRecord, LaconicError, shownValue } from "@laconic/core";
import type { Advantages, Episode, Grouping, Estimator, Objective, RewardBatch } from "@laconic/core";
import { maxReplays, type Credit, type CreditInput, type CreditPlan } from "../settings/credit.ts";
import { checkedAnswer, checkedCall, checkValue, type ValueName } from "@laconic/core/checks";

export function checkedEstimator(estimator: Estimator, step: number): Estimator {
  const of: ValueName = { name: `the estimator ${estimator.name}`, value: "estimator", place: `step ${step}` };
  return {
    ...estimator,
    estimate: async (batch, state) => {
      const estimate = async (): Promise<Advantages> => inArray(await estimator.estimate(batch, state));
      return checkedAnswer(of, estimate, (input) => lacksOfAdvantages(input, batch));
    },
  };
}

function inArray(advantages: Advantages): Advantages {
  if (advantages instanceof Float64Array || isNumbers(advantages)) return { advantages: Float64Array.from(advantages) };
  const list: unknown = (advantages as Partial<Advantages> | undefined | null)?.advantages;
  return isNumbers(list) ? { ...advantages, advantages: Float64Array.from(list) } : advantages;
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === "number");
}

function lacksOfAdvantages(input: unknown, { rewards, offsets }: RewardBatch): string | null {
  if (!isRecord(input))
    return `gave ${shownValue(input)}, expected a list of numbers, a Float64Array or { advantages }`;
  const { advantages, diagnostics } = input;
  if (!(advantages instanceof Float64Array))
    return `gave ${shownValue(advantages)} as advantages, expected a list of numbers or a Float64Array`;
  const tokens = offsets.at(-1) ?? 0;
  if (advantages.length !== rewards.length && advantages.length !== tokens)
    return `gave ${advantages.length} advantages for ${rewards.length} rows of ${tokens} tokens`;
  const bad = advantages.findIndex((advantage) => !Number.isFinite(advantage));
  if (bad >= 0) return `gave the advantage ${advantages[bad]} at row ${bad}, expected a finite number`;
  return lacksOfDiagnostics(diagnostics, false);
}

export function checkedGrouping(grouping: Grouping, step: number): Grouping {
  const of: ValueName = { name: `the grouping ${grouping.name}`.trimEnd(), value: "grouping", place: `step ${step}` };
  return (member) =>
    checkedCall(
      of,
      () => grouping(member),
      (input) =>
        typeof input === "string" || Number.isFinite(input)
          ? null
          : `gave ${shownValue(input)} for turn ${member.utterance.turn}, expected a text or a number`,
    );
}

export function checkedObjective(objective: Objective, step: number): Objective {
  const of: ValueName = { name: `the objective ${objective.name}`, value: "objective", place: `step ${step}` };
  return {
    ...objective,
    evaluate: (input) =>
      checkedCall(
        of,
        () => objective.evaluate(input),
        (result) => lacksOfLoss(result, input.logProbs.values.length),
      ),
  };
}

function lacksOfLoss(input: unknown, tokens: number): string | null {
  if (!isRecord(input)) return `gave ${shownValue(input)}, expected { loss, gradient, diagnostics }`;
  const { loss, gradient, diagnostics } = input;
  if (typeof loss !== "number" || !Number.isFinite(loss))
    return `gave ${shownValue(loss)} as loss, expected a finite number`;
  if (!(gradient instanceof Float64Array))
    return `gave ${shownValue(gradient)} as gradient, expected a Float64Array with a number per token`;
  if (gradient.length !== tokens) return `gave a gradient of ${gradient.length} numbers for ${tokens} tokens`;
  return lacksOfDiagnostics(diagnostics, true);
}

/** @throws LaconicError `input_invalid` for a wrong plan; its `credits` throws for a wrong credit */
export function planCredit(credit: Credit, input: CreditInput): CreditPlan {
  const of: ValueName = { name: `the credit ${credit.name}`.trimEnd(), value: "credit" };
  const plan = checkedCall(of, () => credit(input), lacksOfPlan);
  return {
    changes: plan.changes,
    credits: (reward, replays) => checkedCall(of, () => plan.credits(reward, replays), lacksOfCredits),
  };
}

function lacksOfPlan(input: unknown): string | null {
  const { changes, credits } = (input ?? {}) as Partial<Record<keyof CreditPlan, unknown>>;
  if (!Array.isArray(changes) || !changes.every(isRecord) || typeof credits !== "function")
    return `gave ${shownValue(input)}, expected { changes, credits }`;
  return changes.length > maxReplays
    ? `asks for ${changes.length} replays of an episode; at most ${maxReplays} are played`
    : null;
}

function lacksOfCredits(input: unknown): string | null {
  if (!(input instanceof Map)) return `gave ${shownValue(input)} as credits, expected a Map from turn to number`;
  const odd = [...input].find(([turn, credit]) => typeof turn !== "number" || typeof credit !== "number");
  return odd ? `gave the credit ${shownValue(odd[1])} to turn ${shownValue(odd[0])}, expected numbers` : null;
}

/** @throws LaconicError `input_invalid` if a topology does not return an episode */
export function checkEpisode(topology: string, episode: unknown): void {
  const of = { name: `the topology ${topology}: run`, value: "task" };
  checkValue(of, episode, (input) => {
    const { utterances, ledger, answer } = (input ?? {}) as Partial<Record<keyof Episode, unknown>>;
    if (!Array.isArray(utterances)) return `gave ${shownValue(input)}, expected an episode; endEpisode makes one`;
    if (!Array.isArray((ledger as Partial<Episode["ledger"]> | undefined)?.calls))
      return "gave an episode without ledger.calls; endEpisode fills it";
    return answer === null || typeof answer === "string"
      ? null
      : `gave an episode whose answer is ${shownValue(answer)}, expected a text or null`;
  });
}

function lacksOfDiagnostics(input: unknown, needed: boolean): string | null {
  if (input === undefined && !needed) return null;
  if (!isRecord(input)) return `gave ${shownValue(input)} as diagnostics, expected statistics by name; {} for none`;
  const isStatistic = (value: unknown): boolean =>
    isRecord(value) && ["sum", "count", "min", "max"].every((key) => typeof value[key] === "number");
  const odd = Object.entries(input).find(([, item]) => !isStatistic(item));
  return odd
    ? `gave ${shownValue(odd[1])} as diagnostics.${odd[0]}, expected a statistic; statisticOf(VALUES) makes one`
    : null;
}

/** Adds the place, such as `step 3`, to errors of custom values. */
export async function placed<T>(location: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!LaconicError.is(error) || error.detail["value"] === undefined || error.detail["place"] !== undefined)
      throw error;
    throw new LaconicError(error.code, `${location}: ${error.message}`, { ...error.detail, place: location }, error);
  }
}
