import { timerOf, type Timer } from "@laconic/rewards";
import type { Evaluation } from "./evaluate.ts";
import { evaluateTest, evaluateWhenDue } from "./loop/evaluate-step.ts";
import { begin } from "./loop/begin.ts";
import { collector } from "./loop/collect.ts";
import { moveState, scoreStep, traceStep } from "./loop/step.ts";
import { checkFinite, explainedNumbers, stopDiverged } from "./loop/stop-diverged.ts";
import { checkpointOnFailure, disposeAll, OldPolicies, openTrainingRun, saveAtEnd } from "./loop/training-run.ts";
import type { RunSpec } from "./spec/run-spec.ts";
import { learnedOf } from "./run/loop-state.ts";
import { silentRecorder, type Recorder } from "./run/recorder.ts";
import { placed } from "./stages/checked-values.ts";
import { learn } from "./stages/learner.ts";

/** Options of `train`. */
export interface TrainOptions {
  /** Default: writes nothing. See `openRun`. */
  readonly recorder?: Recorder;
  /** Stops after the current step, or the last one under the same old policy. */
  readonly signal?: AbortSignal;
  /** Timer for asynchronous sampling. */
  readonly timer?: Timer;
}

/** Result of `train`. */
export interface TrainResult {
  readonly before: Evaluation;
  readonly after: Evaluation;
  /**
   * Test results of a completed run; null without validation problems, because `after` is then on the test problems.
   */
  readonly test: Evaluation | null;
  /** Fewer than configured if interrupted or stopped early. */
  readonly steps: number;
  readonly interrupted: boolean;
  readonly stoppedEarly: boolean;
  readonly bestStep: number;
}

/**
 * Agent-GSPO, Algorithm 1, for policies that learn from the same episodes. Resumes the recorder's last checkpoint.
 * @throws LaconicError `training_diverged` and `numeric_invalid` with likely cause and best checkpoint;
 * `scoring_failed` for too few scores, after a checkpoint; errors of models and of the recorder
 */
export async function train(spec: RunSpec, options: TrainOptions = {}): Promise<TrainResult> {
  const { recorder = silentRecorder(), signal, timer = timerOf(globalThis) } = options;
  const { config } = spec;
  const run = await openTrainingRun(spec, { recorder, signal, timer });
  const { budget, schedule, models } = run;
  const beginning = await begin(run);
  let { state } = beginning;
  const old = new OldPolicies(run);
  const episodes = collector(run, state);
  try {
    while (schedule.goesOn(state)) {
      const clock = recorder.clock();
      const prices = budget.prices(state.budgets);
      const oldPolicies = await old.samplers();

      // Lines 3-6: queries, G episodes each under the old policies, rewards by Eq. 1.
      const collected = await explainedNumbers(run, state, state.step + 1, () =>
        checkpointOnFailure(run, state, () =>
          placed(`step ${state.step + 1}`, () => episodes.collect(state, oldPolicies)),
        ),
      );
      if (collected === null) {
        await saveAtEnd(run, state, beginning.resumedAt);
        break;
      }
      clock.lap("rollout");
      const batch = await placed(`step ${state.step + 1}`, () =>
        scoreStep(run, state, { ...collected, prices, oldPolicies, clock }),
      );

      // Lines 7-10: advantages by Eq. 2; ratios and objective by Eq. 3-4.
      const learners = await explainedNumbers(run, state, state.step + 1, async () => {
        const learned = await learn(run, state, batch);
        checkFinite(learned);
        return learned;
      });

      // Line 12: move λ by Eq. 5. Line 11: refresh the old policies.
      const moved = await moveState(run, state, batch, learners);
      await old.refresh(moved.state.step);

      state = await traceStep(run, moved, batch, learners, episodes);
      state = await stopDiverged(run, state, batch.scored, learners);
      const evaluation = await explainedNumbers(run, state, state.step, () =>
        evaluateWhenDue(run, state, batch.scored),
      );
      state = evaluation.state;
      if (schedule.isCheckpointDue(state, evaluation.isBest)) await recorder.checkpoint(models, state);
    }
  } finally {
    await episodes.close();
  }
  const { step, before, after, best } = state;
  const stoppedEarly = step < config.steps && schedule.isStale(state);
  const interrupted = step < config.steps && !stoppedEarly;
  const test = interrupted ? null : await evaluateTest(run, learnedOf(state));
  await old.dispose();
  await disposeAll(run.references);
  await run.pool?.dispose();
  if (step === 0) await recorder.checkpoint(models, state);
  return { before, after, test, steps: step, stoppedEarly, bestStep: best.step, interrupted };
}
