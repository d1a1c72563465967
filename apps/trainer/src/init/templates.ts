/** A name of {@link templates}. */
export type TemplateName = "team" | "chat" | "tools" | "data" | "self-play" | "environment";

/** What a project can begin as. */
export interface Template {
  /** One line, for help. */
  readonly title: string;
  /** What its README begins with. */
  readonly about: string;
  /** Files of its own by their names in the project, with what they hold. */
  readonly holds: Readonly<Record<string, string>>;
  /** Packages that its files import beside those of every project. */
  readonly imports: readonly string[];
}

const task = "problems, examples, reward, prompts and team: make them yours";

/** By name, in the order in which help lists them; the first is what is written where none is named. */
export const templates: Readonly<Record<TemplateName, Template>> = {
  team: {
    title: "two clerks and a cashier on the small policy that ships",
    about: "",
    holds: {},
    imports: [],
  },
  chat: {
    title: "an assistant that answers customers",
    about: "An assistant says what goods cost, however a customer asks, and learns to say no more than that.",
    holds: { "task.ts": task },
    imports: [],
  },
  tools: {
    title: "an agent that calls a tool",
    about: "A clerk calls a tool to see what is in stock. A call has a price.",
    holds: { "task.ts": task },
    imports: [],
  },
  data: {
    title: "questions and answers from a file",
    about: "A reader learns the questions and answers of a file; a part of them is held out.",
    holds: { "questions.jsonl": "the data: a question and an answer a line", "task.ts": task },
    imports: ["@laconic/benchmarks"],
  },
  "self-play": {
    title: "two players with opposite rewards",
    about: "A hider and a seeker, each with weights of its own: what one wins the other loses.",
    holds: { "task.ts": task },
    imports: [],
  },
  environment: {
    title: "a player in an environment of several steps",
    about: "A player guesses a number; the environment answers each guess, and the player continues.",
    holds: { "task.ts": task },
    imports: [],
  },
};

/** Names, in order. */
export const templateNames = Object.keys(templates) as TemplateName[];
