import type { Episode, EpisodeReward, Problem, Topology } from "@laconic/core";
import { answerOf, graphTopology } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import { knownNames, type Child, type NameChoice } from "./lexicon.ts";
import { tellerProbes } from "./probes.ts";
import { asSentence, storyAgent, storyOf, storyProblems, type StoryOptions } from "./story.ts";
import { cueOf, tellerProblems, tellers } from "./teller-problems.ts";

/** Settings of a teller world. */
export interface TellerOptions extends NameChoice, StoryOptions {
  readonly tellerTokens?: number;
  readonly solverTokens?: number;
  /** Text for the solver to continue. Default `thanks`. */
  readonly ask?: keyof typeof asks;
  /** End of the informed teller's view. Default none. */
  readonly opening?: string;
  /**
   * Spelling reward with partial credit for first letters; accuracy counts whole names. Default 0; others need
   * `groupBy: "prompt+agent"`.
   */
  readonly spelling?: number;
}

/** Settings with all defaults. */
export type TellerSettings = Required<Omit<TellerOptions, "tokenizer" | "testProblems">>;

const asks = {
  named: (thing: string) => `The child with the ${thing} was named`,
  thanks: (thing: string) => `Mom found the ${thing}. "Thank you,`,
  "one-day": (thing: string) => `The ${thing} was lost. One day,`,
} as const;

/** Default text. */
export const asked: (thing: string) => string = asks.thanks;

const defaults = { madeUp: 0, names: knownNames.length, ask: "thanks", opening: "", spelling: 0 } as const;

/** Defaults of {@link storyRelayTask}. */
export const storyRelayDefaults: TellerSettings = { ...defaults, tellerTokens: 40, solverTokens: 6 };

/** Defaults of {@link storyTellersTask}. */
export const storyTellersDefaults: TellerSettings = { ...defaults, tellerTokens: 20, solverTokens: 12 };

/** View of the informed teller. */
export const knownStory = (child: Child, opening = ""): string => `${storyOf(child)} ${opening}`.trimEnd();

/** An informed teller continues the story; the solver says the name. */
export function storyRelayTask(options: TellerOptions): TeamTask {
  const settings = { ...storyRelayDefaults, ...options };
  return {
    ...tellerTeam("story-relay", ["teller"], settings),
    tokenizer: settings.tokenizer,
    probes: tellerProbes((_, { gold, question }) => storyOf({ name: gold, thing: question }).length, ["teller"]),
    ...storyProblems(
      "story-relay",
      settings.testProblems ?? 200,
      (child) => ({
        id: `story-relay:${child.name}/${child.thing}`,
        question: child.thing,
        gold: child.name,
        views: { teller: knownStory(child, settings.opening) },
      }),
      options,
    ),
  };
}

/** Learned silence: one of two to five tellers knows the owner. */
export function storyTellersTask(options: TellerOptions): TeamTask {
  const settings = { ...storyTellersDefaults, ...options };
  return {
    ...tellerTeam("story-tellers", tellers, settings),
    tokenizer: settings.tokenizer,
    ...tellerProblems(settings.testProblems ?? 200, options),
    probes: tellerProbes((view, { question }) => view.lastIndexOf(` ${cueOf(question)}`), tellers),
  };
}

function tellerTeam(
  name: string,
  all: readonly string[],
  { tellerTokens, solverTokens, ask, spelling }: TellerSettings,
): Pick<TeamTask, "name" | "topology" | "grader" | "reward"> {
  const solver = storyAgent("solver", "solver", solverTokens, ({ question, inbox }) =>
    [...inbox.map(({ text }) => asSentence(text)), asks[ask](question)].filter((part) => part !== "").join(" "),
  );
  const teamOf = (present: readonly string[]): Topology =>
    graphTopology<string>({
      name,
      rounds: 1,
      agents: [
        ...present.map((id) => storyAgent(id, "teller", tellerTokens, ({ privateView = "" }) => privateView)),
        solver,
      ],
      spatial: present.map((from) => ({ from, to: "solver" })),
      answer: answerOf<string>("solver"),
    });
  const teams = all.map((_, i) => teamOf(all.slice(0, i + 1)));
  const whole = teams.at(-1) as Topology;
  return {
    name,
    topology: {
      name,
      agents: whole.agents,
      run: (problem, context) => (teams[Object.keys(problem.views ?? {}).length - 1] ?? whole).run(problem, context),
    },
    grader: rightName,
    reward: (episode, problem) => tellerReward(episode, problem, spelling),
  };
}

function rightName(answer: string | null, { gold }: Problem): number {
  return answer !== null && wordsOf(answer)[0] === gold ? 1 : 0;
}

function tellerReward(episode: Episode, problem: Problem, spelling: number): EpisodeReward {
  const { gold, views = {} } = problem;
  const told = episode.utterances.filter(({ agent }) => Object.hasOwn(views, agent));
  const [knowing, idle] = [true, false].map((knows) =>
    told.filter(({ agent }) => wordsOf(views[agent] ?? "").includes(gold) === knows),
  ) as [typeof told, typeof told];
  const silent = (turns: typeof told): number =>
    turns.length === 0 ? Number.NaN : turns.filter((turn) => turn.silent).length / turns.length;
  const message = Math.max(0, ...knowing.flatMap(({ text }) => wordsOf(text).map((word) => spelled(word, gold))));
  const shares = [
    ...knowing.map(({ agent }) => [agent, message] as const),
    ["solver", spelled(wordsOf(episode.answer ?? "")[0] ?? "", gold)] as const,
  ];
  return {
    team: { task: rightName(episode.answer, problem) },
    ...(spelling > 0 && {
      agents: Object.fromEntries(shares.map(([agent, share]) => [agent, { spelling: spelling * share }])),
    }),
    measures: { name_said: message, holder_silent: silent(knowing), idle_silent: silent(idle) },
  };
}

const wordsOf = (text: string): string[] => text.match(/[A-Za-z]+/gu) ?? [];

/** Share that the word spells from its start, less extra letters. */
export function spelled(word: string, name: string): number {
  let same = 0;
  while (same < name.length && word[same] === name[same]) same += 1;
  return same === name.length ? name.length / word.length : same / name.length;
}
