import type { ChatMessage } from "@laconic/core";
import { programTopology } from "@laconic/topologies";
import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { equalThoughtProtocols } from "../protocols/equal-budget.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { tokensGiven, tokensOf } from "./tokens-given.ts";

/** Fewer are no thought: what a further turn has to leave for its reply, and what its request takes. */
const [minReply, requestTokens] = [64, 64] as const;

/**
 * One agent that thinks in one chat until the tokens of a team are spent: a reply may be as long as they allow, and where it ends early
 * the agent is asked to go on.
 */
export const equalThought: Baseline = {
  ...methodOf({
    name: "equal-budget:thought",
    title: "Single agent, equal tokens, one longer thought",
    protocols: equalThoughtProtocols,
    create: (protocol, options) => {
      const { reader, answerForm } = options;
      const tokens = tokensGiven("equal-budget:thought", options);
      const settings = phaseSettings(protocol.phases.answer, options);
      return programTopology({
        name: "equal-budget",
        agents: ["solver"],
        play: async (stage) => {
          const system = `${stepByStep} You have about ${tokens} tokens: use them, check what you find, and try another way. ${answerForm}`;
          const messages: ChatMessage[] = [...messagesOf(chat(system, stage.problem.question))];
          // What the server will count is not known before the first reply: four bytes a token, as in English.
          const first = Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
          let left = tokens;
          let ceiling = Math.max(options.maxTokens, left - first);
          for (let turns = 1; ; turns++) {
            const prompt = { kind: "messages" as const, messages: [...messages] };
            const said = await stage.say({ agent: "solver", prompt, ...settings, maxTokens: ceiling });
            const [turn] = said;
            left -= tokensOf(said);
            // The next prompt is this one and its reply.
            ceiling = left - tokensOf(said) - requestTokens;
            if (!turn || turn.utterance.silent || ceiling < minReply) return;
            if (turns === protocol.calls.most) return stage.note("capped");
            messages.push(
              { role: "assistant", content: turn.utterance.text },
              {
                role: "user",
                content: `You have about ${ceiling} tokens left. Go on: check what you wrote, try another way, and answer again.`,
              },
            );
          }
        },
        answer: (turns) =>
          (turns.findLast(({ utterance }) => reader.read(utterance.text) !== null) ?? turns.at(-1))?.utterance ?? null,
      });
    },
    maxCopies: () => ({ questions: maxTurns, examples: 0, replies: 0 }),
  }),
  equalTokens: true,
};

const maxTurns = equalThoughtProtocols[0]?.calls.most ?? 0;

function messagesOf(prompt: ReturnType<typeof chat>): readonly ChatMessage[] {
  return prompt.kind === "messages" ? prompt.messages : [];
}
