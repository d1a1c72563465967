import type { ChatMessage } from "@laconic/core";
import { exactJson, JsonText, writeJson } from "@laconic/core/json";
import { programTopology, quote, type Turn } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { textOfTurn } from "../playing/vote.ts";
import { stepByStep } from "../prompts/chat.ts";
import type { AnswerReader, Baseline } from "../protocols/baseline.ts";
import { phaseSettings, protocolsOf } from "../protocols/protocol-for.ts";
import { textOf, type Script } from "../protocols/script.ts";

/**
 * Multi-Agent Debate: one side answers, the other has to disagree; after each round a moderator may end it by naming an
 * answer. Undecided after 3 rounds, a judge lists the candidates of the first round and picks. Everybody remembers what it was told
 * and what it said. The moderator's reply is read as JSON, never run.
 */
export const mad: Baseline = methodOf({
  name: "mad",
  title: "MAD",
  protocols: protocolsOf<"debate" | "moderator" | "judge">("mad"),
  create: (protocol, options) => {
    const { reader, answerForm, script, rounds = protocol.rounds ?? 0 } = options;
    const words = script ? releasedMadWords(script) : ownMadWords(answerForm);
    return programTopology({
      name: "mad",
      agents: ["affirmative", "negative", "moderator", "judge"],
      play: async (stage) => {
        const chats = new Map<string, ChatMessage[]>();
        const ask = async (agent: string, text: string, reads: readonly (Turn | undefined)[] = []) => {
          const chat = chats.get(agent) ?? [
            { role: "system" as const, content: words.system(agent, stage.shown(agent)) },
          ];
          chat.push({ role: "user", content: text });
          const [turn] = await stage.say({
            agent,
            prompt: { kind: "messages", messages: [...chat] },
            reads: reads.flatMap((read) => (read ? [read.message] : [])),
            ...phaseSettings(protocol.phases[agent === "moderator" || agent === "judge" ? agent : "debate"], options),
          });
          chat.push({ role: "assistant", content: textOfTurn(turn) });
          chats.set(agent, chat);
          return turn;
        };
        let theirs: Turn | undefined;
        for (let round = 0; round < rounds; round++) {
          const mine = await (round === 0
            ? ask("affirmative", words.open(stage.shown("affirmative")))
            : ask("affirmative", words.consider(textOfTurn(theirs)), [theirs]));
          const said = textOfTurn(mine);
          const reply = round === 0 ? words.disagree(stage.shown("negative"), said) : words.consider(said);
          theirs = await ask("negative", reply, [mine]);
          const sides = sidesOf(mine, theirs);
          const verdict = await ask("moderator", words.moderate(stage.shown("moderator"), round, sides), [
            mine,
            theirs,
          ]);
          const { answer, how } = moderated(textOfTurn(verdict), reader, words);
          if (how !== "json") stage.note(`moderator-${how}`);
          if (answer !== null) return;
        }
        // The judge lists the candidates of both sides' first answers, then picks one.
        const [mine, first] = stage.turns;
        const question = stage.shown("judge");
        await ask("judge", words.candidates(question, sidesOf(mine, first)), [mine, first]);
        await ask("judge", words.choose(question));
      },
      answer: (turns) => {
        const last = turns.at(-1);
        if (!last) return null;
        const chosen =
          last.call.agent === "judge" && words.judgeInJson ? moderated(textOfTurn(last), reader, words).answer : null;
        if (last.call.agent === "judge") return chosen === null ? last.utterance : { ...last.utterance, text: chosen };
        const verdict = turns.findLast(({ call }) => call.agent === "moderator");
        const decided = verdict ? moderated(verdict.utterance.text, reader, words).answer : null;
        if (verdict && decided !== null) return { ...verdict.utterance, text: decided };
        return turns.findLast(({ utterance }) => reader.read(utterance.text) !== null)?.utterance ?? null;
      },
    });
  },
  maxCalls: (protocol, { rounds = protocol.rounds ?? 0 }) => 3 * rounds + 2,
  // Each chat grows by what its owner hears and says: one reply and one for a side, two and one for the moderator; the judge reads both
  // sides twice, and its own list.
  maxCopies: (protocol, { rounds = protocol.rounds ?? 0 }) => ({
    // Released words say the question twice to the affirmative, and to the judge at last.
    questions: 4 * rounds + 3,
    examples: 0,
    replies: (7 * rounds * (rounds - 1)) / 2 + 3 * rounds + 5,
  }),
});

function sidesOf(mine: Turn | undefined, theirs: Turn | undefined): Sides {
  return { affirmative: textOfTurn(mine), negative: textOfTurn(theirs) };
}

interface Verdict {
  /** Null to go on. */
  readonly answer: string | null;
  /** Whether the reply is JSON, JSON once what stands around it is cut off, or nothing of the kind, which goes on. */
  readonly how: "json" | "repaired" | "unreadable";
}

/**
 * The answer in a moderator's JSON. It becomes a sentence, unless the benchmark's reader takes a reply whole, as programs are: then it
 * is the reply.
 */
function moderated(text: string, reader: AnswerReader, { answerKey }: MadWords): Verdict {
  for (const object of [text, ...objectsIn(text)]) {
    try {
      const { [answerKey]: answer } = exactJson(object) as Record<string, unknown>;
      const isNumber = typeof answer === "number" || answer instanceof JsonText;
      const said = typeof answer === "string" ? answer.trim() : isNumber ? writeJson(answer) : "";
      const sentence = `The answer is ${said}.`;
      const how = object === text ? "json" : "repaired";
      if (said === "") return { answer: null, how };
      return { answer: reader.read(sentence) === sentence ? said : sentence, how };
    } catch {
      // the next one
    }
  }
  return { answer: null, how: "unreadable" };
}

/** What may be an object: everything between the outer braces, as programs have braces too, or the first without any inside. */
function objectsIn(text: string): string[] {
  const [first, last] = [text.indexOf("{"), text.lastIndexOf("}")];
  const flat = /\{[^{}]{0,2000}\}/su.exec(text)?.[0];
  return [...(first >= 0 && last > first ? [text.slice(first, last + 1)] : []), ...(flat === undefined ? [] : [flat])];
}

interface Sides {
  readonly affirmative: string;
  readonly negative: string;
}

/** What MAD's agents are told. A chat remembers what was said, so that a question stands where its owner hears it first. */
interface MadWords {
  readonly system: (agent: string, question: string) => string;
  /** The affirmative's first call, and the negative's. */
  readonly open: (question: string) => string;
  readonly disagree: (question: string, theirs: string) => string;
  readonly consider: (theirs: string) => string;
  /** @param round - from 0 */
  readonly moderate: (question: string, round: number, sides: Sides) => string;
  readonly candidates: (question: string, sides: Sides) => string;
  readonly choose: (question: string) => string;
  /** Where the moderator's JSON has the answer. */
  readonly answerKey: string;
  /** The judge replies with such JSON too. */
  readonly judgeInJson: boolean;
}

function ownMadWords(answerForm: string): MadWords {
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
    system: (agent) => duties[agent] ?? "",
    open: (question) => question,
    disagree: (question, theirs) =>
      `${question}\n\n${answerTo(theirs, "You disagree. Give your reasons and your answer.")}`,
    consider: (theirs) => answerTo(theirs, "Do you agree? Give your reasons and your answer."),
    moderate: (question, round, sides) => `${round === 0 ? `${question}\n\n` : ""}Round ${round + 1}. ${both(sides)}`,
    candidates: (question, sides) =>
      `${question}\n\n${both(sides)}\n\nList the candidate answers of both sides, and do not choose yet.`,
    choose: () => "Choose one of the candidates, with your reasons.",
    answerKey: "answer",
    judgeInJson: false,
  };
}

const ordinals = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** The released words: templates whose values stand between double hashes. */
function releasedMadWords(script: Script): MadWords {
  const of = (name: string, values: Readonly<Record<string, string>>): string =>
    textOf(script, name).replaceAll(/##(\w+)##/gu, (mark, key: string) => values[key] ?? mark);
  const answersOf = ({ affirmative, negative }: Sides) => ({ aff_ans: affirmative, neg_ans: negative });
  const side = (agent: string): boolean => agent === "affirmative" || agent === "negative";
  return {
    system: (agent, question) => of(side(agent) ? "player" : "moderator", { debate_topic: question }),
    open: (question) => of("affirmative", { debate_topic: question }),
    disagree: (_, theirs) => of("negative", { aff_ans: theirs }),
    consider: (theirs) => of("debate", { oppo_ans: theirs }),
    moderate: (_, round, sides) => of("moderate", { round: ordinals[round] ?? String(round + 1), ...answersOf(sides) }),
    candidates: (_, sides) => of("candidates", answersOf(sides)),
    choose: (question) => of("choose", { debate_topic: question }),
    answerKey: "debate_answer",
    judgeInJson: true,
  };
}
