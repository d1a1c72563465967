import { hintActor } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import { asSentence, storyAgent } from "./story-agent.ts";
import { storyProbes } from "./probes.ts";
import { storyProblems } from "./story-problems.ts";

/** Size of the world. */
export interface StoryHintOptions {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Most tokens of a hint. Default 20. */
  readonly hintTokens?: number;
  /** Most tokens of the actor's sentence. Default 20. */
  readonly actorTokens?: number;
  /** Who learns: AgentPO's collaborator, or for comparison the actor, behind a helper that stays as it is. */
  readonly learns?: "helper" | "actor";
  /** Test problems, and as many of validation; 200 when absent. */
  readonly testProblems?: number;
}

/** Behind the first two somebody speaks of itself, behind the others hardly ever. */
const openings: readonly ((name: string, thing: string) => string)[] = [
  (name, thing) =>
    `Once upon a time, there was a child named ${name}. ${name} lost a ${thing}. ${name} asked mom for help.`,
  (name, thing) => `Once upon a time, there was a child named ${name}. ${name} asked mom for a ${thing}.`,
  (name, thing) => `Once upon a time, there was a child named ${name}. ${name} wanted a ${thing}.`,
  (name, thing) => `One day, ${name} found a ${thing}. ${name} showed it to mom.`,
  (name, thing) => `${name} had a ${thing}. The ${thing} was broken.`,
];

export const storyHintDefaults: Required<Omit<StoryHintOptions, "tokenizer">> = {
  hintTokens: 20,
  actorTokens: 20,
  learns: "helper",
  testProblems: 200,
};

/** Begins the hint: a helper that starts with nothing finds silence first, which is the actor alone. */
const opening = "Mom";

/**
 * AgentPO's claim in English: the helper sees no more than the actor, who goes on with the story and is right where somebody
 * speaks. An untrained helper's words lead the actor away; a trained one's lead to what the actor alone often misses.
 */
export function storyHintTask(options: StoryHintOptions): TeamTask {
  const { tokenizer, hintTokens, actorTokens, learns, testProblems } = { ...storyHintDefaults, ...options };
  const helper = storyAgent("helper", "hint", hintTokens, ({ question }) => `${question} ${opening}`);
  const actor = storyAgent("actor", "actor", actorTokens, ({ question, inbox: [hint] }) =>
    hint === undefined ? question : [question, opening, asSentence(hint.text, ",")].join(" ").trimEnd(),
  );
  return {
    name: "story-hint",
    topology: hintActor(helper, actor),
    trainedAgents: [learns],
    tokenizer,
    grader: (answer) => (answer !== null && /"[A-Z]/u.test(answer) ? 1 : 0),
    probes: storyProbes,
    ...storyProblems("story-hint", testProblems, ({ name, thing }, random) => {
      const question = random.pick(openings)(name, thing);
      return { id: `story-hint:${question}`, question, gold: "somebody speaks" };
    }),
  };
}
