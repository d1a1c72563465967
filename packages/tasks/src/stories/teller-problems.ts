import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import { distinct, type EvaluationSplits } from "../task.ts";
import { holderTemplates, idleFamilies, rival, type IdleText, type Story } from "./families.ts";
import { heldNames, heldThings, nameLengths, splitOf, things, trainedName, unseenNames } from "./lexicon.ts";
import type { Child, HeldSplit, NameChoice } from "./lexicon.ts";

/** A problem has the first two to five. */
export const tellers: readonly string[] = ["one", "two", "three", "four", "five"];

/** Team sizes in training; five is held out. */
const trainedSizes: readonly number[] = [2, 3, 4];

/** End of every view. */
export const cueOf = (thing: string): string => `Mom found the ${thing}.`;

export interface TellerChoice extends NameChoice {
  /** Text after the cue. Default empty. */
  readonly opening?: string;
}

interface Sources {
  readonly name: (random: Random) => string;
  readonly things: readonly string[];
  readonly templates: readonly (readonly [family: string, text: Story])[];
  readonly families: readonly (readonly [family: string, text: IdleText])[];
  readonly sizes: readonly number[];
  readonly opening: string;
}

function trained({ opening = "", ...choice }: TellerChoice): Sources {
  return {
    name: (random) => trainedName(random, choice),
    things,
    templates: Object.entries(holderTemplates.train),
    families: Object.entries(idleFamilies.train),
    sizes: trainedSizes,
    opening,
  };
}

type SplitProblems = EvaluationSplits & { problems(random: Random, count: number): Problem[] };

/** Problems whose `group` names the new part. */
export function tellerProblems(count: number, choice: TellerChoice): SplitProblems {
  const ofTraining = trained(choice);
  const heldProblems = (held: HeldSplit): Problem[] => {
    const groups = Object.entries(heldGroups(held, { ...choice, madeUp: 0 }));
    const value = Math.ceil(count / groups.length);
    const drawn = groups.map(([group, sources]) => {
      const stream = randomFromSeed(`story-tellers/${held}/${group}`);
      return distinct(value, () => ({ ...drawProblem(stream, sources, held), group }));
    });
    // Prefixes cover all groups.
    return Array.from({ length: value }, (_, i) => drawn.flatMap((problems) => problems.slice(i, i + 1)))
      .flat()
      .slice(0, count);
  };
  return {
    problems: (random, size) => Array.from({ length: size }, () => drawProblem(random, ofTraining, "train")),
    validation: heldProblems("validation"),
    testProblems: heldProblems("test"),
  };
}

function heldGroups(held: HeldSplit, choice: TellerChoice): Readonly<Record<string, Sources>> {
  const seen = trained(choice);
  const unseen = {
    name: (random: Random) => random.pick(Object.values(heldNames[held]).flat()),
    things: heldThings[held],
    templates: Object.entries(holderTemplates[held]),
    families: Object.entries(idleFamilies[held]),
    sizes: [5],
    opening: seen.opening,
  };
  const ofNames = (length: (typeof nameLengths)[number]): Sources => ({
    ...seen,
    name: (random) => random.pick(heldNames[held][length]),
  });
  return {
    ...Object.fromEntries(seen.families.map((family) => [`known/${family[0]}`, { ...seen, families: [family] }])),
    ...Object.fromEntries(nameLengths.map((length) => [`name/${length}`, ofNames(length)])),
    ...Object.fromEntries(
      unseen.templates.map((template) => [`template/${template[0]}`, { ...seen, templates: [template] }]),
    ),
    ...Object.fromEntries(unseen.families.map((family) => [`idle/${family[0]}`, { ...seen, families: [family] }])),
    "rival/thing": { ...seen, families: [["rival", rival]] },
    "thing/unseen": { ...seen, things: unseen.things },
    "tellers/5": { ...seen, sizes: unseen.sizes },
    "all/unseen": unseen,
  };
}

/** Also pairs with a name or thing that training lacks. */
const isHeld = ({ name, thing }: Child, held: HeldSplit): boolean =>
  splitOf({ name, thing }) === held || newWords.has(name) || newWords.has(thing);

const newWords = new Set([...unseenNames, ...Object.values(heldThings).flat()]);

function drawProblem(random: Random, sources: Sources, split: "train" | HeldSplit): Problem {
  for (;;) {
    const [gold, thing] = [sources.name(random), random.pick(sources.things)];
    const child = { name: gold, thing };
    if (!(split === "train" ? splitOf(child) === "train" : isHeld(child, split))) continue;
    const present = tellers.slice(0, random.pick(sources.sizes));
    const holder = random.pick(present);
    const views = Object.fromEntries(
      present.map((id) => {
        const text = id === holder ? random.pick(sources.templates)[1](gold, thing) : idleText(random, sources, child);
        return [id, `${text} ${cueOf(thing)} ${sources.opening}`.trimEnd()];
      }),
    );
    const texts = randomFromSeed(JSON.stringify(views))
      .integer(2 ** 31)
      .toString(36);
    return { id: `story-tellers:${gold}/${thing}/${holder}/${texts}`, question: thing, gold, views };
  }
}

function idleText(random: Random, sources: Sources, { name: gold, thing: asked }: Child): string {
  const [, text] = random.pick(sources.families);
  const name = otherThan([gold], () => sources.name(random));
  const friend = otherThan([gold, name], () => sources.name(random));
  const other = otherThan([asked], () => random.pick(sources.things));
  return text({ name, friend, asked, other }, random);
}

function otherThan(taken: readonly string[], draw: () => string): string {
  for (;;) {
    const drawn = draw();
    if (!taken.includes(drawn)) return drawn;
  }
}
