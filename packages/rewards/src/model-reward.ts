import {
  configError,
  type Episode,
  type Grader,
  inputError,
  type ModelResources,
  type Problem,
  type Reward,
  type ValueModel,
} from "@laconic/core";
import { checkCount } from "./check-option.ts";

/** Settings of a reward model. */
export interface ModelRewardSettings {
  /** Answered episode as text or tokens. Default: question, line break, answer. */
  readonly input?: (episode: Episode & { readonly answer: string }, problem: Problem) => string | readonly number[];
  /** Term name. Default `preference`. */
  readonly term?: string;
  /** Maps the head's value to the term. Default: identity. */
  readonly scale?: (value: number) => number;
  /** Term for a missing answer. Default 0. */
  readonly noAnswer?: number;
  /** Score for accuracy. Default: the term. */
  readonly grader?: Grader;
  /** Episodes per pass. Default 32. */
  readonly batch?: number;
}

/** Reward with an open model. */
export interface ReadyModelReward extends ModelRewardSettings {
  readonly model: ValueModel;
  readonly encode: (text: string) => readonly number[];
}

/** The run opens the named model. */
export interface NamedModelReward extends ModelRewardSettings {
  readonly model: string;
}

/**
 * Reward model: a checkpoint with a scalar head, `score.weight`. Episodes that finish during a pass share the next one,
 * which changes last bits on engines that are not batch-invariant, unless `batch` is 1.
 * @throws LaconicError `config_invalid` also for a new head; `input_invalid` for empty or too long text
 */
export function modelReward(options: ReadyModelReward | NamedModelReward): Reward {
  const { batch = 32 } = options;
  checkCount("modelReward: batch", batch);
  if (!("encode" in options)) return unopened(options);
  const { model, encode, term = "preference", noAnswer = 0, grader } = options;
  const { input = ({ answer }, { question }) => `${question}\n${answer}`, scale = (value) => value } = options;
  if (!model.hasStoredHead && model.weightVersion === 0)
    throw configError(
      "modelReward: the model's head is untrained and returns 0; use a checkpoint with score.weight, or train the head first",
    );
  const value = batched(model, batch);
  return async (episode, problem, { signal }) => {
    const { answer } = episode;
    const score = grader && { score: grader(answer, problem) };
    if (answer === null) return { team: { [term]: noAnswer }, ...score };
    const reply = input({ ...episode, answer }, problem);
    const tokens = typeof reply === "string" ? encode(reply) : reply;
    if (tokens.length === 0 || tokens.length > model.contextLength)
      throw inputError(
        `modelReward: problem "${problem.id}": the reward model reads ${tokens.length} tokens, it takes from 1 to ${model.contextLength}`,
        { problem: problem.id },
      );
    return { team: { [term]: scale(await value(tokens, signal)) }, ...score };
  };
}

function unopened({ model, ...settings }: NamedModelReward): Reward {
  const early: Reward = () => {
    throw configError(
      "modelReward: its model is not open; name it in a run, or pass an engine's ValueModel and encode",
    );
  };
  return Object.assign(early, {
    open: async (resources: ModelResources) => modelReward({ ...settings, ...(await resources.openValueModel(model)) }),
  });
}

interface Waiting {
  readonly tokens: readonly number[];
  readonly signal: AbortSignal;
  resolve(value: number): void;
  reject(error: unknown): void;
}

function batched(model: ValueModel, most: number): (tokens: readonly number[], signal: AbortSignal) => Promise<number> {
  let waiting: Waiting[] = [];
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    await Promise.resolve();
    while (waiting.length > 0) {
      const now = waiting.slice(0, most);
      waiting = waiting.slice(most);
      for (const { signal, reject } of now) if (signal.aborted) reject(signal.reason);
      const live = now.filter(({ signal }) => !signal.aborted);
      if (live.length === 0) continue;
      try {
        const { values } = await model.forward(live.map(({ tokens }) => ({ tokens })));
        live.forEach(({ resolve }, i) => resolve(values[i]!));
      } catch (error) {
        for (const { reject } of live) reject(error);
      }
    }
    isRunning = false;
  };
  return (tokens, signal) =>
    new Promise((resolve, reject) => {
      waiting.push({ tokens, signal, resolve, reject });
      if (!isRunning) void run();
    });
}
