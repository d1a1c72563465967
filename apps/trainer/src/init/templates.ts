/** What a project can begin as. */
export interface Template {
  /** One line, for help. */
  readonly title: string;
  /** What its README begins with. */
  readonly about: string;
  /** Files of its own by their names in the project, with what they hold. */
  readonly holds: Readonly<Record<string, string>>;
  /** Packages that its files import beside those of every project. */
  readonly imports?: readonly string[];
}

/** A name of {@link templates}. */
export type TemplateName = "team" | "chat" | "tools" | "data" | "self-play" | "environment";

const holds = { "task.ts": "problems, examples, reward, prompts and team: make them yours" };

/** By name, in the order in which help lists them; the first is what is written where none is named. */
export const templates: Readonly<Record<TemplateName, Template>> = {
  team: { title: "two clerks and a cashier on the small policy that ships", about: "", holds: {} },
  chat: {
    title: "an assistant that answers customers",
    about: "An assistant says what goods cost, however a customer asks, and learns to say no more than that.",
    holds,
  },
  tools: {
    title: "an agent that calls a tool",
    about:
      "A clerk is asked what is in stock, and learns to look it up with a tool instead of guessing. A call has a price.",
    holds,
  },
  data: {
    title: "questions and answers from a file",
    about:
      "A reader learns the questions and answers of a file, and to say no more than the answer; a part of them is kept for the test.",
    holds: { "questions.jsonl": "the data: a question and an answer a line", ...holds },
    imports: ["@laconic/benchmarks"],
  },
  "self-play": {
    title: "two players with opposite rewards",
    about:
      "Two players take stones from a heap, each with weights of its own: what one wins the other loses. Who begins can win, and learns to.",
    holds,
  },
  environment: {
    title: "a walker in an environment of several steps",
    about:
      "A walker looks for a thing; the environment tells it after each step whether it is warmer or colder, and it learns to find it.",
    holds,
  },
};

/** Names, in order. */
export const templateNames = Object.keys(templates) as TemplateName[];
