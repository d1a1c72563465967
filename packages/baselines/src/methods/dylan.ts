import type { Random } from "@laconic/core";
import { randomFromSeed } from "@laconic/core";
import { type Turn, programTopology, quote } from "@laconic/topologies";
import type { Baseline, MethodSize } from "../baseline.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { countVotes, pluralityOf } from "../vote.ts";

const layers = 3;

/**
 * DyLAN, its inference: layers 1 and 2 run all agents one after the other in random order, each having read all replies
 * of the layer before, shuffled and without names. Before layer 3 a ranker names the best two, who alone go on. As soon
 * as more than two thirds of the agents agree, it stops; else the plurality of the last layer answers. The released code
 * runs agents by position instead of those that were ranked (`dylan/position-mask`); here it runs those.
 */
export const dylan: Baseline = {
  name: "dylan",
  title: "DyLAN",
  source: "Liu et al. 2023; DyLAN@572341b5",
  calls: "at most N x 2 + 1 + 2: 11 for N = 4 (agents)",
  temperature: 0.2,
  create: ({ reader, answerForm, maxTokens, agents: count = 4, exemplars }) => {
    const ids = Array.from({ length: count }, (_, i) => `agent-${i + 1}`);
    const needed = Math.floor((2 * count) / 3);
    return programTopology({
      name: "dylan",
      agents: [...ids, "ranker"],
      play: async (stage) => {
        const { question } = stage.problem;
        // The order is part of the protocol: it follows from the problem, so that replays agree.
        const random = randomFromSeed(`dylan/${stage.problem.id}/${question}`);
        let active = ids;
        let before: Turn[] = [];
        for (let layer = 0; layer < layers; layer++) {
          if (layer === layers - 1 && count > 3) active = await ranked(before, random);
          const replies: Turn[] = [];
          const threshold = layer === layers - 1 ? active.length - 1 : needed;
          for (const agent of random.shuffle(active)) {
            const heard = random.shuffle(before);
            const others = heard.map(({ utterance }, i) => `Reply ${i + 1}:\n${quote(utterance.text)}`).join("\n\n");
            const user = layer === 0 ? question : `${question}\n\n${others}\n\nAnswer with the help of these replies.`;
            const prompt = chat(`${stepByStep} ${answerForm}`, user, layer === 0 ? exemplars : []);
            replies.push(
              ...(await stage.say({ agent, prompt, reads: heard.map(({ message }) => message), maxTokens })),
            );
            if (agreed(replies) > threshold) return;
          }
          before = replies;
        }

        async function ranked(replies: readonly Turn[], order: Random): Promise<string[]> {
          const shuffled = order.shuffle(replies);
          const listed = shuffled.map(({ utterance }, i) => `Reply ${i + 1}:\n${quote(utterance.text)}`).join("\n\n");
          const [choice] = await stage.say({
            agent: "ranker",
            prompt: chat(
              "Choose the best two replies. Answer with their numbers as [i, j].",
              `${question}\n\n${listed}`,
            ),
            reads: shuffled.map(({ message }) => message),
            maxTokens,
          });
          const pair = /\[\s*(\d+)\s*,\s*(\d+)\s*\]/u.exec(choice?.utterance.text ?? "");
          const chosen = [
            ...new Set([pair?.[1], pair?.[2]].map((each) => shuffled[Number(each) - 1]?.call.agent)),
          ].filter((each) => each !== undefined);
          return chosen.length === 2 ? chosen : order.shuffle(ids).slice(0, 2);
        }
      },
      answer: (turns) => {
        const replies = turns.filter(({ call }) => call.agent !== "ranker");
        const last = lastLayer(replies, ids);
        return pluralityOf(last, reader);
      },
    });

    function agreed(replies: readonly Turn[]): number {
      return (
        countVotes(
          replies.map(({ utterance }) => utterance.text),
          reader,
        )[0]?.votes ?? 0
      );
    }
  },
  mostCalls,
  // From the second layer on everybody reads the whole layer before.
  mostCopies: ({ agents = 4 }) => ({
    questions: mostCalls({ agents }),
    examples: agents,
    replies: agents * (mostCalls({ agents }) - agents),
  }),
};

function mostCalls({ agents = 4 }: MethodSize): number {
  return 2 * agents + (agents > 3 ? 3 : agents);
}

/** The replies since somebody last spoke for a second time: those of the layer that ended the play. */
function lastLayer(replies: readonly Turn[], ids: readonly string[]): Turn[] {
  const seen = new Set<string>();
  let start = 0;
  replies.forEach(({ call }, i) => {
    if (seen.has(call.agent) || seen.size === ids.length) {
      seen.clear();
      start = i;
    }
    seen.add(call.agent);
  });
  return replies.slice(start);
}
