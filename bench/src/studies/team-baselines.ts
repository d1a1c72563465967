// What decides whether training a team of tellers was worth it: the run's team beside what costs no training, on the run's test problems.
//   npx tsx bench/src/studies/team-baselines.ts --run RUN [--without-price RUN] [--labelled RUN] [--problems 400] [--out FILE] [--grades FILE]
// A line of JSON for each: right, tokens, silence; the same with all messages left out, and with those of another problem, which is what
// messages are worth; and by family. One agent that reads all views answers as often as the trained team's tokens allow. Intervals are by the
// holder's text, names and things aside: problems of one text are not independent. `--labelled` names a run whose warm start labelled silence
// (`warmStart={"name":"owners","silence":"labelled"}`), of which the taught model is taken. `--grades` has each problem of each row.
import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import {
  randomFromSeed,
  clusteredWilsonInterval,
  type Cluster,
  type Episode,
  type EpisodeReward,
  type LanguageModel,
  type Problem,
} from "@laconic/core";
import { findRun, openFoundRun, openParts, runResources, type AppConfig, type OpenedParts } from "@laconic/runtime";
import { chooseDevice } from "@laconic/runtime/devices";
import { onlyPolicy, type TrainedPolicy } from "@laconic/trainer";
import { cueOf, storyQuestion } from "@laconic/worlds/stories";
import { readOptions } from "../options.ts";
import { printRow } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    run: { type: "string" },
    "without-price": { type: "string" },
    labelled: { type: "string" },
    grades: { type: "string" },
    problems: { type: "string", default: "400" },
    seed: { type: "string", default: "baselines" },
    out: { type: "string" },
  },
});
if (flags.run === undefined) throw new Error("name a run of story-tellers: --run RUN");
const quiet = { note: () => undefined, warn: (message: string) => console.error(message) } as never;
const found = await findRun(flags.run);
const { config } = found;
const sampling = config.train.sampling;
const count = Number(flags.problems);

/** A team as it plays a problem, and what it is called. */
type Played = {
  readonly problem: Problem;
  readonly episode: Episode;
  readonly grade: number;
  readonly measures: Readonly<Record<string, number>>;
};
type Speakers = (problem: Problem, index: number) => Readonly<Record<string, LanguageModel>>;

const saying = (text: string): LanguageModel => ({
  id: "fixed words",
  complete: async () => ({
    text,
    finishReason: "stop",
    usage: { promptTokens: 0, completionTokens: 0, counted: "model" },
    model: { id: "fixed words", weightVersion: 0 },
  }),
});
const silent = saying("");
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const rounded = (value: number): number => Number(value.toPrecision(4));

/** Agents that hold something: all but who answers. */
const tellersOf = ({ views = {} }: Problem): string[] => Object.keys(views);
const knows = ({ gold, views = {} }: Problem, agent: string): boolean =>
  new RegExp(`\\b${gold}\\b`, "u").test(views[agent] ?? "");

async function play({ task }: OpenedParts, speakers: Speakers): Promise<Played[]> {
  const random = randomFromSeed(flags.seed);
  const signal = new AbortController().signal;
  return Promise.all(
    task.testProblems.slice(0, count).map(async (problem, i) => {
      const models = speakers(problem, i);
      const episode = await task.topology.run(problem, { models, sampling, random: random.split(i) });
      const reward = (await task.reward?.(episode, problem, { signal })) as EpisodeReward | undefined;
      if (reward?.team === undefined) throw new Error("the task has no reward of its own");
      return { problem, episode, grade: reward.team["task"] ?? 0, measures: reward.measures ?? {} };
    }),
  );
}

const tokensOf = ({ episode }: Played): number =>
  episode.ledger.calls.reduce((sum, call) => sum + call.writtenTokens, 0);

/** What the holder reads, without what differs from problem to problem. */
function textOf({ gold, question, views = {} }: Problem): string {
  const view = Object.values(views).find((each) => new RegExp(`\\b${gold}\\b`, "u").test(each)) ?? "";
  return view.replace(cueOf(question), "").replaceAll(gold, "NAME").replaceAll(question, "THING").trim();
}

/** Right answers of the problems of each text. */
function byText(played: readonly Played[]): readonly Cluster[] {
  const clusters = new Map<string, { successes: number; trials: number }>();
  for (const { problem, grade } of played) {
    const { successes, trials } = clusters.get(textOf(problem)) ?? { successes: 0, trials: 0 };
    clusters.set(textOf(problem), { successes: successes + grade, trials: trials + 1 });
  }
  return [...clusters.values()];
}

function figures(played: readonly Played[]): object {
  const measure = (name: string): number | null => {
    const values = played.flatMap(({ measures }) =>
      Number.isFinite(measures[name]) ? [measures[name] as number] : [],
    );
    return values.length === 0 ? null : rounded(mean(values));
  };
  const right = played.reduce((sum, { grade }) => sum + grade, 0);
  return {
    problems: played.length,
    accuracy: rounded(right / played.length),
    interval: clusteredWilsonInterval(byText(played)).map(rounded),
    tokens: rounded(mean(played.map(tokensOf))),
    idleSilent: measure("idle_silent"),
    holderSilent: measure("holder_silent"),
  };
}

/** A team, with what its messages are worth: the same solver without them, and with those of the next problem. */
async function row(name: string, opened: OpenedParts, team: (model: LanguageModel) => Speakers): Promise<Played[]> {
  const policy = opened.parts.policies[onlyPolicy] as TrainedPolicy;
  const model = policy.speak(policy.model);
  const speakers = team(model);
  const played = await play(opened, speakers);
  const fixed = (said: (problem: Problem, i: number) => Readonly<Record<string, LanguageModel>>) =>
    play(opened, (problem, i) => ({ ...speakers(problem, i), ...said(problem, i) }));
  const without = await fixed((problem) => Object.fromEntries(tellersOf(problem).map((agent) => [agent, silent])));
  const swapped = await fixed((problem, i) => {
    const { episode } = played[(i + 1) % played.length] as Played;
    const texts = episode.utterances.filter(({ agent }) => agent !== "solver").map(({ text }) => text);
    return Object.fromEntries(tellersOf(problem).map((agent, at) => [agent, saying(texts[at] ?? "")]));
  });
  const accuracy = (some: readonly Played[]): number => rounded(mean(some.map(({ grade }) => grade)));
  const groups = [...new Set(played.flatMap(({ problem: { group = [] } }) => group))].toSorted();
  say({
    name,
    ...figures(played),
    messagesLeftOut: accuracy(without),
    messagesSwapped: accuracy(swapped),
    groups: Object.fromEntries(
      groups.map((group) => [group, figures(played.filter(({ problem }) => problem.group === group))]),
    ),
  });
  for (const each of played) keepGrade(name, each);
  return played;
}

const about = { run: basename(flags.run), seed: config.train.seed, step: found.state.step };

function say(line: object): void {
  printRow(flags.out, { ...about, ...line });
}

/** One problem as a row was on it, so that whoever reads the rows can draw intervals anew. */
function keepGrade(name: string, played: Played): void {
  if (flags.grades === undefined) return;
  const { problem, grade, measures } = played;
  const { idle_silent: idleSilent, holder_silent: holderSilent } = measures;
  const place = { ...about, name, problem: problem.id, group: problem.group, text: textOf(problem) };
  const line = { ...place, right: grade, tokens: tokensOf(played), idleSilent, holderSilent };
  appendFileSync(flags.grades, `${JSON.stringify(line)}\n`);
}

const all = (model: LanguageModel): Readonly<Record<string, LanguageModel>> =>
  Object.fromEntries(["one", "two", "three", "four", "five", "teller", "solver"].map((agent) => [agent, model]));
const asTheyAre =
  (model: LanguageModel): Speakers =>
  () =>
    all(model);
const mutedByRule =
  (model: LanguageModel): Speakers =>
  (problem) => ({
    ...all(model),
    ...Object.fromEntries(tellersOf(problem).flatMap((agent) => (knows(problem, agent) ? [] : [[agent, silent]]))),
  });
const cutAt =
  (tokens: number) =>
  (model: LanguageModel): Speakers =>
  (problem) => {
    const short: LanguageModel = {
      id: model.id,
      complete: (request) => model.complete({ ...request, sampling: { ...request.sampling, maxTokens: tokens } }),
    };
    return { ...all(model), ...Object.fromEntries(tellersOf(problem).map((agent) => [agent, short])) };
  };

/** One agent that reads every view and answers as the solver does: once, by the majority of N, and the best of N by the grade itself. */
async function readerOfAll(name: string, opened: OpenedParts, budget: number): Promise<void> {
  const policy = opened.parts.policies[onlyPolicy] as TrainedPolicy;
  const model = policy.speak(policy.model);
  const random = randomFromSeed(`${flags.seed}/reader`);
  const most = 16;
  const answers = await Promise.all(
    opened.task.testProblems.slice(0, count).map(async (problem, i) => {
      const read = Object.values(problem.views ?? {}).map((view) => view.replace(cueOf(problem.question), "").trim());
      const text = [...read, storyQuestion(problem.question)].join(" ");
      const drawn = await Promise.all(
        Array.from({ length: most }, (_, k) =>
          model.complete({
            prompt: { kind: "text", text },
            sampling: { ...sampling, maxTokens: 12, stop: [".", "!", "\n"] },
            random: random.split(`${i}/${k}`).state(),
          }),
        ),
      );
      return {
        gold: problem.gold,
        names: drawn.map((each) => /[A-Za-z]+/u.exec(each.text)?.[0] ?? ""),
        tokens: mean(drawn.map(({ usage }) => usage.completionTokens)),
      };
    }),
  );
  const once = mean(answers.map(({ tokens }) => tokens));
  const n = Math.min(most, Math.max(1, Math.floor(budget / once)));
  const share = (isRight: (each: (typeof answers)[number]) => boolean): number =>
    rounded(answers.filter((each) => isRight(each)).length / answers.length);
  const counted = { problems: answers.length };
  say({
    name: `${name}: one reads all`,
    ...counted,
    accuracy: share(({ gold, names }) => names[0] === gold),
    tokens: rounded(once),
    n: 1,
  });
  const common = (names: readonly string[]): string =>
    names.toSorted((a, b) => names.filter((x) => x === b).length - names.filter((x) => x === a).length)[0] ?? "";
  const tokens = rounded(once * n);
  const majority = share(({ gold, names }) => common(names.slice(0, n)) === gold);
  say({ name: `${name}: one reads all, self-consistency`, ...counted, accuracy: majority, tokens, n });
  const best = share(({ gold, names }) => names.slice(0, n).includes(gold));
  say({ name: `${name}: one reads all, best of N by the grade`, ...counted, accuracy: best, tokens, n });
}

const place = await chooseDevice("wasm", config.workers, () => undefined);
const fresh = async (given: AppConfig): Promise<OpenedParts> =>
  openParts(given, place, { ...(await runResources(given.model, quiet)), testProblems: 1000 });

const trained = await openFoundRun(found, quiet);
const played = await row("trained", trained, asTheyAre);
const lengths = played.flatMap(({ episode }) =>
  episode.utterances.flatMap(({ agent, silent: isSilent, writtenTokens }) =>
    agent === "solver" || isSilent ? [] : [writtenTokens],
  ),
);
const budget = mean(played.map(tokensOf));
await row("trained, idle agents muted by rule", trained, mutedByRule);
await trained.close();
if (flags["without-price"] !== undefined) {
  const free = await openFoundRun(await findRun(flags["without-price"]), quiet);
  await row("trained without price", free, asTheyAre);
  await free.close();
}
const taught = await fresh(config);
await row("taught", taught, asTheyAre);
await row("taught, idle agents muted by rule", taught, mutedByRule);
await row(`taught, replies cut at ${Math.round(mean(lengths))} tokens`, taught, cutAt(Math.round(mean(lengths))));
await readerOfAll("taught", taught, budget);
await taught.close();
if (flags.labelled !== undefined) {
  const labelled = await fresh((await findRun(flags.labelled)).config);
  await row("taught, silence labelled", labelled, asTheyAre);
  await labelled.close();
}
if (config.warmStart?.model !== undefined) {
  const fetched = await fresh({ ...config, model: config.warmStart.model, warmStart: null });
  await row("fetched", fetched, asTheyAre);
  await readerOfAll("fetched", fetched, budget);
  await fetched.close();
}
