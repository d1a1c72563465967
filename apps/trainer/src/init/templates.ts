export interface Template {
  readonly title: string;
  /** First paragraph of the README. */
  readonly about: string;
  readonly holds: Readonly<Record<string, string>>;
  readonly imports?: readonly string[];
}

export type TemplateName = "team" | "chat" | "tools" | "data" | "self-play" | "environment";

const holds = { "task.ts": "problems, examples, reward, prompts and team: edit these" };

/** Order of the help; the first is the default. */
export const templates: Readonly<Record<TemplateName, Template>> = {
  team: { title: "two clerks and a cashier on the small policy that ships", about: "", holds: {} },
  chat: {
    title: "an assistant that answers customers",
    about: "An assistant tells customers the price of goods. It learns to reply with the price only.",
    holds,
  },
  tools: {
    title: "an agent that calls a tool",
    about:
      "A clerk answers questions about the stock. It learns to call a tool instead of guessing. Each call has a price.",
    holds,
  },
  data: {
    title: "questions and answers from a file",
    about:
      "A reader learns the answers to the questions of a file, and to reply with the answer only. Some questions are kept for the test.",
    holds: { "questions.jsonl": "data: a question and an answer per line", ...holds },
    imports: ["@laconic/benchmarks"],
  },
  "self-play": {
    title: "two players with opposite rewards",
    about:
      "Two players with separate weights take stones from a heap. The gain of one is the loss of the other. The first player can win, and learns to.",
    holds,
  },
  environment: {
    title: "a walker in an environment of several steps",
    about:
      "A walker looks for an object. After each step the environment replies warmer or colder. The walker learns to find the object.",
    holds,
  },
};

export const templateNames = Object.keys(templates) as TemplateName[];
