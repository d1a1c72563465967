import { type Random, type Topology } from "@laconic/core";
import { programTopology, type Line, type Stage, type Turn } from "@laconic/topologies";
import {
  assertsIn,
  codeIn,
  maxAsserts,
  onceEach,
  outputsOf,
  runReply,
  runTests,
  validLines,
} from "../code/run-tests.ts";
import { runnerOf } from "../playing/run-program.ts";
import type { RunProgram } from "../protocols/baseline.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { ownCodeWords, releasedCodeWords, type CodeWords, type Remarker, type SeenProgram } from "./code-words.ts";
import { agentImportance, scoresIn, weightsOf, withoutScores, type Neuron } from "./importance.ts";
import { sentenceBleu } from "./sentence-bleu.ts";
import { bestTwo, drawnNote, layers, rankedBest, type DylanTeam } from "./team.ts";

/** Min BLEU for equal programs. */
const alikeFrom = 90;

const judgeSlots = ["tester", "reflector", "judge-ranker"] as const;

/**
 * DyLAN's code team: judges between layers of writers, and a ranker that selects two writers for the last layer. It
 * stops when over two thirds agree on a program. The answer is drawn from the programs (of all layers) that pass the
 * most of the team's tests, or one fewer if under five do. The released code draws from the first layer only.
 */
export function dylanWriters(team: DylanTeam): Topology {
  const writers = new Writers(team);
  return programTopology({
    name: "dylan",
    agents: [...writers.ids, ...judgeSlots, "ranker"],
    play: (stage) => writers.play(stage),
    answer: (turns) => turns.findLast(({ call }) => call.agent.startsWith("writer-"))?.utterance ?? null,
  });
}

interface Play {
  readonly stage: Stage;
  readonly question: string;
  readonly run: RunProgram;
  readonly random: Random;
  readonly neurons: Neuron[];
  readonly programs: Turn[];
  readonly tests: string[];
}

interface Judgement {
  readonly judge: Remarker | "judge-ranker";
  /** Null for the tool. */
  readonly turn: Turn | null;
  readonly weights: readonly number[];
  /** Text for writers per program; empty for the ranker. */
  readonly remarks: readonly string[];
}

interface Judged {
  readonly judgements: readonly Judgement[];
  readonly passed: readonly number[];
}

class Writers {
  readonly ids: readonly string[];
  readonly #team: DylanTeam;
  readonly #runner: RunProgram;
  readonly #words: CodeWords;

  constructor(team: DylanTeam) {
    const { protocol, options, roles } = team;
    this.ids = roles.map((_, i) => `writer-${i + 1}`);
    this.#team = team;
    this.#runner = runnerOf(protocol, options)!; // set: code protocols run programs
    this.#words = options.script ? releasedCodeWords(options.script) : ownCodeWords(options.answerForm);
  }

  async play(stage: Stage): Promise<void> {
    const { random } = stage;
    const { question } = stage.problem;
    const play: Play = { stage, question, run: onceEach(this.#runner), random, neurons: [], programs: [], tests: [] };
    let active: readonly string[] = this.ids;
    let before: readonly Turn[] = [];
    for (let layer = 0; layer < layers; layer++) {
      if (layer === layers - 1 && this.ids.length > 2) active = await this.#bestWriters(play, before);
      const judged = layer === 0 ? null : await this.#judge(play, before);
      const firstJudge = play.neurons.length;
      const received = before.map((_, i) => firstJudge - before.length + i);
      for (const { judge: agent, weights } of judged?.judgements ?? [])
        play.neurons.push({ agent, layer: 2 * layer - 1, received, weights, agrees: false });
      const programs: Turn[] = [];
      for (const agent of random.shuffle(active)) {
        const order = random.shuffle(judged?.judgements ?? []);
        const [turn] = await stage.say(this.#lineOf(play, agent, before, judged, order));
        if (!turn) continue;
        programs.push(turn);
        play.programs.push(turn);
        play.neurons.push({
          agent,
          layer: 2 * layer,
          received: order.map((judgement) => firstJudge + judged!.judgements.indexOf(judgement)),
          weights: weightsOf(fullScores(order, turn), order.length),
          agrees: false,
        });
        if (layer > 0 && (await consensus(play, programs, active.length))) return this.#finish(play);
      }
      before = programs;
    }
    await this.#finish(play);
  }

  async #finish({ stage, question, run, random, neurons, programs, tests }: Play): Promise<void> {
    const wanted = [...new Set(tests)];
    const ends = await Promise.all(programs.map(({ utterance }) => runTests(question, utterance.text, wanted, run)));
    const passed = ends.map((results) => results.filter((end) => end === null).length);
    const most = Math.max(...passed);
    const best = programs.filter((_, i) => passed[i] === most);
    const drawn = random.pick(best.length < 5 ? programs.filter((_, i) => passed[i]! >= most - 1) : best);
    stage.conclude({ ...drawn.utterance, text: withoutScores(drawn.utterance.text) });
    const last = Math.max(...neurons.map(({ layer }) => layer));
    const written = neurons.filter(({ agent }) => this.ids.includes(agent));
    const weighed = neurons.map((neuron) => {
      const program = programs[written.indexOf(neuron)];
      return { ...neuron, agrees: neuron.layer === last && program !== undefined && alike(question, program, drawn) };
    });
    this.#team.onImportance?.(agentImportance(weighed));
  }

  #bestWriters({ stage, question, random }: Play, programs: readonly Turn[]): Promise<string[]> {
    const shuffled = random.shuffle(programs);
    const codes = shuffled.map(({ utterance }) => this.#words.program(question, utterance.text));
    return rankedBest(stage, shuffled, random, {
      prompt: this.#words.choose(question, codes),
      ...phaseSettings(this.#team.protocol.phases.rank, this.#team.options),
    });
  }

  #lineOf(
    { question }: Play,
    agent: string,
    programs: readonly Turn[],
    judged: Judged | null,
    order: readonly Judgement[],
  ): Line {
    const { protocol, options, roles } = this.#team;
    const role = roles[this.ids.indexOf(agent)];
    const heard = order.flatMap(({ judge: name, turn, remarks }) =>
      name === "judge-ranker" ? [] : { name, turn, remarks },
    );
    const shown = judged?.passed ?? [];
    const seen = shown.map((i): SeenProgram => ({
      text: this.#words.program(question, programs[i]!.utterance.text),
      remarks: new Map(heard.map(({ name, remarks }) => [name, remarks[i] ?? ""])),
    }));
    const reads = [...shown.map((i) => programs[i]!), ...heard.flatMap(({ turn }) => turn ?? [])];
    return {
      agent,
      prompt: judged ? this.#words.rewrite(role, question, seen) : this.#words.write(role, question),
      reads: reads.map(({ message }) => message),
      ...phaseSettings(protocol.phases.reply, options),
    };
  }

  /**
   * The passer runs each program. The tester writes assertions without seeing programs. The reflector comments and
   * scores; the ranker selects two.
   */
  async #judge({ stage, question, run, random, tests: allTests }: Play, programs: readonly Turn[]): Promise<Judged> {
    const words = this.#words;
    const settings = phaseSettings(this.#team.protocol.phases.judge, this.#team.options);
    const positions = [...programs.keys()];
    const [toReflector, toRanker] = [random.shuffle(positions), random.shuffle(positions)];
    const codes = programs.map(({ utterance }) => words.program(question, utterance.text));
    const lineTo = (agent: string, order: readonly number[], asking: CodeWords["reflect"]): Line => ({
      agent,
      prompt: asking(
        question,
        order.map((i) => codes[i]!),
      ),
      reads: order.map((i) => programs[i]!.message),
      ...settings,
    });
    const ranks = programs.length > 2;
    const [tested, reflected, ranked] = await stage.say(
      { agent: "tester", prompt: words.test(question), ...settings },
      lineTo("reflector", toReflector, words.reflect),
      ...(ranks ? [lineTo("judge-ranker", toRanker, words.rank)] : []),
    );
    const asserts = assertsIn(tested?.utterance.text ?? "");
    const valid = words.failures === "errors" ? asserts : await validLines(asserts, run);
    const tests = valid.slice(0, maxAsserts);
    allTests.push(...tests);
    const replies = programs.map(({ utterance }) => utterance.text);
    const [alone, results] = await Promise.all([
      Promise.all(replies.map((reply) => runReply(question, reply, run))),
      Promise.all(replies.map((reply) => runTests(question, reply, tests, run))),
    ]);
    const failures =
      words.failures === "errors"
        ? results
        : await Promise.all(replies.map((reply, i) => outputsOf(question, reply, tests, results[i] ?? [], run)));
    const { best, drawn } = ranks
      ? bestTwo(ranked?.utterance.text ?? "", programs.length, random)
      : { best: positions, drawn: false };
    if (drawn) stage.note(drawnNote);
    const passed = ranks ? best.map((i) => toRanker[i]!) : best;
    const reflection = reflected?.utterance.text ?? "";
    const [thoughts, marks] = [words.reflections(reflection, programs.length), scoresIn(reflection)];
    const judgement = (
      judge: Judgement["judge"],
      turn: Turn | undefined,
      scores: readonly number[],
      remarks: readonly string[],
    ): Judgement => ({ judge, turn: turn ?? null, weights: weightsOf(scores, programs.length), remarks });
    const shares = results.map((ends) =>
      Math.ceil((5 * ends.filter((end) => end === null).length) / Math.max(1, tests.length)),
    );
    const reported = failures.map((ends) => words.tested(tests.map((test, j) => ({ test, failure: ends[j] ?? null }))));
    const own = marks.length === programs.length ? positions.map((i) => marks[toReflector.indexOf(i)]!) : [];
    const comments = positions.map((i) => thoughts[toReflector.indexOf(i)] ?? "");
    const judgements = [
      judgement("passer", undefined, passScores(alone.map((end) => end === null)), alone.map(words.ran)),
      judgement("tester", tested, shares, reported),
      judgement("reflector", reflected, own, comments),
      judgement("judge-ranker", ranked, passScores(positions.map((i) => passed.includes(i))), []),
    ];
    return { judgements, passed: passed.toSorted((a, b) => a - b) };
  }
}

function passScores(passes: readonly boolean[]): number[] {
  return passes.map((pass) => (pass ? 5 : 0));
}

async function consensus({ question, run }: Play, programs: readonly Turn[], writers: number): Promise<boolean> {
  const needed = Math.floor((2 * writers) / 3);
  if (programs.length <= needed) return false;
  const ends = await Promise.all(programs.map(({ utterance }) => runReply(question, utterance.text, run)));
  const running = programs.filter((_, i) => ends[i] === null);
  return running.some((one) => running.filter((other) => alike(question, one, other)).length > needed);
}

function alike(question: string, a: Turn, b: Turn): boolean {
  const [one, other] = [codeIn(question, a.utterance.text), codeIn(question, b.utterance.text)];
  return one === other || sentenceBleu(one, other) >= alikeFrom;
}

/** A writer's scores of the judges, 3 for the ranker. Empty unless complete. */
function fullScores(order: readonly Judgement[], { utterance }: Turn): number[] {
  const scores = scoresIn(utterance.text);
  if (scores.length !== order.length - 1) return [];
  return order.map(({ judge }) => (judge === "judge-ranker" ? 3 : scores.shift()!));
}
