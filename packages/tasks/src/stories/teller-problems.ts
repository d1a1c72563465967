import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import { distinct } from "../task.ts";
import { holderTemplates, idleFamilies, rival, type FamilySplit, type IdleText } from "./families.ts";
import {
  heldNames,
  heldThings,
  nameLengths,
  splitOf,
  things,
  trainedName,
  type HeldSplit,
  type NameChoice,
} from "./lexicon.ts";
import type { SplitProblems } from "./story.ts";

/** Tellers by their place; a problem has the first two to five of them. */
export const tellers: readonly string[] = ["one", "two", "three", "four", "five"];

/** Numbers of tellers that are trained on; five are held back. */
const trainedSizes: readonly number[] = [2, 3, 4];

/** What every teller's text ends with, whoever knows: which thing is asked. */
export const cueOf = (thing: string): string => `Mom found the ${thing}.`;

/** Which names training has, and what every view ends with. */
export interface TellerChoice extends NameChoice {
  /** Behind what is asked, for a teller to go on from; nothing by default. */
  readonly opening?: string;
}

/** Where each part of a problem is drawn from. */
interface Sources {
  readonly name: (random: Random) => string;
  readonly things: readonly string[];
  readonly templates: readonly (readonly [split: FamilySplit, family: string])[];
  readonly families: readonly (readonly [family: string, text: IdleText])[];
  readonly sizes: readonly number[];
  readonly opening: string;
}

const templatesOf = (split: FamilySplit): Sources["templates"] =>
  Object.keys(holderTemplates[split]).map((family) => [split, family] as const);

/** What training draws from. */
function trained({ opening = "", ...choice }: TellerChoice): Sources {
  return {
    name: (random) => trainedName(random, choice),
    things,
    templates: templatesOf("train"),
    families: Object.entries(idleFamilies.train),
    sizes: trainedSizes,
    opening,
  };
}

/** Problems of the tellers' world in three splits; `group` of a validation or test problem says what is new in it, and training never had. */
export function tellerProblems(count: number, choice: TellerChoice): SplitProblems {
  const ofTraining = trained(choice);
  const heldProblems = (held: HeldSplit): Problem[] => {
    const groups = Object.entries(heldGroups(held, { ...choice, madeUp: 0 }));
    const each = Math.ceil(count / groups.length);
    const drawn = groups.map(([group, sources]) => {
      const stream = randomFromSeed(`story-tellers/${held}/${group}`);
      return distinct(each, () => ({ ...heldProblem(stream, sources, held), group }));
    });
    // In turn, so that the first so many hold all groups.
    return Array.from({ length: each }, (_, i) => drawn.flatMap((problems) => problems.slice(i, i + 1)))
      .flat()
      .slice(0, count);
  };
  return {
    problems: (random, wanted) => Array.from({ length: wanted }, () => trainedProblem(random, ofTraining)),
    validation: heldProblems("validation"),
    testProblems: heldProblems("test"),
  };
}

/** One thing is new in each group, or all at once; of idle texts those that are trained on stand apart too. */
function heldGroups(held: HeldSplit, choice: TellerChoice): Readonly<Record<string, Sources>> {
  const known = trained(choice);
  const unseen = {
    name: (random: Random) => random.pick(Object.values(heldNames[held]).flat()),
    things: heldThings[held],
    templates: templatesOf(held),
    families: Object.entries(idleFamilies[held]),
    sizes: [5],
    opening: known.opening,
  };
  const ofNames = (length: (typeof nameLengths)[number]): Sources => ({
    ...known,
    name: (random) => random.pick(heldNames[held][length]),
  });
  return {
    ...Object.fromEntries(known.families.map((each) => [`known/${each[0]}`, { ...known, families: [each] }])),
    ...Object.fromEntries(nameLengths.map((length) => [`name/${length}`, ofNames(length)])),
    ...Object.fromEntries(unseen.templates.map((each) => [`template/${each[1]}`, { ...known, templates: [each] }])),
    ...Object.fromEntries(unseen.families.map((each) => [`idle/${each[0]}`, { ...known, families: [each] }])),
    "rival/thing": { ...known, families: [["rival", rival]] },
    "thing/unseen": { ...known, things: unseen.things },
    "tellers/5": { ...known, sizes: unseen.sizes },
    "all/unseen": unseen,
  };
}

function trainedProblem(random: Random, sources: Sources): Problem {
  return drawProblem(random, sources, (child) => splitOf(child) === "train");
}

/** A pair of name and thing that training has is of another split. */
function heldProblem(random: Random, sources: Sources, held: HeldSplit): Problem {
  return drawProblem(random, sources, (child) => splitOf(child) === held || isNew(child));
}

const allNew = new Set([
  ...Object.values(heldNames).flatMap((names) => Object.values(names).flat()),
  ...Object.values(heldThings).flat(),
]);
const isNew = ({ name, thing }: { readonly name: string; readonly thing: string }): boolean =>
  allNew.has(name) || allNew.has(thing);

function drawProblem(
  random: Random,
  sources: Sources,
  fits: (child: { readonly name: string; readonly thing: string }) => boolean,
): Problem {
  for (;;) {
    const [gold, thing] = [sources.name(random), random.pick(sources.things)];
    if (!fits({ name: gold, thing })) continue;
    const present = tellers.slice(0, random.pick(sources.sizes));
    const holder = random.pick(present);
    const views = Object.fromEntries(
      present.map((id) => {
        const text = id === holder ? holderText(random, sources, gold, thing) : idleText(random, sources, gold, thing);
        return [id, `${text} ${cueOf(thing)} ${sources.opening}`.trimEnd()];
      }),
    );
    const texts = randomFromSeed(JSON.stringify(views))
      .integer(2 ** 31)
      .toString(36);
    return { id: `story-tellers:${gold}/${thing}/${holder}/${texts}`, question: thing, gold, views };
  }
}

function holderText(random: Random, { templates }: Sources, name: string, thing: string): string {
  const [split, family] = random.pick(templates);
  return (holderTemplates[split][family] as (name: string, thing: string) => string)(name, thing);
}

function idleText(random: Random, sources: Sources, gold: string, asked: string): string {
  const [, text] = random.pick(sources.families);
  const name = otherThan([gold], () => sources.name(random));
  const friend = otherThan([gold, name], () => sources.name(random));
  const other = otherThan([asked], () => random.pick(sources.things));
  return text({ name, friend, asked, other }, random);
}

/** The first that is none of them. */
function otherThan(taken: readonly string[], draw: () => string): string {
  for (;;) {
    const drawn = draw();
    if (!taken.includes(drawn)) return drawn;
  }
}
