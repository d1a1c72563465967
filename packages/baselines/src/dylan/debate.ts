import { type Prompt, type Random, type Topology, type Utterance } from "@laconic/core";
import { programTopology, quote, type Stage, type Turn } from "@laconic/topologies";
import { countVotes, type VoteClass } from "../playing/vote.ts";
import { asked, chat, roleLine, stepByStep } from "../prompts/chat.ts";
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
  const debate = new Debate(team);
  return programTopology({
    name: "dylan",
    agents: [...debate.ids, "ranker"],
    play: (stage) => debate.play(stage),
    answer: (turns) => {
      const replies = turns.filter(({ call }) => call.agent !== "ranker");
      return debate.winnerOf(lastLayer(replies, debate.ids.length));
    },
  });
}

class Debate {
  readonly ids: readonly string[];
  readonly #team: DylanTeam;
  readonly #words: DebateWords;
  /** Debaters without roles (MATH) do not score. The best two read each other, and skip layer 3 if they agree. */
  readonly #alike: boolean;

  constructor(team: DylanTeam) {
    const { protocol, options, roles } = team;
    this.ids = roles.map((_, i) => `agent-${i + 1}`);
    this.#team = team;
    this.#alike = protocol.roles.length === 1;
    this.#words = options.script ? releasedWords(options.script) : ownWords(team, this.#alike);
  }

  async play(stage: Stage): Promise<void> {
    const { random } = stage;
    const all: Reply[] = [];
    let active: readonly string[] = this.ids;
    let before: readonly Reply[] = [];
    for (let layer = 0; layer < layers; layer++) {
      if (layer === layers - 1 && this.ids.length > 3) {
        active = await this.#bestAgents(stage, before, random);
        const chosen = before.filter(({ turn }) => active.includes(turn.call.agent));
        if (this.#alike && this.#agree(chosen, active.length)) return this.#close(stage, all, chosen);
        if (this.#alike) before = chosen;
      }
      const replies: Reply[] = [];
      for (const agent of this.#ordered(active, random)) {
        const received = this.#ordered(before, random);
        const role = this.#team.roles[this.ids.indexOf(agent)];
        const [turn] = await stage.say({
          agent,
          prompt: this.#words.reply(role, stage.shown(agent), textsOf(received)),
          reads: received.map((reply) => reply.turn.message),
          ...phaseSettings(this.#team.protocol.phases.reply, this.#team.options),
        });
        if (!turn) continue;
        const reply = { turn, layer, received };
        replies.push(reply);
        all.push(reply);
        if (this.#agree(replies, active.length)) return this.#close(stage, all, replies);
      }
      before = replies;
    }
    this.#close(stage, all, before);
  }

  winnerOf(replies: readonly Turn[]): Utterance | null {
    const [first] = this.#votesOf(replies);
    const turn = first && replies[first.first];
    return turn ? { ...turn.utterance, text: withoutScores(turn.utterance.text) } : null;
  }

  #votesOf(replies: readonly Turn[]): VoteClass[] {
    const texts = replies.map(({ utterance }) => withoutScores(utterance.text));
    return countVotes(texts, this.#team.options.reader);
  }

  #agree(replies: readonly Reply[], agents: number): boolean {
    return (this.#votesOf(turnsOf(replies))[0]?.votes ?? 0) > Math.floor((2 * agents) / 3);
  }

  #close(stage: Stage, all: readonly Reply[], last: readonly Reply[]): void {
    const winner = this.winnerOf(turnsOf(last));
    stage.conclude(winner);
    const { reader } = this.#team.options;
    const result = reader.read(winner?.text ?? "");
    const neurons = all.map(({ turn, layer, received }) => {
      const answer = reader.read(withoutScores(turn.utterance.text));
      return {
        agent: turn.call.agent,
        layer,
        received: received.map((reply) => all.indexOf(reply)),
        weights: weightsOf(scoresIn(turn.utterance.text), received.length),
        agrees: result !== null && answer !== null && reader.same(result, answer),
      };
    });
    this.#team.onImportance?.(agentImportance(neurons));
  }

  /** The MATH script keeps the order. */
  #ordered<T>(items: readonly T[], random: Random): readonly T[] {
    return this.#team.options.script && this.#alike ? items : random.shuffle(items);
  }

  #bestAgents(stage: Stage, replies: readonly Reply[], random: Random): Promise<string[]> {
    const shuffled = this.#ordered(replies, random);
    return rankedBest(stage, turnsOf(shuffled), random, {
      prompt: this.#words.rank(stage.shown("ranker"), textsOf(shuffled)),
      ...phaseSettings(this.#team.protocol.phases.rank, this.#team.options),
    });
  }
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
