import { answerOf, graphTopology } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import { askedFor, nameGrader, storyOf } from "./relay.ts";
import { asSentence, storyAgent } from "./story-agent.ts";
import { storyProblems } from "./story-problems.ts";

/** Size of the world. */
export interface StoryTellersOptions {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Most tokens of a teller's sentence. Default 20. */
  readonly tellerTokens?: number;
  /** Most tokens of the solver's. Default 6. */
  readonly solverTokens?: number;
  /** Held-out problems; 200 when absent. */
  readonly heldOut?: number;
}

const tellers = ["one", "two", "three"] as const;

/** What a teller sees who knows nothing; a story that is over gives silence a start. */
const idle = "The sun was bright. The end.";

/** Learned silence: one of three tellers, another one each time, knows whose the thing is; the solver hears all that is said. */
export function storyTellersTask(options: StoryTellersOptions): TeamTask {
  const { tokenizer, tellerTokens = 20, solverTokens = 6, heldOut = 200 } = options;
  return {
    name: "story-tellers",
    topology: graphTopology({
      name: "story-tellers",
      rounds: 1,
      agents: [
        ...tellers.map((id) => storyAgent(id, "teller", tellerTokens, ({ privateView = "" }) => privateView)),
        storyAgent("solver", "solver", solverTokens, ({ question, inbox }) =>
          [...inbox.map(({ text }) => asSentence(text)), askedFor(question)].filter((part) => part !== "").join(" "),
        ),
      ],
      spatial: tellers.map((from) => ({ from, to: "solver" })),
      answer: answerOf("solver"),
    }),
    tokenizer,
    grader: nameGrader,
    ...storyProblems("story-tellers", heldOut, (child, random) => {
      const holder = random.pick(tellers);
      return {
        id: `story-tellers:${child.name}/${child.thing}/${holder}`,
        question: child.thing,
        gold: child.name,
        views: Object.fromEntries(tellers.map((id) => [id, id === holder ? storyOf(child) : idle])),
      };
    }),
  };
}
