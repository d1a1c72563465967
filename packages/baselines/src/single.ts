import type { Topology } from "@laconic/core";
import { programTopology } from "@laconic/topologies";
import type { BaselineOptions, Exemplar } from "./baseline.ts";
import { chat } from "./prompts/chat.ts";

/** One agent, one reply. */
export function singleReply(
  name: string,
  { answerForm, maxTokens }: BaselineOptions,
  instruction: string,
  exemplars: readonly Exemplar[] = [],
): Topology {
  return programTopology({
    name,
    agents: ["solver"],
    play: async (stage) => {
      const system = [instruction, answerForm].filter((part) => part !== "").join(" ");
      await stage.say({ agent: "solver", prompt: chat(system, stage.problem.question, exemplars), maxTokens });
    },
    answer: (turns) => turns.at(-1)?.utterance ?? null,
  });
}
