import {
  fillDefaults,
  configError,
  inputError,
  type OptimizerSettings,
  type RewardBatch,
  type ValueModel,
  type ValueModelOptions,
  type ValueSequence,
} from "@laconic/core";
import { checkOptimizerSettings, optimizerTable } from "@laconic/core/backends";
import { checkOption } from "../check-option.ts";
import { viewsOf, type Critic, type CriticView } from "./critic.ts";

/** Settings of a language model critic. */
export interface ModelCriticSettings {
  /** State as text or tokens. Default: the tokens that the agent read. */
  readonly input?: (view: CriticView) => string | readonly number[];
  readonly learningRate: number;
  /** Defaults as in a run's optimizer. */
  readonly optimizer?: Partial<Omit<OptimizerSettings, "learningRate">>;
  /** Passes over a step's targets. Default 1. */
  readonly epochs?: number;
  /** Max rows of an optimizer step. Default 64. */
  readonly minibatch?: number;
}

/** Critic with an open model. */
export interface ReadyModelCritic extends ModelCriticSettings {
  readonly model: ValueModel;
  readonly encode: (text: string) => readonly number[];
}

/** Critic whose model a run opens on its engine. */
export interface NamedModelCritic extends ModelCriticSettings, Pick<ValueModelOptions, "train"> {
  /** Separate layers by name, or a head on the policy's layers. */
  readonly model: string | { readonly of: "policy" };
}

/**
 * Language model with a scalar head on the state's last token; the loss is half the mean squared error. Separate layers
 * with a full `input` give MAPPO's centralised critic.
 * @throws LaconicError `config_invalid`, `input_invalid` for an empty or too long state
 */
export function modelCritic(options: ReadyModelCritic | NamedModelCritic): Critic<null> {
  const { epochs = 1, minibatch = 64 } = options;
  const whole = (value: number) => Number.isInteger(value) && value >= 1;
  checkOption(whole(epochs), "modelCritic: epochs", epochs, "a whole number from 1");
  checkOption(whole(minibatch), "modelCritic: minibatch", minibatch, "a whole number from 1");
  const optimizer = optimizerOf(options);
  if (!("encode" in options)) return unopened(options);
  const { model } = options;
  return {
    name: "model",
    weights: model,
    init: () => null,
    values: async (batch) => (await model.forward(statesOf(batch, options))).values,
    async fit(batch, targets) {
      const states = statesOf(batch, options);
      const count = Math.ceil(states.length / minibatch);
      for (let epoch = 0; epoch < epochs; epoch++)
        for (let part = 0; part < count; part++) {
          // Splits adjacent rows of a problem across minibatches.
          const rows = states.flatMap((_, row) => (row % count === part ? [row] : []));
          await model.forwardBackward(
            rows.map((row) => states[row]!),
            ({ values }, ids) => values.map((value, i) => (value - targets[rows[ids[i]!]!]!) / rows.length),
          );
          await model.optimStep(optimizer);
        }
      return null;
    },
  };
}

function unopened({ model, train, ...settings }: NamedModelCritic): Critic<null> {
  const early = (): never => {
    throw configError(
      "modelCritic: its model is not open; name it in a run, or pass an engine's ValueModel and encode",
    );
  };
  return {
    name: "model",
    open: async (resources) =>
      modelCritic({ ...settings, ...(await resources.openValueModel(model, train === undefined ? {} : { train })) }),
    init: () => null,
    values: early,
    fit: early,
  };
}

function statesOf(
  batch: RewardBatch,
  { model, encode, input = ({ promptTokens }) => promptTokens }: Pick<ReadyModelCritic, "model" | "encode" | "input">,
): ValueSequence[] {
  return viewsOf(batch).map((view, row) => {
    const reply = input(view);
    const tokens = typeof reply === "string" ? encode(reply) : reply;
    if (tokens.length >= 1 && tokens.length <= model.contextLength) return { tokens };
    throw inputError(
      `modelCritic: problem "${view.problem.id}", turn ${view.turn}: the critic reads ${tokens.length} tokens, its model takes from 1 to ${model.contextLength}`,
      { row },
    );
  });
}

function optimizerOf({ learningRate, optimizer }: ModelCriticSettings): OptimizerSettings {
  const settings = fillDefaults({ fields: optimizerTable }, { learningRate, ...optimizer }) as OptimizerSettings;
  checkOptimizerSettings(settings);
  return settings;
}
