import {
  checkShape,
  findShapeMismatch,
  isRecord,
  type Field,
  type FieldsOf,
  type GroupShape,
  type TokenCount,
} from "@laconic/core";
import {
  type Cost,
  type CostScope,
  overlong,
  type OverlongOptions,
  repetition,
  type RepetitionOptions,
  tokensRead,
  tokensWritten,
  turns,
  type TurnOptions,
} from "./costs.ts";

type By = Pick<CostScope, "by">;

interface Options {
  readonly "tokens-written": By;
  readonly "tokens-read": CostScope;
  readonly turns: TurnOptions;
  readonly repetition: RepetitionOptions;
  readonly overlong: OverlongOptions;
}

/** Cost kind with the options of its function. */
export type CostSettings = { readonly [Kind in keyof Options]: { readonly kind: Kind } & Options[Kind] }[keyof Options];

const by: FieldsOf<By> = {
  by: { help: "Counts only tokens and utterances of this agent", shape: "text", optional: true },
};

const kinds: {
  readonly [Kind in keyof Options]: { readonly fields: FieldsOf<Options[Kind]>; make(options: Options[Kind]): Cost };
} = {
  "tokens-written": { fields: by, make: tokensWritten },
  "tokens-read": {
    fields: {
      ...by,
      from: { help: "Counts only tokens read from this sender", shape: "text", optional: true },
    },
    make: tokensRead,
  },
  turns: {
    fields: {
      ...by,
      count: { help: "Non-silent turns, or all turns", shape: { kind: "choice", of: ["spoken", "all"] } },
    },
    make: turns,
  },
  repetition: {
    fields: {
      ...by,
      n: { help: "Length of a repeated n-gram, in units of `of`", shape: "positive" },
      of: { help: "Words, or characters", shape: { kind: "choice", of: ["words", "characters"] } },
      against: {
        help: "Scope of the earlier text: the utterance, or the episode",
        shape: { kind: "choice", of: ["utterance", "episode"] },
      },
    },
    make: repetition,
  },
  overlong: {
    fields: {
      ...by,
      maxTokens: { help: "Largest number of tokens", shape: "positive" },
      margin: { help: "Tokens before the limit over which the cost rises from 0", shape: "positive" },
    },
    make: overlong,
  },
};

const kindNames = Object.keys(kinds) as CostSettings["kind"][];
const kindOf = (of: readonly string[]): Field => ({ help: "What is counted", shape: { kind: "choice", of } });

/** Settings shape of each cost kind. */
export const costShapes: Readonly<Record<CostSettings["kind"], GroupShape<CostSettings>>> = Object.fromEntries(
  kindNames.map((name) => [name, { kind: "group", fields: { kind: kindOf([name]), ...kinds[name].fields } }]),
) as unknown as Record<CostSettings["kind"], GroupShape<CostSettings>>;

/**
 * Creates a cost from settings.
 * @throws LaconicError `config_invalid`
 */
export function costPreset(settings: CostSettings, location = "cost"): Cost {
  checkShape({ kind: "group", fields: { kind: kindOf(kindNames) } }, { kind: settings.kind }, location);
  checkShape(costShapes[settings.kind], settings, location);
  const { make } = kinds[settings.kind] as { make(options: CostSettings): Cost };
  return make(settings);
}

/** Undefined for other costs and invalid settings. */
export function tokenCountOf(settings: unknown): TokenCount | undefined {
  const kind = kindNames.find((name) => isRecord(settings) && settings["kind"] === name);
  if (kind === undefined || findShapeMismatch(costShapes[kind], settings) !== null) return undefined;
  return costPreset(settings as CostSettings).tokens;
}
