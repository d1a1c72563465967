import type { Prompt, Random, Topology, Utterance } from "@laconic/core";
import { programTopology, quote, type Stage, type Turn } from "@laconic/topologies";
import { codeIn, onceEach, words } from "../code/run-tests.ts";
import { askOn } from "../playing/ask.ts";
import { runnerOf } from "../playing/run-program.ts";
import { countVotes } from "../playing/vote.ts";
import { chat, roleLine, stepByStep } from "../prompts/chat.ts";
import { sizeOf, type BaselineOptions, type RunProgram } from "../protocols/baseline.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import { edgesOf, type EdgeSet } from "./edges.ts";
import { onExamples, printingAnswer, pruneDecision, prunePrompt, withReturned } from "./script-prompts.ts";
import type { Heard, OnExamples } from "./script-prompts.ts";

export type AgentPrunePhase = "reply" | "decision";

interface Output {
  readonly agent: string;
  readonly role: Role;
  readonly turn: Turn;
  readonly note: string;
  readonly returned: string | null;
  readonly tried: OnExamples | null;
}

interface Received {
  readonly now: readonly Output[];
  readonly before: readonly Output[];
}

interface Round {
  readonly stage: Stage;
  readonly run: RunProgram | null;
  readonly edges: EdgeSet;
  /** Outputs by agent in this round, and in the last one. */
  readonly outputs: (Output | undefined)[];
  readonly last: readonly (Output | undefined)[];
}

/**
 * Team that exchanges messages along a graph, then decides. A program that passes the question's examples is forwarded
 * without calls.
 * @param graph - for all rounds, or a function that draws one per round
 */
export function graphTeam(
  protocol: Protocol<AgentPrunePhase>,
  options: BaselineOptions,
  graph: EdgeSet | ((random: Random) => EdgeSet),
): Topology {
  const team = new GraphTeam(protocol, options);
  return programTopology({
    name: "agentprune",
    agents: [...team.ids, "decision"],
    play: (stage) => team.play(stage, () => (typeof graph === "function" ? graph(stage.random) : graph)),
    answer: (turns) => team.cutShort(turns),
  });
}

class GraphTeam {
  readonly ids: readonly string[];
  readonly #protocol: Protocol<AgentPrunePhase>;
  readonly #options: BaselineOptions;
  readonly #runner: RunProgram | null;
  readonly #rounds: number;
  readonly #roles: readonly Role[];

  constructor(protocol: Protocol<AgentPrunePhase>, options: BaselineOptions) {
    const { agents, rounds } = sizeOf(protocol, options);
    this.ids = Array.from({ length: agents }, (_, i) => `agent-${i + 1}`);
    this.#protocol = protocol;
    this.#options = options;
    this.#runner = runnerOf(protocol, options);
    this.#rounds = rounds;
    this.#roles = protocol.roles.filter(({ slot }) => slot !== "decision");
  }

  async play(stage: Stage, draw: () => EdgeSet): Promise<void> {
    const run = this.#runner && onceEach(this.#runner);
    let last: Round["outputs"] = [];
    let forwarded = 0;
    for (let i = 0; i < this.#rounds; i++) {
      const round: Round = { stage, run, edges: draw(), outputs: this.ids.map(() => undefined), last };
      for (const wave of wavesOf(round.edges.spatial)) forwarded += await this.#speak(round, wave);
      last = round.outputs;
    }
    if (forwarded > 0) stage.note(`forwarded: ${forwarded}`);
    const final = last.flatMap((output) => output ?? []);
    await this.#decide(stage, final);
  }

  cutShort(turns: readonly Turn[]): Utterance | null {
    const last = turns.filter(({ call }) => call.agent !== "decision").slice(-this.ids.length);
    return this.#voted(
      last.map((turn) => {
        const { agent } = turn.call;
        return { agent, role: this.#roleOf(this.ids.indexOf(agent)), turn, note: "", returned: null, tried: null };
      }),
    );
  }

  /** Runs a wave concurrently. @returns number of forwarded solutions */
  async #speak({ stage, run, edges, outputs, last }: Round, wave: readonly number[]): Promise<number> {
    const asked: { readonly i: number; readonly received: Received }[] = [];
    for (const i of wave) {
      const now = predecessors(edges.spatial, i).flatMap((from) => outputs[from] ?? []);
      const before = predecessors(edges.temporal, i).flatMap((from) => last[from] ?? []);
      const solved = [...now, ...before].find(({ tried }) => tried?.solved);
      if (solved) outputs[i] = { ...solved, agent: this.ids[i]!, role: this.#roleOf(i) };
      else asked.push({ i, received: { now, before } });
    }
    if (asked.length === 0) return wave.length;
    const turns = await stage.say(
      ...asked.map(({ i, received }) => ({
        agent: this.ids[i]!,
        prompt: this.#prompt(stage.shown(this.ids[i]!), this.#roleOf(i), received),
        reads: turnsOf([...received.now, ...received.before]).map(({ message }) => message),
        ...phaseSettings(this.#protocol.phases.reply, this.#options),
      })),
    );
    await Promise.all(
      asked.map(async ({ i }, position) => {
        const turn = turns[position];
        if (turn) outputs[i] = await this.#outputOf(stage.problem.question, run, i, turn);
      }),
    );
    return wave.length - asked.length;
  }

  async #decide(stage: Stage, final: readonly Output[]): Promise<void> {
    const { answerForm, reader, script } = this.#options;
    const question = stage.shown("decision");
    const system = `Decide on the answer from what the agents wrote. ${answerForm}`;
    const prompt = script
      ? pruneDecision(script, question, this.#heard(final))
      : chat(system, this.#user(question, undefined, { now: final, before: [] }));
    const decided = await askOn(stage, this.#protocol, this.#options)("decision", "decision", prompt, turnsOf(final));
    const answers = decided && reader.read(decided.utterance.text) !== null;
    const chosen = answers ? decided.utterance : this.#voted(final);
    if (chosen) stage.conclude(chosen);
  }

  #roleOf(i: number): Role {
    return this.#roles[i % this.#roles.length]!;
  }

  #prompt(question: string, role: Role, received: Received): Prompt {
    const { script, answerForm, reader } = this.#options;
    if (!script) {
      const answering = role.runs || role.answers === false ? [] : [stepByStep, answerForm];
      const system = [roleLine(role), ...answering].filter((part) => part !== "").join(" ");
      return chat(system, this.#user(question, role, received));
    }
    const [now, before] = [this.#heard(received.now), this.#heard(received.before)];
    const answers = [...now, ...before].flatMap(({ text }) => reader.read(text) ?? []);
    return prunePrompt(script, role.title ?? "", question, role.hears === "answers" ? { answers } : { now, before });
  }

  #heard(outputs: readonly Output[]): Heard[] {
    const { script } = this.#options;
    return outputs.map(({ agent, role, turn, returned, tried }) => {
      const { text } = turn.utterance;
      const whole = script && returned !== null ? withReturned(script, text, returned) : text;
      return { number: this.ids.indexOf(agent), role, text: whole, tried };
    });
  }

  #user(question: string, role: Role | undefined, { now, before }: Received): string {
    if (role?.hears === "answers") {
      const answers = [...now, ...before].flatMap((output) => this.#options.reader.read(textOf(output)) ?? []);
      const hint = `(Hint: the answer is near to ${answers.map(words).join(", ")}.)`;
      return answers.length === 0 ? question : `${question}\n\n${hint}`;
    }
    const earlier = before.length === 0 ? [] : ["In the round before:", ...before.map(shown)];
    return [question, ...now.map(shown), ...earlier].join("\n\n");
  }

  async #outputOf(question: string, run: RunProgram | null, i: number, turn: Turn): Promise<Output> {
    const { text: reply, silent } = turn.utterance;
    const { script } = this.#options;
    const role = this.#roleOf(i);
    const output = { agent: this.ids[i]!, role, turn, note: "", returned: null, tried: null };
    if (silent || !run) return output;
    if (role.runs) {
      const program = codeIn(question, reply);
      const { output: printed, error } = await run(script ? printingAnswer(program) : program);
      const result = words(error ?? printed);
      if (error !== null)
        return { ...output, note: `The program failed: ${result}`, returned: `Error occurred: ${result}` };
      const note = result === "" ? "The program prints nothing." : `The answer is ${result}`;
      return { ...output, note, returned: result || "None" };
    }
    const writesCode = this.#protocol.families.includes("code");
    const tried = writesCode ? await onExamples(question, reply, run, script) : null;
    return { ...output, note: tried?.feedback ?? "", tried };
  }

  #voted(outputs: readonly Output[]): Utterance | null {
    const voters = outputs.filter(({ role, tried }) => tried?.solved || role.answers !== false);
    const texts = voters.map(textOf);
    const [winner] = countVotes(texts, this.#options.reader);
    const output = winner && voters[winner.first];
    return output ? { ...output.turn.utterance, text: texts[winner.first] ?? "" } : null;
  }
}

/** Reply with its result line; programs for code questions have none. */
function textOf({ turn, note, tried }: Output): string {
  return note.startsWith("The answer is") && !tried?.solved ? `${turn.utterance.text}\n${note}` : turn.utterance.text;
}

function shown({ agent, role: { title }, turn, note }: Output): string {
  const author = `Agent ${agent}${title === undefined ? "" : `, ${title},`}`;
  return `${author} wrote:\n${quote(turn.utterance.text)}${note === "" ? "" : `\n${quote(note)}`}`;
}

function turnsOf(outputs: readonly Output[]): Turn[] {
  return [...new Set(outputs.map(({ turn }) => turn))];
}

function predecessors(mask: EdgeSet["spatial"], to: number): number[] {
  return edgesOf(mask).flatMap((edge) => (edge.to === to ? [edge.from] : []));
}

/** Waves of agents; predecessors are in earlier waves. */
function wavesOf(spatial: EdgeSet["spatial"]): number[][] {
  const waiting = new Set(spatial.keys());
  const waves: number[][] = [];
  while (waiting.size > 0) {
    const wave = [...waiting].filter((to) => ![...waiting].some((from) => spatial[from]?.[to]));
    for (const i of wave) waiting.delete(i);
    waves.push(wave);
  }
  return waves;
}
