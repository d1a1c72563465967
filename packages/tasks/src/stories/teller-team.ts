import { answerOf, graphTopology } from "@laconic/topologies";
import type { TeamTask } from "../task.ts";
import { firstWord } from "./first-word.ts";
import { asSentence, storyAgent } from "./story-agent.ts";

/** Size of a world in which tellers say whose a thing is. */
export interface TellerOptions {
  /** Of the story model. */
  readonly tokenizer: TeamTask["tokenizer"];
  /** Most tokens of a teller's sentence. */
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
const askedFor = (thing: string): string => `The child with the ${thing} was named`;

/** Tellers go on with what each of them sees, unheard by each other; a solver reads them all, and says the name. */
export function tellerTeam(
  name: string,
  tellers: readonly string[],
  { tellerTokens, solverTokens = 6 }: { readonly tellerTokens: number; readonly solverTokens?: number | undefined },
): Pick<TeamTask, "name" | "topology" | "grader"> {
  const solver = storyAgent("solver", "solver", solverTokens, ({ question, inbox }) =>
    [...inbox.map(({ text }) => asSentence(text)), askedFor(question)].filter((part) => part !== "").join(" "),
  );
  const seats = tellers.map((id) => storyAgent(id, "teller", tellerTokens, ({ privateView = "" }) => privateView));
  return {
    name,
    topology: graphTopology<string>({
      name,
      rounds: 1,
      agents: [...seats, solver],
      spatial: tellers.map((from) => ({ from, to: "solver" })),
      answer: answerOf<string>("solver"),
    }),
    // Right where the answer's first word is the name.
    grader: (answer, { gold }) => (answer !== null && firstWord(answer) === gold ? 1 : 0),
  };
}
