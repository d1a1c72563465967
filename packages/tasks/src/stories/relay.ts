import { answerOf, graphTopology } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import { firstWord } from "./first-word.ts";
import { asSentence, storyAgent } from "./story-agent.ts";
import { storyProblems } from "./story-problems.ts";

/** Size of the world. */
export interface StoryRelayOptions {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Most tokens of the teller's sentence. Default 40. */
  readonly tellerTokens?: number;
  /** Most tokens of the solver's. Default 6. */
  readonly solverTokens?: number;
  /** Held-out problems; 200 when absent. */
  readonly heldOut?: number;
}

/** The story that a teller knows: whose the thing is. */
export const storyOf = ({ name, thing }: { readonly name: string; readonly thing: string }): string =>
  `Once upon a time, there was a child named ${name}. ${name} had a ${thing}.`;

/** What the solver goes on with, behind what it heard. */
export const askedFor = (thing: string): string => `The child with the ${thing} was named`;

/** One knows whose the thing is and tells the story on; one reads that and says the name. */
export function storyRelayTask(options: StoryRelayOptions): TeamTask {
  const { tokenizer, tellerTokens = 40, solverTokens = 6, heldOut = 200 } = options;
  return {
    name: "story-relay",
    topology: graphTopology({
      name: "story-relay",
      rounds: 1,
      agents: [
        storyAgent("teller", "teller", tellerTokens, ({ privateView = "" }) => privateView),
        storyAgent("solver", "solver", solverTokens, ({ question, inbox }) =>
          [...inbox.map(({ text }) => asSentence(text)), askedFor(question)].filter((part) => part !== "").join(" "),
        ),
      ],
      spatial: [{ from: "teller", to: "solver" }],
      answer: answerOf("solver"),
    }),
    tokenizer,
    grader: nameGrader,
    ...storyProblems("story-relay", heldOut, (child) => ({
      id: `story-relay:${child.name}/${child.thing}`,
      question: child.thing,
      gold: child.name,
      views: { teller: storyOf(child) },
    })),
  };
}

/** Right where the answer's first word is the name. */
export const nameGrader: NonNullable<TeamTask["grader"]> = (answer, { gold }) =>
  answer !== null && firstWord(answer) === gold ? 1 : 0;
