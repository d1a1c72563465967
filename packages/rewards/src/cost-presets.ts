import { checkShape, group, shapes, type FieldsOf, type GroupShape } from "@laconic/core";
import type { Cost, CostScope } from "./cost.ts";
import { overlong, type OverlongOptions } from "./overlong.ts";
import { repetition, type RepetitionOptions } from "./repetition.ts";
import { tokensRead, tokensWritten } from "./token-cost.ts";
import { turns, type TurnOptions } from "./turn-cost.ts";

type By = Pick<CostScope, "by">;

interface Options {
  readonly "tokens-written": By;
  readonly "tokens-read": CostScope;
  readonly turns: TurnOptions;
  readonly repetition: RepetitionOptions;
  readonly overlong: OverlongOptions;
}

/** A cost by the name of its kind, with the options of its function. */
export type CostSettings = { readonly [Kind in keyof Options]: { readonly kind: Kind } & Options[Kind] }[keyof Options];

const by: FieldsOf<By> = {
  by: { help: "Counts only what this agent wrote, read or said", shape: shapes.text, optional: true },
};

function kind<Kind extends keyof Options>(
  name: Kind,
  fields: FieldsOf<Options[Kind]>,
): GroupShape<{ readonly kind: Kind } & Options[Kind]> {
  const all = { kind: { help: "What is counted", shape: { kind: "choice", of: [name] } }, ...fields };
  return { kind: "group", fields: all as unknown as FieldsOf<{ readonly kind: Kind } & Options[Kind]> };
}

/** What the settings of each kind of cost may be. */
export const costShapes: Readonly<Record<CostSettings["kind"], GroupShape<CostSettings>>> = {
  "tokens-written": kind("tokens-written", by),
  "tokens-read": kind("tokens-read", {
    ...by,
    from: { help: "Counts only what was read from this sender", shape: shapes.text, optional: true },
  }),
  turns: kind("turns", {
    ...by,
    count: { help: "Turns with words alone, or all turns", shape: { kind: "choice", of: ["spoken", "all"] } },
  }),
  repetition: kind("repetition", {
    ...by,
    n: { help: "Length of a repeated piece, in what `of` names", shape: shapes.positive },
    of: { help: "Words, or characters", shape: { kind: "choice", of: ["words", "characters"] } },
    against: {
      help: "Said before in the same utterance, or anywhere in the episode",
      shape: { kind: "choice", of: ["utterance", "episode"] },
    },
  }),
  overlong: kind("overlong", {
    ...by,
    maxTokens: { help: "Largest number of tokens", shape: shapes.positive },
    margin: { help: "Tokens before the limit over which the cost rises from 0", shape: shapes.positive },
  }),
};

const kindOnly = group<{ readonly kind: CostSettings["kind"] }>({
  kind: { shape: { kind: "choice", of: Object.keys(costShapes) } },
});

/** @throws LaconicError `config_invalid` naming the setting. */
export function costPreset(settings: CostSettings, place = "cost"): Cost {
  checkShape(kindOnly, { kind: settings.kind }, place);
  checkShape(costShapes[settings.kind], settings, place);
  switch (settings.kind) {
    case "tokens-written":
      return tokensWritten(settings);
    case "tokens-read":
      return tokensRead(settings);
    case "turns":
      return turns(settings);
    case "repetition":
      return repetition(settings);
    case "overlong":
      return overlong(settings);
  }
}
