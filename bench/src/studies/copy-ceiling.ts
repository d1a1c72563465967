// How often a story model copies a name: by the solver from a perfect message, and by a teller from each template of a holder's story.
//   npx tsx bench/src/studies/copy-ceiling.ts [--model FOLDER ...] [--run RUN ...] [--split validation] [--temperature 0.6] [--out FILE]
// A line of JSON for each model: what no training of a team with these weights can exceed by more than it improves the copying itself.
import { randomFromSeed, type LanguageModel } from "@laconic/core";
import { findRun, openFoundRun, openParts, parseAppConfig, runResources, type OpenedParts } from "@laconic/runtime";
import { chooseDevice } from "@laconic/runtime/devices";
import { onlyPolicy, type TrainedPolicy } from "@laconic/trainer";
import { cueOf, heldNames, holderTemplates, knownNames, storyQuestion, things } from "@laconic/worlds/stories";
import { readOptions } from "../options.ts";
import { printRow } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    model: { type: "string", multiple: true, default: [] as string[] },
    run: { type: "string", multiple: true, default: [] as string[] },
    split: { type: "string", default: "test" },
    temperature: { type: "string", default: "1" },
    out: { type: "string" },
  },
});
const split = flags.split === "validation" ? "validation" : "test";
const quiet = { note: () => undefined, warn: () => undefined } as never;
const place = await chooseDevice("wasm", "auto", () => undefined);
const repeats = 3;

for (const folder of flags.model) {
  const config = parseAppConfig({ task: { name: "story-tellers" }, model: folder });
  await measure(folder, await openParts(config, place, { ...(await runResources(folder, quiet)), testProblems: 1 }));
}
for (const run of flags.run) await measure(run, await openFoundRun(await findRun(run), quiet, { testProblems: 1 }));

async function measure(model: string, { parts, close }: OpenedParts): Promise<void> {
  try {
    const policy = parts.policies[onlyPolicy] as TrainedPolicy;
    const found = await ceilings(policy.speak(policy.model));
    printRow(flags.out, { model, parameters: policy.model.trainableParameters, ...found });
  } finally {
    await close();
  }
}

async function ceilings(model: LanguageModel): Promise<object> {
  const classes: Readonly<Record<string, readonly string[]>> = { known: knownNames.slice(0, 24), ...heldNames[split] };
  const templates = { ...holderTemplates.train, ...holderTemplates[split] };
  const solver: Record<string, number> = {};
  const teller: Record<string, number> = {};
  for (const [length, names] of Object.entries(classes)) {
    const message = (name: string): string => `${name} was very happy.`;
    solver[length] = await share(model, names, (name, thing) => `${message(name)} ${storyQuestion(thing)}`);
    const told = (name: string, thing: string, i: number): string => {
      const all = Object.values(templates);
      return `${(all[i % all.length] as (typeof all)[number])(name, thing)} ${cueOf(thing)}`;
    };
    teller[length] = await share(model, names, told, repeats * 2);
  }
  const byTemplate: Record<string, number> = {};
  for (const [family, text] of Object.entries(templates))
    byTemplate[family] = await share(
      model,
      knownNames.slice(24, 60),
      (name, thing) => `${text(name, thing)} ${cueOf(thing)}`,
      1,
    );
  return { temperature: Number(flags.temperature), split, solver, teller, byTemplate };
}

/** Share of prompts behind which the name is the first word. */
async function share(
  model: LanguageModel,
  names: readonly string[],
  prompt: (name: string, thing: string, i: number) => string,
  times = repeats,
): Promise<number> {
  const random = randomFromSeed("copy ceiling");
  const cases = names.flatMap((name) => Array.from({ length: times }, (_, i) => ({ name, i })));
  const right = await Promise.all(
    cases.map(async ({ name, i }, at) => {
      const own = random.split(at);
      const { text } = await model.complete({
        prompt: { kind: "text", text: prompt(name, own.pick(things), i) },
        sampling: { temperature: Number(flags.temperature), maxTokens: 12, stop: [".", "!", "\n"] },
        random: own.state(),
      });
      return /[A-Za-z]+/u.exec(text)?.[0] === name;
    }),
  );
  return right.filter(Boolean).length / right.length;
}
