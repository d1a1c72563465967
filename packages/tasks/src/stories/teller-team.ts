import type { Episode, EpisodeReward, Problem, Topology } from "@laconic/core";
import type { TeamTask } from "../task.ts";
import { answerOf, graphTopology } from "@laconic/topologies";
import { knownNames, type NameChoice } from "./lexicon.ts";
import { tellerProbes } from "./probes.ts";
import { asSentence, storyAgent } from "./story-agent.ts";
import { storyProblems } from "./story-problems.ts";

/** Size of a world in which tellers say whose a thing is. */
export interface TellerOptions extends NameChoice {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Most tokens of a teller's sentence. */
  readonly tellerTokens?: number;
  /** Most tokens of the solver's. Default 6. */
  readonly solverTokens?: number;
  /** What the solver goes on with, behind what it heard. Default `thanks`. */
  readonly ask?: keyof typeof asks;
  /** What the story that a teller knows ends with, for the teller to go on; nothing when absent. */
  readonly opening?: string;
  /**
   * What spelling the name earns beside the grade, to the teller who knows and to the solver each for itself: so much for a whole
   * name in its words, a part of it for the first letters. Accuracy stays the share of right names. Default 0; above it a run
   * needs `groupBy: "prompt+agent"`.
   */
  readonly spelling?: number;
  /** Test problems, and as many of validation; 200 when absent. */
  readonly testProblems?: number;
}

/** Settings of a world of tellers, with nothing left open. */
export type TellerSettings = Required<Omit<TellerOptions, "tokenizer" | "testProblems">>;

/** The story that a teller knows: whose the thing is. */
export const storyOf = ({ name, thing }: { readonly name: string; readonly thing: string }): string =>
  `Once upon a time, there was a child named ${name}. ${name} had a ${thing}.`;

/** The same as a teller sees it, with what it is to go on from. */
export const knownStory = (child: Parameters<typeof storyOf>[0], opening = ""): string =>
  `${storyOf(child)} ${opening}`.trimEnd();

/** What the solver goes on with, behind what it heard. */
const asks = {
  named: (thing: string) => `The child with the ${thing} was named`,
  thanks: (thing: string) => `Mom found the ${thing}. "Thank you,`,
  "one-day": (thing: string) => `The ${thing} was lost. One day,`,
} as const;

/** What a solver goes on with by default, behind what it heard. */
export const asked: (thing: string) => string = asks.thanks;

/** Tellers go on with what each of them sees, unheard by each other; a solver reads them all, and says the name. */
export function tellerTeam(
  name: string,
  tellers: readonly string[],
  options: Pick<TellerOptions, "ask" | "spelling"> & Readonly<Record<"tellerTokens" | "solverTokens", number>>,
): Pick<TeamTask, "name" | "topology" | "grader" | "reward"> {
  const { tellerTokens, solverTokens, ask = tellerDefaults.ask, spelling = tellerDefaults.spelling } = options;
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
  // A problem has the first so many tellers.
  const teams = tellers.map((_, i) => teamOf(tellers.slice(0, i + 1)));
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

/** Right where the answer's first word is the name. */
function rightName(answer: string | null, { gold }: Problem): number {
  return answer !== null && firstWord(answer) === gold ? 1 : 0;
}

/** The grade, what spelling earns, and who of those who knew and did not know said nothing. */
function tellerReward(episode: Episode, problem: Problem, spelling: number): EpisodeReward {
  const { gold, views = {} } = problem;
  const told = episode.utterances.filter(({ agent }) => Object.hasOwn(views, agent));
  const knows = ({ agent }: { readonly agent: string }): boolean => wordsOf(views[agent] ?? "").includes(gold);
  const silent = (turns: typeof told): number =>
    turns.length === 0 ? Number.NaN : turns.filter((turn) => turn.silent).length / turns.length;
  const said = Math.max(
    0,
    ...told.filter(knows).flatMap(({ text }) => wordsOf(text).map((word) => spelled(word, gold))),
  );
  const answered = spelled(firstWord(episode.answer ?? ""), gold);
  const own = [...told.filter(knows).map(({ agent }) => [agent, said] as const), ["solver", answered] as const];
  return {
    team: { task: rightName(episode.answer, problem) },
    ...(spelling > 0 && {
      agents: Object.fromEntries(own.map(([agent, share]) => [agent, { spelling: spelling * share }])),
    }),
    measures: {
      name_said: said,
      holder_silent: silent(told.filter(knows)),
      idle_silent: silent(told.filter((turn) => !knows(turn))),
    },
  };
}

const wordsOf = (text: string): string[] => text.match(/[A-Za-z]+/gu) ?? [];

/** Share of the name's letters that the word begins with; what it has beyond the name counts against it. */
export function spelled(word: string, name: string): number {
  let same = 0;
  while (same < name.length && word[same] === name[same]) same += 1;
  return same === name.length ? name.length / word.length : same / name.length;
}

/** The first word of letters that a reply holds; empty without one. */
function firstWord(text: string): string {
  return /[A-Za-z]+/u.exec(text)?.[0] ?? "";
}

/** Size of the world. A teller's sentence has at most 40 tokens by default. */
export type StoryRelayOptions = TellerOptions;

/** Settings that the worlds of tellers have in common, where options leave them out. */
export const tellerDefaults: Omit<TellerSettings, "tellerTokens" | "solverTokens"> = {
  madeUp: 0,
  names: knownNames.length,
  ask: "thanks",
  opening: "",
  spelling: 0,
};

/** Settings of a {@link storyRelayTask} whose options leave them out. */
export const storyRelayDefaults: TellerSettings = { ...tellerDefaults, tellerTokens: 40, solverTokens: 6 };

/** One knows whose the thing is and tells the story on; one reads that and says the name. */
export function storyRelayTask(options: StoryRelayOptions): TeamTask {
  const { tokenizer, tellerTokens, solverTokens, opening, testProblems = 200 } = { ...storyRelayDefaults, ...options };
  return {
    ...tellerTeam("story-relay", ["teller"], { ...options, tellerTokens, solverTokens }),
    tokenizer,
    probes: tellerProbes((_, { gold, question }) => storyOf({ name: gold, thing: question }).length, ["teller"]),
    ...storyProblems(
      "story-relay",
      testProblems,
      (child) => ({
        id: `story-relay:${child.name}/${child.thing}`,
        question: child.thing,
        gold: child.name,
        views: { teller: knownStory(child, opening) },
      }),
      options,
    ),
  };
}
