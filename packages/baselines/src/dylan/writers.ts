import { randomFromSeed, type Random, type Topology } from "@laconic/core";
import { programTopology, quote, type Stage, type Turn } from "@laconic/topologies";
import type { BaselineOptions, RunProgram } from "../protocols/baseline.ts";
import { codeIn } from "../code/code-in.ts";
import { onceEach, runReply, runTests } from "../code/run-tests.ts";
import { chat, roleLine } from "../prompts/chat.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import { bestTwo, drawnNote } from "./best-two.ts";
import { sample, type DylanPhase, type OnImportance } from "./debate.ts";
import { agentImportance, scoresIn, weightsOf, withoutScores, type Neuron } from "./importance.ts";
import { judge, type Judged, type Judgement } from "./judges.ts";
import { runnerOf } from "../playing/run-program.ts";
import { sentenceBleu } from "./sentence-bleu.ts";

const layers = 3;

/** BLEU from which on two programs are one answer. */
const alikeFrom = 90;

/** Judges that are asked; the passer is a tool. */
const judgeSlots = ["tester", "reflector", "judge-ranker"] as const;

/** Everything of a play: programs and judgements, in the order in which they came. */
interface Play {
  readonly neurons: Neuron[];
  readonly programs: Turn[];
  readonly tests: string[];
}

const judgeNames: Readonly<Record<Judgement["judge"], string>> = {
  passer: "Syntax check",
  tester: "Unit tests",
  reflector: "Reflection",
  "judge-ranker": "Ranking",
};

/**
 * DyLAN's code team: layers of writers with a layer of judges between two, who read programs while writers read judges. Before the
 * last layer a ranker names the two writers who go on. From the second layer on it stops when more than two thirds of the writers have
 * one program. The answer is drawn from the programs of all layers that pass most of the tests that the team wrote itself; where fewer
 * than five do, those that pass one less are in the draw. The released code draws from the first layer alone.
 */
export function dylanWriters(
  protocol: Protocol<DylanPhase>,
  options: BaselineOptions,
  team: readonly Role[],
  onImportance?: OnImportance,
): Topology {
  const { answerForm } = options;
  const runner = runnerOf(protocol, options) as RunProgram; // a code protocol runs programs
  const ids = team.map((_, i) => `writer-${i + 1}`);
  return programTopology({
    name: "dylan",
    agents: [...ids, ...judgeSlots, "ranker"],
    play: async (stage) => {
      const { question } = stage.problem;
      const run = onceEach(runner);
      const random = randomFromSeed(`dylan/${stage.problem.id}/${question}`);
      const play: Play = { neurons: [], programs: [], tests: [] };
      let active: readonly string[] = ids;
      let before: Turn[] = [];
      for (let layer = 0; layer < layers; layer++) {
        if (layer === layers - 1 && ids.length > 2) active = await bestWriters(stage, before, random);
        const judged =
          layer === 0 ? null : await judge(stage, before, phaseSettings(protocol.phases.judge, options), run, random);
        const firstJudge = play.neurons.length;
        if (judged) addJudges(play, judged, before.length, 2 * layer - 1);
        const programs: Turn[] = [];
        for (const agent of random.shuffle(active)) {
          const order = random.shuffle(judged?.judgements ?? []);
          const [turn] = await stage.say(lineOf(stage, agent, before, judged, order));
          if (!turn) continue;
          programs.push(turn);
          play.programs.push(turn);
          play.neurons.push({
            agent,
            layer: 2 * layer,
            heard: order.map((each) => firstJudge + (judged as Judged).judgements.indexOf(each)),
            weights: weightsOf(fullScores(order, turn), order.length),
            agrees: false,
          });
          if (layer > 0 && (await consensus(question, programs, active.length, run)))
            return finish(stage, play, random, run);
        }
        before = programs;
      }
      await finish(stage, play, random, run);
    },
    // A limit cut the play short.
    answer: (turns) => turns.findLast(({ call }) => call.agent.startsWith("writer-"))?.utterance ?? null,
  });

  /** Whether more than two thirds of the writers have one program, among those that run. */
  async function consensus(question: string, programs: readonly Turn[], of: number, run: RunProgram): Promise<boolean> {
    const needed = Math.floor((2 * of) / 3);
    if (programs.length <= needed) return false;
    const ends = await Promise.all(programs.map(({ utterance }) => runReply(question, utterance.text, run)));
    const running = programs.filter((_, i) => ends[i] === null);
    return running.some((each) => running.filter((other) => alike(each, other)).length > needed);
  }

  async function finish(
    stage: Stage,
    { neurons, programs, tests }: Play,
    random: Random,
    run: RunProgram,
  ): Promise<void> {
    const { question } = stage.problem;
    const wanted = [...new Set(tests)];
    const ends = await Promise.all(programs.map(({ utterance }) => runTests(question, utterance.text, wanted, run)));
    const passed = ends.map((each) => each.filter((end) => end === null).length);
    const most = Math.max(...passed);
    const best = programs.filter((_, i) => passed[i] === most);
    const drawn = random.pick(best.length < 5 ? programs.filter((_, i) => (passed[i] as number) >= most - 1) : best);
    stage.conclude({ ...drawn.utterance, text: withoutScores(drawn.utterance.text) });
    const last = Math.max(...neurons.map(({ layer }) => layer));
    const written = neurons.filter(({ agent }) => ids.includes(agent));
    onImportance?.(
      agentImportance(
        neurons.map((each) => {
          const program = programs[written.indexOf(each)];
          return { ...each, agrees: each.layer === last && program !== undefined && alike(program, drawn) };
        }),
      ),
    );
  }

  async function bestWriters(stage: Stage, programs: readonly Turn[], random: Random): Promise<string[]> {
    const shuffled = random.shuffle(programs);
    const listed = shuffled
      .map(({ utterance }, i) => `Program ${i + 1}:\n${quote(codeIn(utterance.text))}`)
      .join("\n\n");
    const [choice] = await stage.say({
      agent: "ranker",
      prompt: chat(
        "Choose the best two programs. End with their numbers as [i, j].",
        `${stage.problem.question}\n\n${listed}`,
      ),
      reads: shuffled.map(({ message }) => message),
      ...phaseSettings(protocol.phases.rank, options),
    });
    const { best, drawn } = bestTwo(choice?.utterance.text ?? "", shuffled.length, random);
    if (drawn) stage.note(drawnNote);
    return best.map((i) => (shuffled[i] as Turn).call.agent);
  }

  function lineOf(
    stage: Stage,
    agent: string,
    programs: readonly Turn[],
    judged: Judged | null,
    order: readonly Judgement[],
  ) {
    const { question } = stage.problem;
    const system = [roleLine(team[ids.indexOf(agent)]), answerForm].filter((part) => part !== "").join(" ");
    const others = order.filter(({ judge: name }) => name !== "judge-ranker");
    const shown = judged?.passed ?? [];
    const parts = shown.map((i, place) =>
      [
        `Program ${place + 1}:\n${quote(codeIn((programs[i] as Turn).utterance.text))}`,
        ...others.map(
          ({ judge: name, remarks }) => `${judgeNames[name]} of program ${place + 1}:\n${remarks[i] ?? ""}`,
        ),
      ].join("\n\n"),
    );
    const names = others.map(({ judge: name }) => judgeNames[name].toLowerCase()).join(", ");
    const user = judged
      ? `${question}\n\n${parts.join("\n\n")}\n\nWrite a better program, or the same where nothing is wrong. Before it, score how much each of these helped from 1 to 5, as ${sample(others.length)}: ${names}.`
      : question;
    return {
      agent,
      prompt: chat(system, user),
      reads: [
        ...shown.map((i) => (programs[i] as Turn).message),
        ...others.flatMap(({ turn }) => (turn ? [turn.message] : [])),
      ],
      ...phaseSettings(protocol.phases.reply, options),
    };
  }
}

function alike(a: Turn, b: Turn): boolean {
  const [one, other] = [codeIn(a.utterance.text), codeIn(b.utterance.text)];
  return one === other || sentenceBleu(one, other) >= alikeFrom;
}

/** Scores of what a writer heard; the ranker is not scored by it and counts 3. Without the others' there is none. */
function fullScores(order: readonly Judgement[], { utterance }: Turn): number[] {
  const given = scoresIn(utterance.text);
  if (given.length !== order.length - 1) return [];
  return order.map(({ judge: name }) => (name === "judge-ranker" ? 3 : (given.shift() as number)));
}

/** Judges weigh all programs of the layer before, which are the last that were written. */
function addJudges({ neurons, tests }: Play, judged: Judged, programs: number, layer: number): void {
  const heard = Array.from({ length: programs }, (_, i) => neurons.length - programs + i);
  for (const { judge: agent, weights } of judged.judgements)
    neurons.push({ agent, layer, heard, weights, agrees: false });
  tests.push(...judged.tests);
}
