import { type Prompt, type Random, type Topology, type Utterance } from "@laconic/core";
import { programTopology, quote, type Stage, type Turn } from "@laconic/topologies";
import { countVotes, type VoteClass } from "../playing/vote.ts";
import { asked, chat, roleLine, stepByStep } from "../prompts/chat.ts";
import type { AnswerReader } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Role } from "../protocols/protocol.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";
import { agentImportance, scoresIn, weightsOf, withoutScores } from "./importance.ts";
import { layers, rankedBest, scoreForm, type DylanTeam } from "./team.ts";

interface Reply {
  readonly turn: Turn;
  readonly layer: number;
  readonly received: readonly Reply[];
}

/**
 * DyLAN's debate for comparable answers. Layers 1 and 2 run all agents in random order; each reads the previous layer,
 * shuffled and anonymous. A ranker picks two agents for layer 3. The debate stops when over two thirds agree; else the
 * last layer's plurality answers.
 */
export function dylanDebate(team: DylanTeam): Topology {
  const { protocol, options, roles, onImportance } = team;
  const { reader, script } = options;
  const ids = roles.map((_, i) => `agent-${i + 1}`);
  // Debaters without roles (MATH) do not score. The best two read each other, and skip layer 3 if they agree.
  const alike = protocol.roles.length === 1;
  const words = script ? releasedWords(script) : ownWords(team, alike);
  // The MATH script keeps the order.
  const ordered = <T>(items: readonly T[], random: Random): readonly T[] =>
    script && alike ? items : random.shuffle(items);
  const votesOf = (replies: readonly Turn[]): VoteClass[] => {
    const texts = replies.map(({ utterance }) => withoutScores(utterance.text));
    return countVotes(texts, reader);
  };
  const agree = (replies: readonly Reply[], agents: number): boolean =>
    (votesOf(turnsOf(replies))[0]?.votes ?? 0) > Math.floor((2 * agents) / 3);
  const winnerOf = (replies: readonly Turn[]): Utterance | null => {
    const [first] = votesOf(replies);
    const turn = first && replies[first.first];
    return turn ? { ...turn.utterance, text: withoutScores(turn.utterance.text) } : null;
  };
  const bestAgents = (stage: Stage, replies: readonly Reply[]): Promise<string[]> => {
    const shuffled = ordered(replies, stage.random);
    return rankedBest(stage, turnsOf(shuffled), stage.random, {
      prompt: words.rank(stage.shown("ranker"), textsOf(shuffled)),
      ...phaseSettings(protocol.phases.rank, options),
    });
  };
  /** @returns all replies, and the replies that decide */
  const debate = async (stage: Stage): Promise<readonly [all: readonly Reply[], last: readonly Reply[]]> => {
    const { random } = stage;
    const all: Reply[] = [];
    let active: readonly string[] = ids;
    let before: readonly Reply[] = [];
    for (let layer = 0; layer < layers; layer++) {
      if (layer === layers - 1 && ids.length > 3) {
        active = await bestAgents(stage, before);
        const chosen = before.filter(({ turn }) => active.includes(turn.call.agent));
        if (alike && agree(chosen, active.length)) return [all, chosen];
        if (alike) before = chosen;
      }
      const replies: Reply[] = [];
      for (const agent of ordered(active, random)) {
        const received = ordered(before, random);
        const [turn] = await stage.say({
          agent,
          prompt: words.reply(roles[ids.indexOf(agent)], stage.shown(agent), textsOf(received)),
          reads: received.map((reply) => reply.turn.message),
          ...phaseSettings(protocol.phases.reply, options),
        });
        if (!turn) continue;
        const reply = { turn, layer, received };
        replies.push(reply);
        all.push(reply);
        if (agree(replies, active.length)) return [all, replies];
      }
      before = replies;
    }
    return [all, before];
  };
  return programTopology({
    name: "dylan",
    agents: [...ids, "ranker"],
    play: async (stage) => {
      const [all, last] = await debate(stage);
      const winner = winnerOf(turnsOf(last));
      stage.conclude(winner);
      onImportance?.(agentImportance(neuronsOf(all, winner, reader)));
    },
    answer: (turns) => {
      const replies = turns.filter(({ call }) => call.agent !== "ranker");
      return winnerOf(lastLayer(replies, ids.length));
    },
  });
}

function neuronsOf(all: readonly Reply[], winner: Utterance | null, reader: AnswerReader) {
  const result = reader.read(winner?.text ?? "");
  return all.map(({ turn, layer, received }) => {
    const answer = reader.read(withoutScores(turn.utterance.text));
    return {
      agent: turn.call.agent,
      layer,
      received: received.map((reply) => all.indexOf(reply)),
      weights: weightsOf(scoresIn(turn.utterance.text), received.length),
      agrees: result !== null && answer !== null && reader.same(result, answer),
    };
  });
}

function turnsOf(replies: readonly Reply[]): Turn[] {
  return replies.map(({ turn }) => turn);
}

function textsOf(replies: readonly Reply[]): string[] {
  return replies.map(({ turn }) => turn.utterance.text);
}

/** Replies since an agent first repeated, or since all agents had replied. */
function lastLayer(replies: readonly Turn[], agents: number): Turn[] {
  const seen = new Set<string>();
  let start = 0;
  replies.forEach(({ call }, i) => {
    if (seen.has(call.agent) || seen.size === agents) {
      seen.clear();
      start = i;
    }
    seen.add(call.agent);
  });
  return replies.slice(start);
}

type DebateWords = ReturnType<typeof ownWords>;

function ownWords({ protocol, options }: DylanTeam, alike: boolean) {
  const shots = shotsOf(protocol, options);
  const listed = (replies: readonly string[]): string =>
    replies.map((reply, i) => `Reply ${i + 1}:\n${quote(withoutScores(reply))}`).join("\n\n");
  return {
    reply: (role: Role | undefined, question: string, replies: readonly string[]): Prompt => {
      const system = [roleLine(role), stepByStep, options.answerForm].filter((part) => part !== "").join(" ");
      if (replies.length === 0) return chat(system, question, shots);
      const scoring = alike
        ? ""
        : ` Before your answer, score each of the ${replies.length} replies from 1 to 5, in their order, as ${scoreForm}.`;
      const task = `Answer with the help of these replies; all of them may be wrong.${scoring}`;
      return chat(system, `${question}\n\n${listed(replies)}\n\n${task}`, shots);
    },
    rank: (question: string, replies: readonly string[]): Prompt => {
      const duty = "Choose the best two replies. End with their numbers as [i, j].";
      return chat(duty, `${question}\n\n${listed(replies)}`, shots);
    },
  };
}

/** Released prompts: MATH has identical debaters, MMLU has roles and numbered replies. */
function releasedWords(script: Script): DebateWords {
  const text = (name: string): string => textOf(script, name);
  const isForChoices = text("options") !== "";
  const asking = (problem: string): string => {
    if (!isForChoices) return `${text("examples")}${text("task")}${problem}\nAnswer:`;
    const { stem, options } = optionsOf(problem);
    return filled(text("options"), stem, ...options);
  };
  const numbered = (replies: readonly string[]): string =>
    replies.map((reply, i) => `${text("ranked")}${i + 1}: \`\`\`${reply}\`\`\``).join("");
  return {
    reply: (role, problem, replies) => {
      const question = asking(problem);
      const system = `${role?.title === undefined ? "" : `${text(role.title)}\n`}${text("system")}`;
      if (replies.length === 0)
        return asked(isForChoices ? `${text("before")}${question}${text("first")}` : question, system);
      const others = isForChoices
        ? `${numbered(replies)}${filled(text("update"), String(replies.length))}`
        : `${replies.map((reply) => filled(text("reply"), reply)).join("")}${text("update")}`;
      return asked(`${text("before")}${question}${text("replies")}${others}`, system);
    },
    rank: (problem, replies) =>
      asked(`${text("before")}${asking(problem)}${text("replies")}${numbered(replies)}${text("rank")}`),
  };
}
