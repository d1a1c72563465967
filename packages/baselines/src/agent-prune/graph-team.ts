import type { Problem, Prompt, Topology } from "@laconic/core";
import { programTopology, quote, type Stage, type Turn } from "@laconic/topologies";
import { sizeOf, type BaselineOptions, type RunProgram } from "../protocols/baseline.ts";
import { codeIn, onceEach, words } from "../code/run-tests.ts";
import { chat, roleLine, stepByStep } from "../prompts/chat.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import { runnerOf } from "../playing/run-program.ts";
import { countVotes } from "../playing/vote.ts";
import { edgesOf, type EdgeSet } from "./edges.ts";
import { onExamples, type OnExamples } from "./on-examples.ts";
import { printingAnswer, pruneDecision, prunePrompt, withReturned, type Heard } from "./script-prompts.ts";

/** Kinds of calls: an agent's reply, and the decision. */
export type AgentPrunePhase = "reply" | "decision";

/** The graph of a round; one that is drawn anew for each is a function of the problem. */
export type Graph = EdgeSet | ((problem: Problem) => () => EdgeSet);

/** What an agent holds after a round: its reply, or one that it passes on, and what came of running it. */
interface Output {
  readonly agent: string;
  readonly role: Role;
  readonly turn: Turn;
  /** What a tool says of it, one line. */
  readonly note: string;
  /** What its program came to, where it was run for its answer. */
  readonly returned: string | null;
  /** Of a program for a code question: how it did on the question's examples. */
  readonly tried: OnExamples | null;
}

/**
 * A team that talks along the edges of a graph, round by round, each agent once it has heard its predecessors; then a decision. Programs
 * of a code question are run on the examples that it has: an agent that hears one which passes them all passes it on, which costs no
 * call.
 */
export function graphTeam(protocol: Protocol<AgentPrunePhase>, options: BaselineOptions, graph: Graph): Topology {
  const team = new GraphTeam(protocol, options, graph);
  return programTopology({
    name: "agentprune",
    agents: [...team.ids, "decision"],
    play: (stage) => team.play(stage),
    answer: (turns) => team.cutShort(turns),
  });
}

interface Trial {
  readonly stage: Stage;
  readonly run: RunProgram | null;
}

interface Received {
  readonly now: readonly Output[];
  readonly before: readonly Output[];
}

type Outputs = (Output | undefined)[];

class GraphTeam {
  readonly ids: readonly string[];
  readonly #protocol: Protocol<AgentPrunePhase>;
  readonly #options: BaselineOptions;
  readonly #graph: Graph;
  readonly #runner: RunProgram | null;
  readonly #rounds: number;
  readonly #roles: readonly Role[];
  readonly #writesCode: boolean;

  constructor(protocol: Protocol<AgentPrunePhase>, options: BaselineOptions, graph: Graph) {
    const { agents, rounds } = sizeOf(protocol, options);
    this.ids = Array.from({ length: agents }, (_, i) => `agent-${i + 1}`);
    this.#protocol = protocol;
    this.#options = options;
    this.#graph = graph;
    this.#runner = runnerOf(protocol, options);
    this.#rounds = rounds;
    this.#roles = protocol.roles.filter(({ slot }) => slot !== "decision");
    this.#writesCode = protocol.families.includes("code");
  }

  async play(stage: Stage): Promise<void> {
    const { problem } = stage;
    const trial: Trial = { stage, run: this.#runner && onceEach(this.#runner) };
    const graph = this.#graph;
    const edgesOfRound = typeof graph === "function" ? graph(problem) : () => graph;
    let last: Outputs = [];
    let forwarded = 0;
    for (let round = 0; round < this.#rounds; round++) {
      const edges = edgesOfRound();
      const outputs: Outputs = this.ids.map(() => undefined);
      for (const wave of wavesOf(edges.spatial)) forwarded += await this.#speak(trial, wave, edges, outputs, last);
      last = outputs;
    }
    if (forwarded > 0) stage.note(`forwarded: ${forwarded}`);
    await this.#decide(
      stage,
      last.flatMap((output) => output ?? []),
    );
  }

  /** The answer where a limit cut the play short. */
  cutShort(turns: readonly Turn[]): Turn["utterance"] | null {
    const last = turns.filter(({ call }) => call.agent !== "decision").slice(-this.ids.length);
    return this.#voted(
      last.map((turn) => {
        const { agent } = turn.call;
        return { agent, role: this.#roleOf(this.ids.indexOf(agent)), turn, note: "", returned: null, tried: null };
      }),
    );
  }

  /**
   * Agents that have heard all their predecessors speak at once.
   * @param outputs - of this round so far; what the wave says is added
   * @param last - of the round before, empty in the first
   * @returns how many pass a solution on
   */
  async #speak(
    trial: Trial,
    wave: readonly number[],
    edges: EdgeSet,
    outputs: Outputs,
    last: Outputs,
  ): Promise<number> {
    const { stage } = trial;
    const asked: { readonly i: number; readonly received: Received }[] = [];
    for (const i of wave) {
      const now = predecessors(edges.spatial, i).flatMap((from) => outputs[from] ?? []);
      const before = predecessors(edges.temporal, i).flatMap((from) => last[from] ?? []);
      const solved = [...now, ...before].find(({ tried }) => tried?.solved);
      if (solved) outputs[i] = { ...solved, agent: this.#idOf(i), role: this.#roleOf(i) };
      else asked.push({ i, received: { now, before } });
    }
    if (asked.length === 0) return wave.length;
    const turns = await stage.say(
      ...asked.map(({ i, received: heard }) => ({
        agent: this.#idOf(i),
        prompt: this.#prompt(stage.shown(this.#idOf(i)), this.#roleOf(i), heard),
        reads: readsOf([...heard.now, ...heard.before]),
        ...phaseSettings(this.#protocol.phases.reply, this.#options),
      })),
    );
    await Promise.all(
      asked.map(async ({ i }, position) => {
        const turn = turns[position];
        if (turn) outputs[i] = await this.#outputOf(trial, i, turn);
      }),
    );
    return wave.length - asked.length;
  }

  async #decide(stage: Stage, final: readonly Output[]): Promise<void> {
    const { answerForm, reader, script } = this.#options;
    const question = stage.shown("decision");
    const [decided] = await stage.say({
      agent: "decision",
      prompt: script
        ? pruneDecision(script, question, this.#heard(final))
        : chat(
            `Decide on the answer from what the agents wrote. ${answerForm}`,
            this.#user(question, undefined, { now: final, before: [] }),
          ),
      reads: readsOf(final),
      ...phaseSettings(this.#protocol.phases.decision, this.#options),
    });
    const answers = decided && reader.read(decided.utterance.text) !== null;
    const chosen = answers ? decided.utterance : this.#voted(final);
    if (chosen) stage.conclude(chosen);
  }

  #idOf(i: number): string {
    return this.ids[i] as string;
  }

  #roleOf(i: number): Role {
    return this.#roles[i % this.#roles.length] as Role;
  }

  /** A slot whose program is run writes that, one that plans plans; all others answer. */
  #system(role: Role): string {
    const answering = role.runs || role.answers === false ? [] : [stepByStep, this.#options.answerForm];
    return [roleLine(role), ...answering].filter((part) => part !== "").join(" ");
  }

  #prompt(question: string, role: Role, received: Received): Prompt {
    const { script, reader } = this.#options;
    if (!script) return chat(this.#system(role), this.#user(question, role, received));
    const { now, before } = received;
    const heard = { now: this.#heard(now), before: this.#heard(before) };
    const answers = [...heard.now, ...heard.before].flatMap(({ text }) => reader.read(text) ?? []);
    return prunePrompt(script, role.title ?? "", question, heard, role.hears === "answers" ? answers : null);
  }

  /** As others read it in the released words. */
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
      return answers.length === 0
        ? question
        : `${question}\n\n(Hint: the answer is near to ${answers.map(words).join(", ")}.)`;
    }
    const earlier = before.length === 0 ? [] : ["In the round before:", ...before.map(shown)];
    return [question, ...now.map(shown), ...earlier].join("\n\n");
  }

  async #outputOf({ stage, run }: Trial, i: number, turn: Turn): Promise<Output> {
    const { text: reply, silent } = turn.utterance;
    const role = this.#roleOf(i);
    const { script } = this.#options;
    const output = (note: string, returned: string | null = null): Output => ({
      agent: this.#idOf(i),
      role,
      turn,
      note,
      returned,
      tried: null,
    });
    if (silent || !run) return output("");
    if (role.runs) {
      const program = codeIn(stage.problem.question, reply);
      const { output: printed, error } = await run(script ? printingAnswer(program) : program);
      if (error !== null) return output(`The program failed: ${words(error)}`, `Error occurred: ${words(error)}`);
      const came = words(printed);
      return output(came === "" ? "The program prints nothing." : `The answer is ${came}`, came || "None");
    }
    const tried = this.#writesCode ? await onExamples(stage.problem.question, reply, run, script) : null;
    return { ...output(tried?.feedback ?? ""), tried };
  }

  #voted(outputs: readonly Output[]): Turn["utterance"] | null {
    const voters = outputs.filter(({ role, tried }) => tried?.solved || role.answers !== false);
    const texts = voters.map(textOf);
    const [winner] = countVotes(texts, this.#options.reader);
    const output = winner && voters[winner.first];
    return output ? { ...output.turn.utterance, text: texts[winner.first] ?? "" } : null;
  }
}

/** A reply with what came of running it; a program for a code question stands alone. */
function textOf({ turn, note, tried }: Output): string {
  return note.startsWith("The answer is") && !tried?.solved ? `${turn.utterance.text}\n${note}` : turn.utterance.text;
}

function shown({ agent, role, turn, note }: Output): string {
  return `Agent ${agent}${role.title === undefined ? "" : `, ${role.title},`} wrote:\n${quote(turn.utterance.text)}${note === "" ? "" : `\n${quote(note)}`}`;
}

/** A reply that two pass on is read once. */
function readsOf(outputs: readonly Output[]): Turn["message"][] {
  return [...new Set(outputs.map(({ turn }) => turn.message))];
}

function predecessors(mask: EdgeSet["spatial"], to: number): number[] {
  return edgesOf(mask).flatMap((edge) => (edge.to === to ? [edge.from] : []));
}

/** Agents in the order in which they may speak: a wave has heard all its predecessors. */
function wavesOf(spatial: EdgeSet["spatial"]): number[][] {
  const waiting = new Set(spatial.map((_, i) => i));
  const waves: number[][] = [];
  while (waiting.size > 0) {
    const wave = [...waiting].filter((to) => ![...waiting].some((from) => spatial[from]?.[to]));
    for (const i of wave) waiting.delete(i);
    waves.push(wave);
  }
  return waves;
}
