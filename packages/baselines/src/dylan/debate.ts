import { randomFromSeed, type Random, type Topology } from "@laconic/core";
import { programTopology, quote, type Line, type Stage, type Turn } from "@laconic/topologies";
import type { BaselineOptions } from "../protocols/baseline.ts";
import { chat, roleLine, stepByStep } from "../prompts/chat.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import { countVotes } from "../playing/vote.ts";
import { bestTwo, drawnNote } from "./best-two.ts";
import { agentImportance, scoresIn, weightsOf, withoutScores, type Neuron } from "./importance.ts";

/** Kinds of calls: a debater's reply, the choice of those who go on, and a judge's remark on programs. */
export type DylanPhase = "reply" | "rank" | "judge";

/** Hears the importance score of every agent that spoke in a play. */
export type OnImportance = (importance: ReadonlyMap<string, number>) => void;

const layers = 3;

/** A reply, where it stands, and what its author read. */
interface Reply {
  readonly turn: Turn;
  readonly layer: number;
  readonly heard: readonly Reply[];
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
  const { reader, answerForm } = options;
  // Debaters who are all alike are not scored; of two that were ranked best each reads these two, and two that agree need no third
  // layer: the script for MATH.
  const alike = protocol.roles.length === 1;
  const shown = shotsOf(protocol, options);
  const ids = team.map((_, i) => `agent-${i + 1}`);
  const votesOf = (replies: readonly Turn[]) =>
    countVotes(
      replies.map(({ utterance }) => withoutScores(utterance.text)),
      reader,
    );
  return programTopology({
    name: "dylan",
    agents: [...ids, "ranker"],
    play: async (stage) => {
      const random = randomFromSeed(`dylan/${stage.problem.id}/${stage.problem.question}`);
      const all: Reply[] = [];
      let active: readonly string[] = ids;
      let before: Reply[] = [];
      for (let layer = 0; layer < layers; layer++) {
        if (layer === layers - 1 && ids.length > 3) {
          active = await bestAgents(stage, before, random);
          const chosen = before.filter(({ turn }) => active.includes(turn.call.agent));
          const turns = chosen.map(({ turn }) => turn);
          if (alike && agreedOn(turns, active.length)) return close(stage, all, turns);
          if (alike) before = chosen;
        }
        const replies: Reply[] = [];
        for (const agent of random.shuffle(active)) {
          const heard = random.shuffle(before);
          const [turn] = await stage.say(lineOf(stage, agent, heard));
          if (!turn) continue;
          replies.push({ turn, layer, heard });
          all.push({ turn, layer, heard });
          const turns = replies.map((reply) => reply.turn);
          if (agreedOn(turns, active.length)) return close(stage, all, turns);
        }
        before = replies;
      }
      close(
        stage,
        all,
        before.map(({ turn }) => turn),
      );
    },
    // A limit cut the play short.
    answer: (turns) =>
      winnerOf(
        lastLayer(
          turns.filter(({ call }) => call.agent !== "ranker"),
          ids.length,
        ),
      ),
  });

  function agreedOn(replies: readonly Turn[], of: number): boolean {
    return (votesOf(replies)[0]?.votes ?? 0) > Math.floor((2 * of) / 3);
  }

  function winnerOf(replies: readonly Turn[]): Turn["utterance"] | null {
    const [first] = votesOf(replies);
    const turn = first && replies[first.first];
    return turn ? { ...turn.utterance, text: withoutScores(turn.utterance.text) } : null;
  }

  function close(stage: Stage, all: readonly Reply[], last: readonly Turn[]): void {
    const winner = winnerOf(last);
    stage.conclude(winner);
    onImportance?.(agentImportance(neuronsOf(all, winner?.text ?? "")));
  }

  function neuronsOf(all: readonly Reply[], result: string): Neuron[] {
    const right = reader.read(result);
    const positions = new Map(all.map(({ turn }, i) => [turn, i]));
    return all.map(({ turn, layer, heard }) => {
      const answer = reader.read(withoutScores(turn.utterance.text));
      return {
        agent: turn.call.agent,
        layer,
        heard: heard.map((each) => positions.get(each.turn) as number),
        weights: weightsOf(scoresIn(turn.utterance.text), heard.length),
        agrees: right !== null && answer !== null && reader.same(right, answer),
      };
    });
  }

  function lineOf(stage: Stage, agent: string, heard: readonly Reply[]): Line {
    const question = stage.shown(agent);
    const system = [roleLine(team[ids.indexOf(agent)]), stepByStep, answerForm].filter((part) => part !== "").join(" ");
    const scoring = alike
      ? ""
      : ` Before your answer, score each of the ${heard.length} replies from 1 to 5, in their order, as ${sample(heard.length)}.`;
    const user =
      heard.length === 0
        ? question
        : `${question}\n\n${listed(heard)}\n\nAnswer with the help of these replies; all of them may be wrong.${scoring}`;
    return {
      agent,
      prompt: chat(system, user, shown),
      reads: heard.map(({ turn }) => turn.message),
      ...phaseSettings(protocol.phases.reply, options),
    };
  }

  async function bestAgents(stage: Stage, replies: readonly Reply[], random: Random): Promise<string[]> {
    const shuffled = random.shuffle(replies);
    const [choice] = await stage.say({
      agent: "ranker",
      prompt: chat(
        "Choose the best two replies. End with their numbers as [i, j].",
        `${stage.shown("ranker")}\n\n${listed(shuffled)}`,
        shown,
      ),
      reads: shuffled.map(({ turn }) => turn.message),
      ...phaseSettings(protocol.phases.rank, options),
    });
    const { best, drawn } = bestTwo(choice?.utterance.text ?? "", shuffled.length, random);
    if (drawn) stage.note(drawnNote);
    return best.flatMap((i) => {
      const reply = shuffled[i];
      return reply ? [reply.turn.call.agent] : [];
    });
  }
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

/** Such as `[[1, 5, 2]]`. */
export function sample(count: number): string {
  return `[[${Array.from({ length: count }, (_, i) => [4, 2, 5, 1, 3][i % 5]).join(", ")}]]`;
}
