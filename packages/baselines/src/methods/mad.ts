import type { ChatMessage } from "@laconic/core";
import { exactJson, JsonText, writeJson } from "@laconic/core/json";
import { programTopology, type Turn } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import type { AnswerReader, Baseline } from "../protocols/baseline.ts";
import {
  allFamilies,
  benchmarkLine,
  labelled,
  noShots,
  onMaths,
  onMmlu,
  onePiece,
  type Protocol,
} from "../protocols/protocol.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { ownMadWords, releasedMadWords, type MadWords, type Sides } from "./mad-prompts.ts";

/** Kinds of calls: a side's, the moderator's, the judge's. */
export type MadPhase = "debate" | "moderator" | "judge";

const form: Omit<Protocol<MadPhase>, "id" | "families"> = {
  version: 1,
  source: "Liang et al. 2023; protocol as in Multi-Agents-Debate@022a7a8e",
  published: null,
  roles: [
    { slot: "affirmative", title: "side of a debate", duty: "Answers first, then answers the other side." },
    { slot: "negative", title: "side of a debate", duty: "Disagrees at first, then answers the other side." },
    { slot: "moderator", duty: "Ends the debate by naming an answer, as JSON." },
    { slot: "judge", duty: "Lists the candidates of the first round, then picks." },
  ],
  temperature: 0,
  phases: { debate: {}, moderator: {}, judge: {} },
  shots: noShots,
  agents: 2,
  rounds: 3,
  prompts: [
    "The question stands once, at the beginning of every chat.",
    "The negative side is told to disagree with the first answer; later each side is asked whether it agrees.",
    "The moderator replies with JSON: a preference, and an answer or none.",
    "The judge is asked for candidates, then for one of them.",
  ],
  answerLine: benchmarkLine,
  hears:
    "Each side its own turns and the other's last message of each round; the moderator both sides of each round and its own verdicts; the judge both sides' first answers.",
  partition: { kind: "among", slots: ["affirmative", "negative"] },
  stops: { kind: "moderator" },
  votes: { kind: "decision", slot: "judge" },
  calls: { least: 3, most: 11 },
  labels: {
    ...labelled("C", "roles", "temperature", "rounds", "prompts", "hears", "stops", "votes", "calls"),
    hears: "K",
  },
  differs: ["The paper plays counter-intuitive arithmetic and translation."],
};

/** Released words ask for an answer inside JSON, which a program is not: programs are asked for in ours. */
const scripts = { ...onMaths("mad", "mad"), ...onMmlu("mad"), aqua: "mad" };

/**
 * MAD, the same for all kinds of questions. The released words are fetched, as their licence (GPL-3.0) allows no copy here. The moderator's
 * reply is read as strict JSON, with one repair of what stands around it; the released code evaluates it as Python.
 */
const madProtocols: readonly Protocol<MadPhase>[] = allFamilies.map((family) => ({
  ...form,
  id: `mad/${family}`,
  families: [family],
  ...(family === "code" ? { partition: onePiece } : { scripts }),
}));

/**
 * Multi-Agent Debate: one side answers, the other has to disagree; after each round a moderator may end it by naming an
 * answer. Undecided after 3 rounds, a judge lists the candidates of the first round and picks. Everybody remembers what it was told
 * and what it said. The moderator's reply is read as JSON, never run.
 */
export const mad: Baseline = methodOf({
  name: "mad",
  title: "MAD",
  protocols: madProtocols,
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
          chat.push({ role: "assistant", content: textOf(turn) });
          chats.set(agent, chat);
          return turn;
        };
        let theirs: Turn | undefined;
        for (let round = 0; round < rounds; round++) {
          const mine = await (round === 0
            ? ask("affirmative", words.open(stage.shown("affirmative")))
            : ask("affirmative", words.consider(textOf(theirs)), [theirs]));
          const said = textOf(mine);
          const reply = round === 0 ? words.disagree(stage.shown("negative"), said) : words.consider(said);
          theirs = await ask("negative", reply, [mine]);
          const sides = sidesOf(mine, theirs);
          const verdict = await ask("moderator", words.moderate(stage.shown("moderator"), round, sides), [
            mine,
            theirs,
          ]);
          const { answer, how } = moderated(textOf(verdict), reader, words);
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
          last.call.agent === "judge" && words.judgeInJson ? moderated(textOf(last), reader, words).answer : null;
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
  return { affirmative: textOf(mine), negative: textOf(theirs) };
}

function textOf(turn: Turn | undefined): string {
  return turn?.utterance.text ?? "";
}

/** A moderator's verdict. */
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
