import { hintActor } from "@laconic/topologies";
import texts from "../../assets/story-texts.json" with { type: "json" };
import type { TeamTask } from "../task.ts";
import { filled } from "./families.ts";
import { storyProbes } from "./probes.ts";
import { asSentence, storyAgent, storyProblems, type StoryOptions } from "./story.ts";

/** Settings of {@link storyHintTask}. */
export interface StoryHintOptions extends StoryOptions {
  /** Max tokens of a hint. Default 20. */
  readonly hintTokens?: number;
  /** Max tokens of the actor's sentence. Default 20. */
  readonly actorTokens?: number;
  /** The helper (default), or the actor for comparison. */
  readonly learns?: "helper" | "actor";
}

export const storyHintDefaults: Required<Omit<StoryHintOptions, "tokenizer">> = {
  hintTokens: 20,
  actorTokens: 20,
  learns: "helper",
  testProblems: 200,
};

/** The first two often continue with speech. */
const beginnings: readonly string[] = texts.beginnings;

/** Other first words teach silence first. */
const opening = "Mom";

/** AgentPO's claim in English: the helper sees no more than the actor; right if a character speaks. */
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
      const question = filled(random.pick(beginnings), { name, thing });
      return { id: `story-hint:${question}`, question, gold: "somebody speaks" };
    }),
  };
}
