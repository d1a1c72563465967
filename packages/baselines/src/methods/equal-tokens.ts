import { type ChatMessage, LaconicError } from "@laconic/core";
import { programTopology, type Turn } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { pluralityOf } from "../playing/vote.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { protocolsOf, phaseSettings } from "../protocols/protocol-for.ts";

/** @throws LaconicError `config_invalid` without the tokens of a team */
function tokensGiven(method: string, { tokens }: Pick<BaselineOptions, "tokens">): number {
  if (tokens !== undefined && tokens > 0) return Math.round(tokens);
  throw new LaconicError("config_invalid", `${method} spends the tokens of a team: it needs them as options.tokens`, {
    method,
  });
}

function tokensOf(said: readonly Turn[]): number {
  return said.reduce((sum, { call }) => sum + call.promptTokens + call.writtenTokens, 0);
}

/**
 * One agent that samples and votes until the tokens of a team are spent: what the team has to beat. A sample begins while any are
 * left, so that the last one may end beyond them.
 */
export const equalVotes: Baseline = {
  ...methodOf({
    name: "equal-budget:votes",
    title: "Single agent, equal tokens, votes",
    protocols: protocolsOf<"answer">("equal-budget:votes"),
    create: (protocol, options) => {
      const { reader, answerForm } = options;
      const tokens = tokensGiven("equal-budget:votes", options);
      const exemplars = shotsOf(protocol, options);
      return programTopology({
        name: "equal-budget",
        agents: ["solver"],
        play: async (stage) => {
          const prompt = chat(`${stepByStep} ${answerForm}`, stage.problem.question, exemplars);
          for (let spent = 0, sample = 0; sample === 0 || spent < tokens; sample++) {
            if (sample === protocol.calls.most) return stage.note("capped");
            const said = await stage.say({
              agent: "solver",
              prompt,
              ...phaseSettings(protocol.phases.answer, options),
            });
            spent += tokensOf(said);
          }
        },
        answer: (turns) => pluralityOf(turns, reader),
      });
    },
    maxCopies: ({ calls: { most } }) => ({ questions: most, examples: most, replies: 0 }),
  }),
  equalTokens: true,
};

/** Fewer are no thought: what a further turn has to leave for its reply, and what its request takes. */
const minReply = 64;
const requestTokens = 64;

/**
 * One agent that thinks in one chat until the tokens of a team are spent: a reply may be as long as they allow, and where it ends early
 * the agent is asked to go on.
 */
export const equalThought: Baseline = {
  ...methodOf({
    name: "equal-budget:thought",
    title: "Single agent, equal tokens, one longer thought",
    protocols: protocolsOf<"answer">("equal-budget:thought"),
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
    maxCopies: ({ calls: { most } }) => ({ questions: most, examples: 0, replies: 0 }),
  }),
  equalTokens: true,
};

function messagesOf(prompt: ReturnType<typeof chat>): readonly ChatMessage[] {
  return prompt.kind === "messages" ? prompt.messages : [];
}
