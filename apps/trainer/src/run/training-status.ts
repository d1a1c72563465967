import { LaconicError } from "@laconic/core";
import { formatNumber, formatPercent, shellWord, formatDuration } from "@laconic/core/text";
import type { TrainingPlan, TrainingProgress } from "@laconic/runtime";
import type { Evaluation, Metrics } from "@laconic/trainer";
import { withoutScore } from "@laconic/view/report";
import type { Terminal } from "../cli/terminal.ts";

/** Max milliseconds between lines without a terminal. */
const longestSilence = 30_000;

export class TrainingStatus {
  readonly #terminal: Terminal;
  #plan: TrainingPlan | null = null;
  /** Milliseconds of the last step or evaluation. */
  #last: number = performance.now();
  /** Milliseconds of the last line without a terminal. */
  #lastLine: number = performance.now();
  readonly #stepSeconds: number[] = [];
  readonly #evaluationSeconds: number[] = [];
  #done = (): void => undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get hasResults(): boolean {
    return this.#stepSeconds.length + this.#evaluationSeconds.length > 0;
  }

  get progress(): TrainingProgress {
    return {
      ...this.#terminal,
      opened: (plan) => this.#opened(plan),
      started: () => void (this.#last = performance.now()),
      step: (metrics, samplers) => this.#step(metrics, samplers),
      evaluation: (evaluation) => this.#evaluation(evaluation),
      test: (evaluation) => this.#noteEvaluation("test problems, measured once", evaluation),
      failed: (error, run) => this.#failed(error, run),
      ended: () => this.#done(),
    };
  }

  #opened(plan: TrainingPlan): void {
    this.#plan = plan;
    this.#begin(plan.isResumed || plan.isServed ? "starting" : `${measuring(plan)} before the first step`);
  }

  #step(metrics: Metrics, samplers: string | null): void {
    const plan = this.#plan;
    if (!plan) return;
    this.#done();
    const { steps, evaluateEvery, isServed } = plan;
    const step = metrics["step"]!;
    const index = this.#lap(this.#stepSeconds);
    const times = { stepSeconds: this.#stepSeconds, evaluationSeconds: this.#evaluationSeconds };
    const evaluationsLeft = isServed ? 0 : evaluationsFrom(step, steps, evaluateEvery);
    const line = statusLine({
      step,
      steps,
      accuracy: metrics["task/accuracy"]!,
      tokens: metrics["tokens/episode_mean"]!,
      tokenPrice: metrics["budget/tokens/lambda"]!,
      secondsLeft: timeLeft({ ...times, stepsLeft: steps - step, evaluationsLeft }),
      ...(samplers !== null && { note: samplers }),
    });
    if (this.#terminal.interactive) this.#terminal.status(line);
    else if (step % 10 === 0 || step === steps || index - this.#lastLine > longestSilence) {
      this.#terminal.note(line);
      this.#lastLine = index;
    }
    const isEvaluated = step === steps || (evaluateEvery > 0 && step % evaluateEvery === 0);
    if (!isServed && isEvaluated) this.#begin(measuring(plan));
  }

  #noteEvaluation(where: string, { accuracy, tokens, problems, ...evaluation }: Evaluation): void {
    this.#terminal.note(
      `${this.#terminal.paint("cyan", where)}: accuracy ${formatPercent(accuracy)}, ${formatNumber(tokens)} tokens per episode (${problems} problems${withoutScore(evaluation)})`,
    );
  }

  #evaluation(evaluation: Evaluation): void {
    const { step } = evaluation;
    this.#done();
    const index = this.#lap(this.#evaluationSeconds);
    this.#noteEvaluation(`${this.#plan?.split ?? "validation"} at step ${step}`, evaluation);
    if (step > 0 || !this.#plan) return;
    this.#lastLine = index;
    const { problemsPerStep, episodesPerProblem } = this.#plan;
    this.#begin(`first step: ${problemsPerStep} problems x ${episodesPerProblem} episodes, and the update`);
  }

  async #failed(error: unknown, { directory, isKept }: Parameters<TrainingProgress["failed"]>[1]): Promise<void> {
    const { note } = this.#terminal;
    const bestStep = LaconicError.is(error) ? error.detail["bestStep"] : undefined;
    if (bestStep !== undefined) {
      note(`look at it: laconic view ${shellWord(directory)}`);
      if (bestStep !== 0) note(`evaluate the best checkpoint: laconic eval ${shellWord(directory)} --best`);
    }
    const isSpent = LaconicError.is(error) && error.code === "budget_refused";
    if (isKept)
      note(
        `continue from the last checkpoint: laconic ${this.#plan?.isServed ? "serve --train" : "train"} --resume --run ${shellWord(directory)}${isSpent ? " --max-usd MORE" : ""}`,
      );
  }

  #begin(activity: string): void {
    this.#done = this.#terminal.begin(activity);
  }

  /** Adds the seconds since the last step or evaluation. @returns current milliseconds */
  #lap(seconds: number[]): number {
    const index = performance.now();
    seconds.push((index - this.#last) / 1000);
    this.#last = index;
    return index;
  }
}

function measuring({ problems, split }: TrainingPlan): string {
  return `measuring ${problems} ${split} problems`;
}

interface StatusFacts {
  readonly step: number;
  readonly steps: number;
  readonly accuracy: number;
  /** Mean tokens per episode. */
  readonly tokens: number;
  readonly tokenPrice: number;
  /** Null if unknown. */
  readonly secondsLeft: number | null;
  readonly note?: string;
}

/** `step  42/160  ██        accuracy 94.5 %  tokens 31.2  λ 0.0041  1 m 05 s left` */
export function statusLine(progress: StatusFacts): string {
  const step = String(progress.step).padStart(String(progress.steps).length);
  return [
    `step ${step}/${progress.steps}`,
    bar(progress.step / progress.steps),
    `accuracy ${formatPercent(progress.accuracy)}`,
    `tokens ${formatNumber(progress.tokens)}`,
    `λ ${formatNumber(progress.tokenPrice)}`,
    ...(progress.secondsLeft === null ? [] : [`${formatDuration(progress.secondsLeft)} left`]),
    ...(progress.note === undefined ? [] : [progress.note]),
  ].join("  ");
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

function bar(fraction: number, width = 8): string {
  const cells = Math.max(0, Math.min(1, fraction)) * width;
  const full = Math.floor(cells);
  return ("█".repeat(full) + (eighths[Math.floor((cells - full) * 8)] ?? "")).padEnd(width);
}

interface StepTimes {
  /** Steps of this process, without evaluations. */
  readonly stepSeconds: readonly number[];
  readonly evaluationSeconds: readonly number[];
  readonly stepsLeft: number;
  readonly evaluationsLeft: number;
}

/** Min steps. The first step loads and compiles, so it is ignored. */
const fewest = 3;
/** Weight of a step relative to the next; the estimate adapts in about twenty steps. */
const decay = 0.9;

/** Seconds from weighted means of recent steps and evaluations; null with too few steps. */
export function timeLeft({ stepSeconds, evaluationSeconds, stepsLeft, evaluationsLeft }: StepTimes): number | null {
  if (stepSeconds.length < fewest) return null;
  return recentMean(stepSeconds.slice(1)) * stepsLeft + recentMean(evaluationSeconds) * evaluationsLeft;
}

/** Number of evaluations from the end of a step on. @param every - 0 for only the last */
export function evaluationsFrom(step: number, steps: number, every: number): number {
  if (every === 0) return 1;
  return Math.ceil(steps / every) - Math.floor(step / every) + (step % every === 0 ? 1 : 0);
}

function recentMean(values: readonly number[]): number {
  let [sum, weight] = [0, 0];
  for (const value of values) [sum, weight] = [decay * sum + value, decay * weight + 1];
  return weight === 0 ? 0 : sum / weight;
}
