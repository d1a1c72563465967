import { mapValues, type Random } from "@laconic/core";
import texts from "../../assets/story-texts.json" with { type: "json" };
import type { HeldSplit } from "./lexicon.ts";

export type Story = (name: string, thing: string) => string;

/** Splits share no texts. */
export type FamilySplit = "train" | HeldSplit | "probe";

/** Characters and things of an idle text. */
export interface IdleCast {
  readonly name: string;
  readonly friend: string;
  readonly asked: string;
  readonly other: string;
}

export type IdleText = (cast: IdleCast, random: Random) => string;

type Families<Text> = Readonly<Record<FamilySplit, Readonly<Record<string, Text>>>>;

/** Texts that tell the owner, by family. */
export const holderTemplates: Families<Story> = familiesOf(
  texts.holders,
  (template: string): Story =>
    (name, thing) =>
      filled(template, { name, thing }),
);

/** Texts of uninformed tellers. */
export const idleFamilies: Families<IdleText> = familiesOf(
  texts.idle,
  (templates: readonly string[]): IdleText =>
    (cast, random) =>
      filled(random.pick(templates), { ...cast }),
);

/** A rival owns another thing, so that silence requires comparing. Evaluation only. */
export const rival: IdleText = ({ name, other }, random) =>
  random.pick(Object.values(holderTemplates.train))(name, other);

function familiesOf<Template, Text>(families: Families<Template>, make: (template: Template) => Text): Families<Text> {
  const madeFrom = (split: FamilySplit): Record<string, Text> =>
    mapValues(families[split], (template) => make(template));
  return {
    train: madeFrom("train"),
    validation: madeFrom("validation"),
    test: madeFrom("test"),
    probe: madeFrom("probe"),
  };
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/gu, (location, key: string) => values[key] ?? location);
}
