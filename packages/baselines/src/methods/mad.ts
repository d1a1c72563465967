import type { ChatMessage } from "@laconic/core";
import { exactJson, JsonText, writeJson } from "@laconic/core/json";
import { programTopology, quote, type Turn } from "@laconic/topologies";
import { askOn } from "../playing/ask.ts";
import { objectTexts } from "../playing/json-reply.ts";
import { methodOf } from "../playing/method-of.ts";
import { textOfTurn } from "../playing/vote.ts";
import { stepByStep } from "../prompts/chat.ts";
import type { AnswerReader, Baseline } from "../protocols/baseline.ts";
import { protocolsOf, roundsOf } from "../protocols/protocol-for.ts";
import { textOf, type Script } from "../protocols/script.ts";

/**
 * Multi-Agent Debate: one side answers, the other must disagree. After each round, a moderator may end the debate with
 * an answer. After 3 rounds, a judge lists the first round's candidates and picks one. Each agent has one chat.
 */
export const mad: Baseline = methodOf({
  name: "mad",
  title: "MAD",
  protocols: protocolsOf<"debate" | "moderator" | "judge">("mad"),
  create: (protocol, options) => {
    const { reader, answerForm, script } = options;
    const words = script ? releasedWords(script) : ownWords(answerForm);
    const verdictOf = (turn: Turn | undefined): Verdict => moderated(textOfTurn(turn), reader, words.answerKey);
    return programTopology({
      name: "mad",
      agents: ["affirmative", "negative", "moderator", "judge"],
      play: async (stage) => {
        const say = askOn(stage, protocol, options);
        const chats = new Map<string, readonly ChatMessage[]>();
        const ask = async (agent: string, text: string, ...reads: readonly (Turn | undefined)[]) => {
          const system = { role: "system" as const, content: words.system(agent, stage.shown(agent)) };
          const messages = [...(chats.get(agent) ?? [system]), { role: "user" as const, content: text }];
          const phase = agent === "moderator" || agent === "judge" ? agent : "debate";
          const turn = await say(agent, phase, { kind: "messages", messages }, reads);
          chats.set(agent, [...messages, { role: "assistant", content: textOfTurn(turn) }]);
          return turn;
        };
        let theirs: Turn | undefined;
        for (let round = 0; round < roundsOf(protocol, options); round++) {
          const mine = await (round === 0
            ? ask("affirmative", words.open(stage.shown("affirmative")))
            : ask("affirmative", words.consider(textOfTurn(theirs)), theirs));
          const reply = textOfTurn(mine);
          const response = round === 0 ? words.disagree(stage.shown("negative"), reply) : words.consider(reply);
          theirs = await ask("negative", response, mine);
          const moderating = words.moderate(stage.shown("moderator"), round, sidesOf(mine, theirs));
          const { answer, how } = verdictOf(await ask("moderator", moderating, mine, theirs));
          if (how !== "json") stage.note(`moderator-${how}`);
          if (answer !== null) return;
        }
        const [mine, first] = stage.turns;
        const question = stage.shown("judge");
        await ask("judge", words.candidates(question, sidesOf(mine, first)), mine, first);
        await ask("judge", words.choose(question));
      },
      answer: (turns) => {
        const last = turns.at(-1);
        if (last?.call.agent === "judge") {
          const chosen = words.judgeInJson ? verdictOf(last).answer : null;
          return chosen === null ? last.utterance : { ...last.utterance, text: chosen };
        }
        const verdict = turns.findLast(({ call }) => call.agent === "moderator");
        const decided = verdictOf(verdict).answer;
        if (verdict && decided !== null) return { ...verdict.utterance, text: decided };
        return turns.findLast(({ utterance }) => reader.read(utterance.text) !== null)?.utterance ?? null;
      },
    });
  },
  maxCalls: (protocol, size) => 3 * roundsOf(protocol, size) + 2,
  // A chat grows per round by one written reply, and by one read (side) or two (moderator).
  // The judge reads both sides twice, and its list. Released prompts repeat the question.
  maxCopies: (protocol, size) => {
    const rounds = roundsOf(protocol, size);
    return { questions: 4 * rounds + 3, examples: 0, replies: (7 * rounds * (rounds - 1)) / 2 + 3 * rounds + 5 };
  },
});

interface Verdict {
  /** Null to continue. */
  readonly answer: string | null;
  readonly how: "json" | "repaired" | "unreadable";
}

/** A moderator's JSON answer, as a sentence unless the reader takes whole replies. */
function moderated(text: string, reader: AnswerReader, answerKey: string): Verdict {
  for (const object of [text, ...objectTexts(text)]) {
    try {
      const { [answerKey]: answer } = exactJson(object) as Record<string, unknown>;
      const isNumber = typeof answer === "number" || answer instanceof JsonText;
      const value = typeof answer === "string" ? answer.trim() : isNumber ? writeJson(answer) : "";
      const sentence = `The answer is ${value}.`;
      const how = object === text ? "json" : "repaired";
      if (value === "") return { answer: null, how };
      return { answer: reader.read(sentence) === sentence ? value : sentence, how };
    } catch {
      // try the next candidate
    }
  }
  return { answer: null, how: "unreadable" };
}

interface Sides {
  readonly affirmative: string;
  readonly negative: string;
}

function sidesOf(mine: Turn | undefined, theirs: Turn | undefined): Sides {
  return { affirmative: textOfTurn(mine), negative: textOfTurn(theirs) };
}

type MadWords = ReturnType<typeof ownWords>;

/** Only first requests have the question; chats keep it. */
function ownWords(answerForm: string) {
  const debating = `You debate with another side. ${stepByStep} ${answerForm}`;
  const duties: Readonly<Record<string, string>> = {
    affirmative: debating,
    negative: debating,
    moderator:
      'You moderate a debate of two sides. After each round reply with JSON alone: {"preference": "affirmative" or "negative" or "none", "answer": the answer, or "" to go on}.',
    judge: `You judge a debate of two sides. ${answerForm}`,
  };
  const answerTo = (theirs: string, task: string): string => `The other side wrote:\n${quote(theirs)}\n\n${task}`;
  const both = ({ affirmative, negative }: Sides): string =>
    `Affirmative side:\n${quote(affirmative)}\n\nNegative side:\n${quote(negative)}`;
  return {
    system: (agent: string, _question: string): string => duties[agent] ?? "",
    open: (question: string): string => question,
    disagree: (question: string, theirs: string): string =>
      `${question}\n\n${answerTo(theirs, "You disagree. Give your reasons and your answer.")}`,
    consider: (theirs: string): string => answerTo(theirs, "Do you agree? Give your reasons and your answer."),
    moderate: (question: string, round: number, sides: Sides): string =>
      `${round === 0 ? `${question}\n\n` : ""}Round ${round + 1}. ${both(sides)}`,
    candidates: (question: string, sides: Sides): string =>
      `${question}\n\n${both(sides)}\n\nList the candidate answers of both sides, and do not choose yet.`,
    choose: (_question: string): string => "Choose one of the candidates, with your reasons.",
    answerKey: "answer",
    judgeInJson: false,
  };
}

const ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** Placeholders are between double hashes. */
function releasedWords(script: Script): MadWords {
  const template = (name: string, values: Readonly<Record<string, string>>): string =>
    textOf(script, name).replaceAll(/##(\w+)##/gu, (mark, key: string) => values[key] ?? mark);
  const answersOf = ({ affirmative, negative }: Sides) => ({ aff_ans: affirmative, neg_ans: negative });
  const isSide = (agent: string): boolean => agent === "affirmative" || agent === "negative";
  return {
    system: (agent, question) => template(isSide(agent) ? "player" : "moderator", { debate_topic: question }),
    open: (question) => template("affirmative", { debate_topic: question }),
    disagree: (_, theirs) => template("negative", { aff_ans: theirs }),
    consider: (theirs) => template("debate", { oppo_ans: theirs }),
    moderate: (_, round, sides) =>
      template("moderate", { round: ordinals[round] ?? String(round + 1), ...answersOf(sides) }),
    candidates: (_, sides) => template("candidates", answersOf(sides)),
    choose: (question) => template("choose", { debate_topic: question }),
    answerKey: "debate_answer",
    judgeInJson: true,
  };
}
