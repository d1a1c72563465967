import type { Completion, LanguageModel } from "@laconic/core";
import { hermesTools, type ServedTeam } from "@laconic/serve";
import { graphTopology } from "@laconic/topologies";

/** The scout's tool, as every surface offers it. */
export const lookTool = {
  name: "look",
  description: "looks something up",
  parameters: { type: "object", properties: { key: { type: "string" } } },
};

/** Says what `replies` make of what it read. */
const reading = (replies: (read: string) => string): LanguageModel => ({
  id: "reading",
  complete({ prompt }): Promise<Completion> {
    const read = prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("|") : "";
    const text = replies(read);
    const usage = { promptTokens: read.length, completionTokens: text.length + 1, counted: "model" } as const;
    return Promise.resolve({ text, finishReason: "stop", usage, model: { id: "reading", weightVersion: 0 } });
  },
});

/** A scout, and a solver that calls `weather` for the city in the question and says what it hears. */
export const weatherTeam: ServedTeam = {
  name: "pair",
  topology: graphTopology({
    name: "pair",
    rounds: 1,
    agents: ["scout", "solver"].map((id) => ({
      id,
      role: id,
      maxTokens: 500,
      prompt: ({ question, inbox }) => ({
        kind: "messages",
        messages: [{ role: "user", content: `${question} ${inbox.map(({ text }) => text).join(" ")}` }],
      }),
    })),
    spatial: [{ from: "scout", to: "solver" }],
    answer: {
      name: "solver's",
      agents: ["solver"],
      choose: (all) => all.findLast(({ agent }) => agent === "solver") ?? null,
    },
  }),
  models: {
    scout: reading(() => "hm"),
    solver: reading((read) => {
      const heard = /<tool_response>\n(.*)\n<\/tool_response>/u.exec(read)?.[1];
      const city = /city:(\w+)/u.exec(read)?.[1] ?? "";
      const call = JSON.stringify({ name: "weather", arguments: { of: city } });
      return heard ?? `<tool_call>\n${call}\n</tool_call>`;
    }),
  },
  sampling: { temperature: 1 },
  tools: hermesTools(),
};
