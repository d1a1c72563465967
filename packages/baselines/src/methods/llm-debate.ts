import type { ChatMessage } from "@laconic/core";
import { type Program, programTopology, quote } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { pluralityOf } from "../playing/vote.ts";
import { stepByStep } from "../prompts/chat.ts";
import { sizeOf, type Baseline, type BaselineOptions } from "../protocols/baseline.ts";
import { shotMessages, shotsOf } from "../protocols/choose-shots.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { protocolsOf, phaseSettings, protocolFor } from "../protocols/protocol-for.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";

const protocols = protocolsOf<"reply">("debate");

/**
 * Debate: 3 agents, 2 rounds, one chat per agent. Later rounds read the others' complete replies. The last round's
 * plurality answers. Replies without an answer do not vote; the released code counts them as correct
 * (`debate/parse-none-correct`).
 */
export const llmDebate: Baseline = methodOf({
  name: "debate",
  title: "LLM-Debate",
  protocols,
  create: (_, options) => programTopology(debateProgram(options)),
  maxCalls: (protocol, size) => {
    const { agents, rounds } = sizeOf(protocol, size);
    return agents * rounds;
  },
  // Chats grow by each round's replies, and by the question if repeated.
  maxCopies: (protocol, size) => {
    const { agents, rounds } = sizeOf(protocol, size);
    return {
      questions: repeatsQuestion(protocol) ? (agents * rounds * (rounds + 1)) / 2 : agents * rounds,
      examples: agents * rounds,
      replies: (agents ** 2 * rounds * (rounds - 1)) / 2,
    };
  },
});

/** The debate as a program, for teams that add calls before it. */
export function debateProgram(options: BaselineOptions): Program {
  const protocol = protocolFor(protocols, options);
  const { agents, rounds } = sizeOf(protocol, options);
  const words = options.script ? releasedWords(options.script) : ownWords(protocol, options);
  const ids = Array.from({ length: agents }, (_, i) => `debater-${i + 1}`);
  return {
    name: "debate",
    agents: ids,
    play: async (stage) => {
      const chats = ids.map((agent) => words.open(stage.shown(agent)));
      for (let round = 0; round < rounds; round++) {
        const received = round === 0 ? [] : stage.turns.slice(-agents).map(({ message }) => message);
        const lines = chats.map((messages, i) => {
          const agent = ids[i]!;
          const reads = received.filter(({ from }) => from !== agent);
          const texts = reads.map(({ text }) => text);
          if (round > 0) messages.push({ role: "user", content: words.again(stage.shown(agent), texts) });
          const prompt = { kind: "messages" as const, messages: [...messages] };
          return { agent, reads, prompt, ...phaseSettings(protocol.phases.reply, options) };
        });
        const turns = await stage.say(...lines);
        turns.forEach(({ utterance }, i) => chats[i]?.push({ role: "assistant", content: utterance.text }));
      }
    },
    answer: (turns) => pluralityOf(turns.slice(-agents), options.reader),
  };
}

/** The scripts for GSM8K do, those for MMLU do not. */
function repeatsQuestion({ families }: Protocol): boolean {
  return families.includes("maths");
}

type DebateWords = ReturnType<typeof ownWords>;

function ownWords(protocol: Protocol, options: BaselineOptions) {
  const shots = shotMessages(protocol.shots.form, shotsOf(protocol, options));
  return {
    open: (question: string): ChatMessage[] => [
      { role: "system", content: `${stepByStep} ${options.answerForm}` },
      ...shots,
      { role: "user", content: question },
    ],
    again: (question: string, others: readonly string[]): string => {
      const repeated = repeatsQuestion(protocol) ? `\n\n${question}` : "";
      if (others.length === 0) return `Check your answer and give it again.${repeated}`;
      const quotes = others.map((text, i) => `Another agent (${i + 1}) wrote:\n${quote(text)}`).join("\n\n");
      return `${quotes}\n\nUse what the others wrote as additional information, and answer the question again.${repeated}`;
    },
  };
}

function releasedWords(script: Script): DebateWords {
  return {
    open: (question) => {
      const { stem, options } = optionsOf(question);
      return [{ role: "user", content: filled(textOf(script, "ask"), stem, ...options) }];
    },
    again: (question, others) => {
      if (others.length === 0) return textOf(script, "alone");
      const replies = others.map((text) => filled(textOf(script, "reply"), text)).join("");
      return `${textOf(script, "replies")}${replies}${filled(textOf(script, "update"), question)}`;
    },
  };
}
