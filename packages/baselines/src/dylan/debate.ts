import { randomFromSeed, type Random, type Topology, type Prompt } from "@laconic/core";
import { programTopology, quote, type Line, type Stage, type Turn } from "@laconic/topologies";
import { countVotes, type VoteClass } from "../playing/vote.ts";
import { chat, roleLine, stepByStep, asked } from "../prompts/chat.ts";
import type { BaselineOptions } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";
import { rankedBest, agentImportance, scoresIn, weightsOf, withoutScores, type Neuron } from "./importance.ts";

/** Kinds of calls: a debater's reply, the choice of those who go on, and a judge's remark on programs. */
export type DylanPhase = "reply" | "rank" | "judge";

/** Hears the importance score of every agent that spoke in a play. */
export type OnImportance = (importance: ReadonlyMap<string, number>) => void;

const layers = 3;

interface Reply {
  readonly turn: Turn;
  readonly layer: number;
  readonly received: readonly Reply[];
}

/**
 * DyLAN's debate, for answers that can be compared: layers 1 and 2 run all agents one after the other in random order, each having
 * read all replies of the layer before, shuffled, numbered and without names. Before layer 3 a ranker names the best two, who alone
 * go on. As soon as more than two thirds of the agents agree, it stops; else the plurality of the last layer answers. Agents with
 * roles score what they read.
 */
export function dylanDebate(
  protocol: Protocol<DylanPhase>,
  options: BaselineOptions,
  team: readonly Role[],
  onImportance?: OnImportance,
): Topology {
  const debate = new Debate(protocol, options, team, onImportance);
  return programTopology({
    name: "dylan",
    agents: [...debate.ids, "ranker"],
    play: (stage) => debate.play(stage),
    answer: (turns) => debate.cutShort(turns),
  });
}

class Debate {
  readonly ids: readonly string[];
  readonly #protocol: Protocol<DylanPhase>;
  readonly #options: BaselineOptions;
  readonly #team: readonly Role[];
  readonly #onImportance: OnImportance | undefined;
  readonly #shots: ReturnType<typeof shotsOf>;
  /**
   * Debaters who are all alike are not scored; of two that were ranked best each reads these two, and two that agree need no third
   * layer: the script for MATH.
   */
  readonly #alike: boolean;

  constructor(
    protocol: Protocol<DylanPhase>,
    options: BaselineOptions,
    team: readonly Role[],
    onImportance: OnImportance | undefined,
  ) {
    this.ids = team.map((_, i) => `agent-${i + 1}`);
    this.#protocol = protocol;
    this.#options = options;
    this.#team = team;
    this.#onImportance = onImportance;
    this.#shots = shotsOf(protocol, options);
    this.#alike = protocol.roles.length === 1;
  }

  async play(stage: Stage): Promise<void> {
    const random = randomFromSeed(`dylan/${stage.problem.id}/${stage.problem.question}`);
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
        const [turn] = await stage.say(this.#lineOf(stage, agent, received));
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

  /** The answer where a limit cut the play short. */
  cutShort(turns: readonly Turn[]): Turn["utterance"] | null {
    const replies = turns.filter(({ call }) => call.agent !== "ranker");
    return this.#winnerOf(lastLayer(replies, this.ids.length));
  }

  #votesOf(replies: readonly Turn[]): VoteClass[] {
    return countVotes(
      replies.map(({ utterance }) => withoutScores(utterance.text)),
      this.#options.reader,
    );
  }

  #agree(replies: readonly Reply[], agents: number): boolean {
    return (this.#votesOf(turnsOf(replies))[0]?.votes ?? 0) > Math.floor((2 * agents) / 3);
  }

  #winnerOf(replies: readonly Turn[]): Turn["utterance"] | null {
    const [first] = this.#votesOf(replies);
    const turn = first && replies[first.first];
    return turn ? { ...turn.utterance, text: withoutScores(turn.utterance.text) } : null;
  }

  #close(stage: Stage, all: readonly Reply[], last: readonly Reply[]): void {
    const winner = this.#winnerOf(turnsOf(last));
    stage.conclude(winner);
    this.#onImportance?.(agentImportance(this.#neuronsOf(all, winner?.text ?? "")));
  }

  #neuronsOf(all: readonly Reply[], result: string): Neuron[] {
    const { reader } = this.#options;
    const right = reader.read(result);
    const positions = new Map(all.map(({ turn }, i) => [turn, i]));
    return all.map(({ turn, layer, received: heard }) => {
      const answer = reader.read(withoutScores(turn.utterance.text));
      return {
        agent: turn.call.agent,
        layer,
        received: heard.map((each) => positions.get(each.turn) as number),
        weights: weightsOf(scoresIn(turn.utterance.text), heard.length),
        agrees: right !== null && answer !== null && reader.same(right, answer),
      };
    });
  }

  #lineOf(stage: Stage, agent: string, received: readonly Reply[]): Line {
    const question = stage.shown(agent);
    const { script } = this.#options;
    if (script)
      return {
        agent,
        prompt: dylanPrompt(script, this.#team[this.ids.indexOf(agent)]?.title, question, textsOf(received)),
        reads: received.map(({ turn }) => turn.message),
        ...phaseSettings(this.#protocol.phases.reply, this.#options),
      };
    const role = roleLine(this.#team[this.ids.indexOf(agent)]);
    const system = [role, stepByStep, this.#options.answerForm].filter((part) => part !== "").join(" ");
    const scoring = this.#alike
      ? ""
      : ` Before your answer, score each of the ${received.length} replies from 1 to 5, in their order, as ${scoreForm}.`;
    const user =
      received.length === 0
        ? question
        : `${question}\n\n${listed(received)}\n\nAnswer with the help of these replies; all of them may be wrong.${scoring}`;
    return {
      agent,
      prompt: chat(system, user, this.#shots),
      reads: received.map(({ turn }) => turn.message),
      ...phaseSettings(this.#protocol.phases.reply, this.#options),
    };
  }

  /** The released script for MATH keeps all orders; the others shuffle. */
  #ordered<T>(items: readonly T[], random: Random): readonly T[] {
    return this.#options.script && this.#alike ? items : random.shuffle(items);
  }

  #bestAgents(stage: Stage, replies: readonly Reply[], random: Random): Promise<string[]> {
    const shuffled = this.#ordered(replies, random);
    const { script } = this.#options;
    return rankedBest(stage, turnsOf(shuffled), random, {
      prompt: script
        ? dylanRankPrompt(script, stage.shown("ranker"), textsOf(shuffled))
        : chat(
            "Choose the best two replies. End with their numbers as [i, j].",
            `${stage.shown("ranker")}\n\n${listed(shuffled)}`,
            this.#shots,
          ),
      ...phaseSettings(this.#protocol.phases.rank, this.#options),
    });
  }
}

function turnsOf(replies: readonly Reply[]): Turn[] {
  return replies.map(({ turn }) => turn);
}

function textsOf(replies: readonly Reply[]): string[] {
  return replies.map(({ turn }) => turn.utterance.text);
}

function listed(replies: readonly Reply[]): string {
  return replies.map(({ turn }, i) => `Reply ${i + 1}:\n${quote(withoutScores(turn.utterance.text))}`).join("\n\n");
}

/** The replies since somebody last spoke for a second time, or since all had spoken. */
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

/** How scores are written, as the released prompts show it. */
export const scoreForm = "[[1, 5, 2, ...]]";

/**
 * A debater's request in the words of DyLAN's scripts: for MATH, whose debaters are alike, or for MMLU, whose debaters have roles, number
 * what they read and score it.
 * @param title - of its role; absent where all are alike
 */
function dylanPrompt(script: Script, title: string | undefined, problem: string, replies: readonly string[]): Prompt {
  const question = questionOf(script, problem);
  const system = `${title === undefined ? "" : `${textOf(script, title)}\n`}${textOf(script, "system")}`;
  if (replies.length === 0) return asked(firstOf(script, question), system);
  const before = `${textOf(script, "before")}${question}${textOf(script, "replies")}${othersOf(script, replies)}`;
  const update = textOf(script, "update");
  return asked(`${before}${isForChoices(script) ? filled(update, String(replies.length)) : update}`, system);
}

function dylanRankPrompt(script: Script, problem: string, replies: readonly string[]): Prompt {
  return asked(
    `${textOf(script, "before")}${questionOf(script, problem)}${textOf(script, "replies")}${numbered(script, replies)}${textOf(script, "rank")}`,
  );
}

function questionOf(script: Script, problem: string): string {
  if (isForChoices(script)) {
    const { stem, options } = optionsOf(problem);
    return filled(textOf(script, "options"), stem, ...options);
  }
  return `${textOf(script, "examples")}${textOf(script, "task")}${problem}\nAnswer:`;
}

function firstOf(script: Script, question: string): string {
  return isForChoices(script) ? `${textOf(script, "before")}${question}${textOf(script, "first")}` : question;
}

function othersOf(script: Script, replies: readonly string[]): string {
  if (isForChoices(script)) return numbered(script, replies);
  return replies.map((reply) => filled(textOf(script, "reply"), reply)).join("");
}

function numbered(script: Script, replies: readonly string[]): string {
  return replies.map((reply, i) => `${textOf(script, "ranked")}${i + 1}: \`\`\`${reply}\`\`\``).join("");
}

function isForChoices(script: Script): boolean {
  return textOf(script, "options") !== "";
}
