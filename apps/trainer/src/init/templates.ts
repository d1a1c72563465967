export interface Template {
  /** A line for the help. */
  readonly title: string;
  /** First paragraph of the README. */
  readonly about: string;
  /** Descriptions of the template's own files, by name. */
  readonly holds: Readonly<Record<string, string>>;
  /** Packages of this template only. */
  readonly imports?: readonly string[];
}

export type TemplateName = "team" | "chat" | "tools" | "data" | "self-play" | "environment";

const holds = { "task.ts": "problems, examples, reward, prompts and team: make them yours" };

/** Order of the help; the first is the default. */
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

export const templateNames = Object.keys(templates) as TemplateName[];
