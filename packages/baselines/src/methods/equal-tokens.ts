import { type ChatMessage, configError, type Topology } from "@laconic/core";
import { programTopology, type Stage, type Turn } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { pluralityOf } from "../playing/vote.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { protocolsOf, phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";

function equalTokens(
  way: "votes" | "thought",
  title: string,
  examples: boolean,
  create: (protocol: Protocol<"answer">, options: BaselineOptions, tokens: number) => Topology,
): Baseline {
  const name = `equal-budget:${way}`;
  return {
    ...methodOf({
      name,
      title: `Single agent, equal tokens, ${title}`,
      protocols: protocolsOf<"answer">(name),
      create: (protocol, options) => {
        const { tokens = 0 } = options;
        if (tokens > 0) return create(protocol, options, Math.round(tokens));
        const reason = `${name} needs a team's tokens as options.tokens`;
        throw configError(reason, { method: name });
      },
      maxCopies: ({ calls: { most } }) => ({ questions: most, examples: examples ? most : 0, replies: 0 }),
    }),
    equalTokens: true,
  };
}

function tokensOf(turns: readonly Turn[]): number {
  return turns.reduce((sum, { call }) => sum + call.promptTokens + call.writtenTokens, 0);
}

/** An agent that samples and votes until a team's tokens are spent. The last sample may exceed them. */
export const equalVotes: Baseline = equalTokens("votes", "votes", true, (protocol, options, tokens) => {
  const { reader, answerForm } = options;
  const exemplars = shotsOf(protocol, options);
  return programTopology({
    name: "equal-budget",
    agents: ["solver"],
    play: async (stage) => {
      const prompt = chat(`${stepByStep} ${answerForm}`, stage.problem.question, exemplars);
      const line = { agent: "solver", prompt, ...phaseSettings(protocol.phases.answer, options) };
      for (let spent = 0, sample = 0; sample === 0 || spent < tokens; sample++) {
        if (sample === protocol.calls.most) return stage.note("capped");
        spent += tokensOf(await stage.say(line));
      }
    },
    answer: (turns) => pluralityOf(turns, reader),
  });
});

/** Min reply tokens, and tokens of the request, of a further turn. */
const minReply = 64;
const requestTokens = 64;

/** An agent that thinks in one chat until a team's tokens are spent; it is asked to continue. */
export const equalThought: Baseline = equalTokens(
  "thought",
  "one longer thought",
  false,
  (protocol, options, tokens) => {
    const { reader, answerForm, maxTokens } = options;
    const play = async (stage: Stage): Promise<void> => {
      const system = `${stepByStep} You have about ${tokens} tokens: use them, check what you find, and try another way. ${answerForm}`;
      const { question } = stage.problem;
      const messages: ChatMessage[] = [
        { role: "system", content: system },
        { role: "user", content: question },
      ];
      let left = tokens;
      // Estimate: four bytes per token, as in English.
      let ceiling = Math.max(maxTokens, left - Math.ceil((system.length + question.length) / 4));
      for (let turns = 1; ; turns++) {
        const [turn] = await stage.say({
          agent: "solver",
          prompt: { kind: "messages", messages: [...messages] },
          ...phaseSettings(protocol.phases.answer, options),
          maxTokens: ceiling,
        });
        if (!turn) return;
        left -= tokensOf([turn]);
        ceiling = left - tokensOf([turn]) - requestTokens;
        if (turn.utterance.silent || ceiling < minReply) return;
        if (turns === protocol.calls.most) return stage.note("capped");
        const onward = `You have about ${ceiling} tokens left. Go on: check what you wrote, try another way, and answer again.`;
        messages.push({ role: "assistant", content: turn.utterance.text }, { role: "user", content: onward });
      }
    };
    return programTopology({
      name: "equal-budget",
      agents: ["solver"],
      play,
      answer: (turns) =>
        (turns.findLast(({ utterance }) => reader.read(utterance.text) !== null) ?? turns.at(-1))?.utterance ?? null,
    });
  },
);
