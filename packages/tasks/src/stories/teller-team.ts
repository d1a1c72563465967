import type { Episode, EpisodeReward, Problem, Prompt, Tokenizer, Topology } from "@laconic/core";
import { answerOf, graphTopology, type AgentSpec, type AgentView } from "@laconic/topologies";
import { silentShare } from "../grading.ts";
import type { TeamTask } from "../task.ts";
import { knownNames } from "./lexicon.ts";
import { tellerProbes } from "./probes.ts";
import { tellerProblems, tellers, type TellerChoice } from "./teller-problems.ts";

/** Settings of {@link storyTellersTask}. */
export interface TellerOptions extends TellerChoice {
  readonly tokenizer: Tokenizer;
  /** Problems per evaluation split. Default 200. */
  readonly testProblems?: number;
  readonly tellerTokens?: number;
  readonly solverTokens?: number;
  /** Text for the solver to continue. Default `thanks`. */
  readonly ask?: keyof typeof asks;
  /**
   * Spelling reward with partial credit for first letters; accuracy counts whole names. Default 0; others need
   * `groupBy: "prompt+agent"`.
   */
  readonly spelling?: number;
}

const asks = {
  named: (thing: string) => `The child with the ${thing} was named`,
  thanks: (thing: string) => `Mom found the ${thing}. "Thank you,`,
  "one-day": (thing: string) => `The ${thing} was lost. One day,`,
} as const;

/** Default text. */
export const asked: (thing: string) => string = asks.thanks;

type TellerSettings = Required<Omit<TellerOptions, "tokenizer" | "testProblems">>;

/** Defaults of {@link storyTellersTask}. */
export const storyTellersDefaults: TellerSettings = {
  madeUp: 0,
  names: knownNames.length,
  ask: "thanks",
  opening: "",
  spelling: 0,
  tellerTokens: 20,
  solverTokens: 12,
};

/** Learned silence: one of two to five tellers knows the owner. */
export function storyTellersTask(options: TellerOptions): TeamTask {
  const settings = { ...storyTellersDefaults, ...options };
  return {
    name: "story-tellers",
    topology: tellerTopology(settings),
    tokenizer: options.tokenizer,
    grader: rightName,
    reward: (episode, problem) => tellerReward(episode, problem, settings.spelling),
    probes: tellerProbes,
    ...tellerProblems(options.testProblems ?? 200, options),
  };
}

/** A problem asks the tellers that have a view. */
function tellerTopology({ tellerTokens, solverTokens, ask }: TellerSettings): Topology {
  const solver = storyAgent("solver", "solver", solverTokens, ({ question, inbox }) =>
    [...inbox.map(({ text }) => asSentence(text)), asks[ask](question)].filter((part) => part !== "").join(" "),
  );
  const teamOf = (present: readonly string[]): Topology =>
    graphTopology<string>({
      name: "story-tellers",
      rounds: 1,
      agents: [
        ...present.map((id) => storyAgent(id, "teller", tellerTokens, ({ privateView = "" }) => privateView)),
        solver,
      ],
      spatial: present.map((from) => ({ from, to: "solver" })),
      answer: answerOf<string>("solver"),
    });
  const teams = tellers.map((_, i) => teamOf(tellers.slice(0, i + 1)));
  const whole = teams.at(-1)!;
  return {
    name: whole.name,
    agents: whole.agents,
    run: (problem, context) => (teams[Object.keys(problem.views ?? {}).length - 1] ?? whole).run(problem, context),
  };
}

/** Continues a text; story models ignore roles and instructions. */
function storyAgent(id: string, role: string, maxTokens: number, text: (view: AgentView) => string): AgentSpec {
  const prompt = (view: AgentView): Prompt => ({ kind: "text", text: text(view) });
  // Story models rarely write their end token.
  return { id, role, maxTokens, stop: [".", "!", "\n"], prompt };
}

/** Restores the end mark; empty for silence. */
function asSentence(message: string): string {
  const text = message.trim();
  return text === "" || /[,.!?"]$/u.test(text) ? text : `${text}.`;
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
    measures: { name_said: message, holder_silent: silentShare(knowing), idle_silent: silentShare(idle) },
  };
}

const wordsOf = (text: string): string[] => text.match(/[A-Za-z]+/gu) ?? [];

/** Share that the word spells from its start, less extra letters. */
export function spelled(word: string, name: string): number {
  let same = 0;
  while (same < name.length && word[same] === name[same]) same += 1;
  return same === name.length ? name.length / word.length : same / name.length;
}
