import { shownValue, type EvaluationPoint, type Learned } from "@laconic/core";
import { checkedCall } from "@laconic/core/checks";
import { wilsonInterval } from "@laconic/core/numeric";
import { collapseOf, regressionOf, unlearnedOf, evaluationWarnings } from "../evaluation-warnings.ts";
import { evaluate, evaluationOptions, type Evaluation, playProblems, type EvaluateOptions } from "../evaluate.ts";
import { withLearned } from "../learned.ts";
import { livePolicies, modelsOf, type Samplers, type TrainingParts } from "../spec/parts.ts";
import { learnedOf, type LoopState } from "../run/loop-state.ts";
import type { ScoredRollout } from "../stages/score.ts";
import { placed } from "../stages/checked-values.ts";
import type { OpponentSettings } from "../settings/config.ts";
import { checkpointOnFailure, type TrainingRun } from "./training-run.ts";
import { gameOf, withOpponent, type Opponent, type OpponentResult } from "../opponents/games.ts";
import type { OpponentPool } from "../opponents/opponent-pool.ts";

export async function evaluateStep(run: TrainingRun, learned: Learned): Promise<Evaluation> {
  const { config, recorder, references, pool } = run;
  const { step } = learned;
  const { transcripts } = config.evaluation;
  const parts = withLearned(run.parts, learned);
  if (parts.task.testProblems.length === 0 && parts.source)
    return { step, problems: 0, accuracy: 0, interval: [0, 1], tokens: 0, silence: {} };
  const options = { ...evaluationOptions(config), step, split: "validation", references } as const;
  const { evaluation: alone, episodes } = await placed(`evaluation at step ${step}`, () =>
    evaluate(parts, livePolicies(parts), options),
  );
  for (const warning of evaluationWarnings(alone, episodes)) await recorder.warn(warning, step);
  const { opponents: settings } = config;
  const isPlayed = pool !== null && settings !== undefined && pool.against.length > 0;
  const games = isPlayed && (await evaluateOpponents(parts, livePolicies(parts), { pool, settings }, options));
  const evaluation = games ? { ...alone, opponents: games } : alone;
  await recorder.evaluation(evaluation, episodes, transcripts);
  return evaluation;
}

/**
 * Evaluates on the test problems. Returns null without validation problems, because every evaluation then used the test
 * problems.
 */
export async function evaluateTest(run: TrainingRun, learned: Learned): Promise<Evaluation | null> {
  const { config, recorder, references } = run;
  const parts = withLearned(run.parts, learned);
  if (parts.task.validation === undefined || parts.task.testProblems.length === 0) return null;
  const { evaluation, episodes } = await placed("evaluation on the test problems", () =>
    evaluate(parts, livePolicies(parts), {
      ...evaluationOptions(config),
      step: learned.step,
      split: "test",
      references,
    }),
  );
  await recorder.test?.(evaluation, episodes);
  return evaluation;
}

/** Evaluates when due, warns of regression or collapse, and keeps the best evaluation. */
export async function evaluateWhenDue(
  run: TrainingRun,
  state: LoopState,
  scored: readonly ScoredRollout[],
): Promise<{ readonly state: LoopState; readonly isBest: boolean }> {
  const { config, recorder, schedule } = run;
  const { step, before } = state;
  if (!schedule.isEvaluationDue(step)) return { state, isBest: false };
  await recorder.rollouts(step, scored.slice(0, config.evaluation.transcripts));
  const after = await checkpointOnFailure(run, state, () => evaluateStep(run, learnedOf(state)));
  for (const test of [regressionOf, collapseOf]) {
    const reason = test(before, after);
    if (reason !== null && test(before, state.after) === null) await recorder.warn(`at step ${step} ${reason}`, step);
  }
  const unlearned = step === config.steps && !config.opponents ? unlearnedAtEnd(run, state, after, scored) : null;
  if (unlearned !== null) await recorder.warn(`at step ${step} ${unlearned}`, step);
  const { earlyStopping } = config;
  const minGain = earlyStopping && "minGain" in earlyStopping ? earlyStopping.minGain : 0;
  const isBest = after.accuracy > state.best.accuracy + minGain;
  const best = isBest ? { step, accuracy: after.accuracy, since: 0 } : { ...state.best, since: state.best.since + 1 };
  return { state: { ...state, after, best, ...stoppingOf(run, state, after) }, isBest };
}

function unlearnedAtEnd(
  { config }: TrainingRun,
  { before, after: previous }: LoopState,
  last: Evaluation,
  scored: readonly ScoredRollout[],
): string | null {
  const { budget, budgets, prices, policies } = config;
  const own = Object.values(policies);
  const isPriced =
    budget !== null ||
    Object.keys(budgets).length > 0 ||
    own.some((policy) => policy.budget !== undefined) ||
    [prices, ...own.map((policy) => policy.prices ?? {})].some((of) => Object.values(of).some((price) => price > 0));
  const rewards = new Map<ScoredRollout["group"], Set<number>>();
  for (const { group, reward } of scored) rewards.set(group, (rewards.get(group) ?? new Set<number>()).add(reward));
  const equal = [...rewards.values()].filter(({ size }) => size === 1).length;
  return unlearnedOf({ before, previous, last, isPriced, equalGroups: equal / Math.max(1, rewards.size) });
}

function stoppingOf(
  { stopping }: TrainingRun,
  { evaluations: before = [] }: LoopState,
  after: Evaluation,
): Pick<LoopState, "evaluations" | "isStopped"> {
  if (!stopping) return {};
  const evaluations = [...before, pointOf(after)];
  const isStopped = checkedCall(
    {
      name: `the stopping rule ${stopping.name}`.trimEnd(),
      value: "stopping",
      place: `evaluation at step ${after.step}`,
    },
    () => stopping(evaluations),
    (input) => (typeof input === "boolean" ? null : `gave ${shownValue(input)}, expected true or false`),
  );
  return { evaluations, isStopped };
}

export function pointOf({ step, accuracy, tokens, measures }: Evaluation): EvaluationPoint {
  return { step, accuracy, tokens, ...(measures && { measures }) };
}

/** Plays the validation problems against each opponent; sides alternate by problem. */
async function evaluateOpponents(
  parts: TrainingParts,
  samplers: Samplers,
  { pool, settings }: { readonly pool: OpponentPool; readonly settings: OpponentSettings },
  options: EvaluateOptions,
): Promise<Readonly<Record<string, OpponentResult>>> {
  const learners = Object.values(parts.policies).flatMap(({ agents }) => agents);
  const models = modelsOf(parts, samplers);
  const rates: Record<string, OpponentResult> = {};
  for (const name of pool.against) {
    const opponents = settings.sides.map((_, side) => pool.opponent(name, side));
    const opponentAt = (i: number): Opponent => opponents[i % opponents.length]!;
    const played = await playProblems(parts, (i) => ({ ...models, ...opponentAt(i).models }), options);
    const games = played.flatMap(({ episode, score }, i) => {
      const marked = withOpponent(episode, name, Object.keys(opponentAt(i).models));
      return gameOf({ episode: marked, score }, settings, learners)?.points ?? [];
    });
    const won = games.reduce((sum, points) => sum + points, 0);
    rates[name] = {
      games: games.length,
      winRate: won / Math.max(1, games.length),
      interval: wilsonInterval(won, games.length),
    };
  }
  return rates;
}
