import { randomFromSeed, type Random, type Topology } from "@laconic/core";
import { programTopology, type Line, type Stage, type Turn } from "@laconic/topologies";
import {
  codeIn,
  assertsIn,
  maxAsserts,
  onceEach,
  runReply,
  runTests,
  outputsOf,
  validLines,
  type Ending,
} from "../code/run-tests.ts";
import { runnerOf } from "../playing/run-program.ts";
import type { BaselineOptions, RunProgram } from "../protocols/baseline.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import {
  rankedBest,
  bestTwo,
  drawnNote,
  agentImportance,
  scoresIn,
  weightsOf,
  withoutScores,
  type Neuron,
} from "./importance.ts";
import { ownCodeWords, type CodeWords, type SeenProgram, releasedCodeWords, type Remarker } from "./code-words.ts";
import type { DylanPhase, OnImportance } from "./debate.ts";
import { sentenceBleu } from "./sentence-bleu.ts";

const layers = 3;

/** BLEU from which on two programs are one answer. */
const alikeFrom = 90;

/** Judges that are asked; the passer is a tool. */
const judgeSlots = ["tester", "reflector", "judge-ranker"] as const;

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
  const writers = new Writers(protocol, options, team, onImportance);
  return programTopology({
    name: "dylan",
    agents: [...writers.ids, ...judgeSlots, "ranker"],
    play: (stage) => writers.play(stage),
    // A limit cut the play short.
    answer: (turns) => turns.findLast(({ call }) => call.agent.startsWith("writer-"))?.utterance ?? null,
  });
}

/** What a play goes on with, and what of it the end needs: programs and judgements, in the order in which they came. */
interface Play {
  readonly stage: Stage;
  readonly run: RunProgram;
  readonly random: Random;
  readonly neurons: Neuron[];
  readonly programs: Turn[];
  readonly tests: string[];
}

class Writers {
  readonly ids: readonly string[];
  readonly #protocol: Protocol<DylanPhase>;
  readonly #options: BaselineOptions;
  readonly #team: readonly Role[];
  readonly #onImportance: OnImportance | undefined;
  readonly #runner: RunProgram;
  readonly #words: CodeWords;

  constructor(
    protocol: Protocol<DylanPhase>,
    options: BaselineOptions,
    team: readonly Role[],
    onImportance: OnImportance | undefined,
  ) {
    this.ids = team.map((_, i) => `writer-${i + 1}`);
    this.#protocol = protocol;
    this.#options = options;
    this.#team = team;
    this.#onImportance = onImportance;
    this.#runner = runnerOf(protocol, options) as RunProgram; // a code protocol runs programs
    this.#words = options.script ? releasedCodeWords(options.script) : ownCodeWords(options.answerForm);
  }

  async play(stage: Stage): Promise<void> {
    const { id, question } = stage.problem;
    const random = randomFromSeed(`dylan/${id}/${question}`);
    const play: Play = { stage, run: onceEach(this.#runner), random, neurons: [], programs: [], tests: [] };
    const judging = phaseSettings(this.#protocol.phases.judge, this.#options);
    let active: readonly string[] = this.ids;
    let before: readonly Turn[] = [];
    for (let layer = 0; layer < layers; layer++) {
      if (layer === layers - 1 && this.ids.length > 2) active = await this.#bestWriters(play, before);
      const judged = layer === 0 ? null : await judge(stage, before, judging, play.run, random, this.#words);
      const firstJudge = play.neurons.length;
      if (judged) addJudges(play, judged, before.length, 2 * layer - 1);
      const programs: Turn[] = [];
      for (const agent of random.shuffle(active)) {
        const order = random.shuffle(judged?.judgements ?? []);
        const [turn] = await stage.say(this.#lineOf(stage, agent, before, judged, order));
        if (!turn) continue;
        programs.push(turn);
        play.programs.push(turn);
        play.neurons.push({
          agent,
          layer: 2 * layer,
          received: order.map((each) => firstJudge + (judged as Judged).judgements.indexOf(each)),
          weights: weightsOf(fullScores(order, turn), order.length),
          agrees: false,
        });
        if (layer > 0 && (await consensus(play, programs, active.length))) return this.#finish(play);
      }
      before = programs;
    }
    await this.#finish(play);
  }

  async #finish({ stage, run, random, neurons, programs, tests }: Play): Promise<void> {
    const { question } = stage.problem;
    const wanted = [...new Set(tests)];
    const ends = await Promise.all(programs.map(({ utterance }) => runTests(question, utterance.text, wanted, run)));
    const passed = ends.map((each) => each.filter((end) => end === null).length);
    const most = Math.max(...passed);
    const best = programs.filter((_, i) => passed[i] === most);
    const drawn = random.pick(best.length < 5 ? programs.filter((_, i) => (passed[i] as number) >= most - 1) : best);
    stage.conclude({ ...drawn.utterance, text: withoutScores(drawn.utterance.text) });
    const last = Math.max(...neurons.map(({ layer }) => layer));
    const written = neurons.filter(({ agent }) => this.ids.includes(agent));
    this.#onImportance?.(
      agentImportance(
        neurons.map((each) => {
          const program = programs[written.indexOf(each)];
          return { ...each, agrees: each.layer === last && program !== undefined && alike(question, program, drawn) };
        }),
      ),
    );
  }

  #bestWriters({ stage, random }: Play, programs: readonly Turn[]): Promise<string[]> {
    const { question } = stage.problem;
    const shuffled = random.shuffle(programs);
    return rankedBest(stage, shuffled, random, {
      prompt: this.#words.choose(
        question,
        shuffled.map(({ utterance }) => this.#words.program(question, utterance.text)),
      ),
      ...phaseSettings(this.#protocol.phases.rank, this.#options),
    });
  }

  #lineOf(
    stage: Stage,
    agent: string,
    programs: readonly Turn[],
    judged: Judged | null,
    order: readonly Judgement[],
  ): Line {
    const { question } = stage.problem;
    const role = this.#team[this.ids.indexOf(agent)];
    const heard = order.flatMap(({ judge: name, turn, remarks }) =>
      name === "judge-ranker" ? [] : { name, turn, remarks },
    );
    const shown = judged?.passed ?? [];
    const seen = shown.map((i): SeenProgram => ({
      text: this.#words.program(question, (programs[i] as Turn).utterance.text),
      remarks: new Map(heard.map(({ name, remarks }) => [name, remarks[i] ?? ""])),
    }));
    return {
      agent,
      prompt: judged ? this.#words.rewrite(role, question, seen) : this.#words.write(role, question),
      reads: [
        ...shown.map((i) => (programs[i] as Turn).message),
        ...heard.flatMap(({ turn }) => (turn ? [turn.message] : [])),
      ],
      ...phaseSettings(this.#protocol.phases.reply, this.#options),
    };
  }
}

async function consensus({ stage, run }: Play, programs: readonly Turn[], writers: number): Promise<boolean> {
  const { question } = stage.problem;
  const needed = Math.floor((2 * writers) / 3);
  if (programs.length <= needed) return false;
  const ends = await Promise.all(programs.map(({ utterance }) => runReply(question, utterance.text, run)));
  const running = programs.filter((_, i) => ends[i] === null);
  return running.some((each) => running.filter((other) => alike(question, each, other)).length > needed);
}

function alike(question: string, a: Turn, b: Turn): boolean {
  const [one, other] = [a, b].map(({ utterance }) => codeIn(question, utterance.text)) as [string, string];
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
  const received = Array.from({ length: programs }, (_, i) => neurons.length - programs + i);
  for (const { judge: agent, weights } of judged.judgements)
    neurons.push({ agent, layer, received, weights, agrees: false });
  tests.push(...judged.tests);
}

/** What one judge says of programs. */
export interface Judgement {
  readonly judge: Remarker | "judge-ranker";
  /** Null for the tool, which costs no call. */
  readonly turn: Turn | null;
  readonly weights: readonly number[];
  /** What writers read of each program; the ranker's remark is whom it leaves out. */
  readonly remarks: readonly string[];
}

/** What the judges of a layer say. */
export interface Judged {
  readonly judgements: readonly Judgement[];
  /** Programs that the ranker lets through, by position. */
  readonly passed: readonly number[];
  /** Assertions that the tester wrote. */
  readonly tests: readonly string[];
}

/** How judges ask: the settings of their lines. */
export type JudgeSettings = Pick<Line, "maxTokens" | "temperature">;

/**
 * DyLAN's four judges of programs. The passer runs each one; the tester writes assertions without having seen any, which are run on
 * each; the reflector comments and scores; the ranker names the best two.
 */
async function judge(
  stage: Stage,
  programs: readonly Turn[],
  settings: JudgeSettings,
  run: RunProgram,
  random: Random,
  words: CodeWords,
): Promise<Judged> {
  const { question } = stage.problem;
  const codes = programs.map(({ utterance }) => words.program(question, utterance.text));
  const inOrder = (order: readonly number[] = []): string[] => order.map((i) => codes[i] as string);
  const [toReflector, toRanker] = [0, 1].map(() => random.shuffle(programs.map((_, i) => i)));
  const ranks = programs.length > 2;
  const read = (order: readonly number[] = []) => order.map((i) => (programs[i] as Turn).message);
  const [tested, reflected, ranked] = await stage.say(
    { agent: "tester", prompt: words.test(question), ...settings },
    {
      agent: "reflector",
      prompt: words.reflect(question, inOrder(toReflector)),
      reads: read(toReflector),
      ...settings,
    },
    ...(ranks
      ? [
          {
            agent: "judge-ranker",
            prompt: words.rank(question, inOrder(toRanker)),
            reads: read(toRanker),
            ...settings,
          },
        ]
      : []),
  );
  const { tests, alone, results, failures } = await runAll(
    question,
    programs,
    tested?.utterance.text ?? "",
    run,
    words,
  );
  const { best, drawn } = ranks
    ? bestTwo(ranked?.utterance.text ?? "", programs.length, random)
    : { best: programs.map((_, i) => i), drawn: false };
  if (drawn) stage.note(drawnNote);
  const passed = ranks ? best.map((i) => (toRanker as number[])[i] as number) : best;
  const thoughts = words.reflections(reflected?.utterance.text ?? "", programs.length);
  const marks = scoresIn(reflected?.utterance.text ?? "");
  const placeOf = (i: number): number => (toReflector as number[]).indexOf(i);
  const judgements: Judgement[] = [
    {
      judge: "passer",
      turn: null,
      weights: scored(programs.map((_, i) => (alone[i] === null ? 5 : 0))),
      remarks: alone.map(words.ran),
    },
    {
      judge: "tester",
      turn: tested ?? null,
      weights: scored(results.map((ends) => Math.ceil((5 * passedOf(ends)) / Math.max(1, tests.length)))),
      remarks: failures.map((ends) => words.tested(tests.map((test, j) => ({ test, failure: ends[j] ?? null })))),
    },
    {
      judge: "reflector",
      turn: reflected ?? null,
      weights: scored(marks.length === programs.length ? programs.map((_, i) => marks[placeOf(i)] as number) : []),
      remarks: programs.map((_, i) => thoughts[placeOf(i)] ?? ""),
    },
    {
      judge: "judge-ranker",
      turn: ranked ?? null,
      weights: scored(programs.map((_, i) => (passed.includes(i) ? 5 : 0))),
      remarks: [],
    },
  ];
  return { judgements, passed: passed.toSorted((a, b) => a - b), tests };

  function scored(scores: readonly number[]): number[] {
    return weightsOf(scores, programs.length);
  }
}

async function runAll(
  question: string,
  programs: readonly Turn[],
  tester: string,
  run: RunProgram,
  words: CodeWords,
): Promise<{
  readonly tests: readonly string[];
  readonly alone: readonly Ending[];
  /** Of each program, how each test ended, and what is shown of one that failed. */
  readonly results: readonly (readonly Ending[])[];
  readonly failures: readonly (readonly (string | null)[])[];
}> {
  const asserts = assertsIn(tester);
  const valid = words.failures === "errors" ? asserts : await validLines(asserts, run);
  const tests = valid.slice(0, maxAsserts);
  const replies = programs.map(({ utterance }) => utterance.text);
  const [alone, results] = await Promise.all([
    Promise.all(replies.map((reply) => runReply(question, reply, run))),
    Promise.all(replies.map((reply) => runTests(question, reply, tests, run))),
  ]);
  if (words.failures === "errors") return { tests, alone, results, failures: results };
  const outputs = replies.map((reply, i) => outputsOf(question, reply, tests, results[i] ?? [], run));
  return { tests, alone, results, failures: await Promise.all(outputs) };
}

function passedOf(ends: readonly Ending[]): number {
  return ends.filter((end) => end === null).length;
}
