import type { Problem, Topology } from "@laconic/core";
import { type Turn, programTopology, quote } from "@laconic/topologies";
import type { BaselineOptions, MethodSize, RunProgram } from "../protocols/baseline.ts";
import { codeIn, examplesIn } from "../code/code-in.ts";
import { onceEach, runTests, words } from "../code/run-tests.ts";
import { chat, roleLine, stepByStep } from "../prompts/chat.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol, Role } from "../protocols/protocol.ts";
import { programIn, runnerOf } from "../playing/run-program.ts";
import { countVotes } from "../playing/vote.ts";
import { edgesOf, type EdgeSet } from "./edges.ts";

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
  /** It passes all examples of the question. */
  readonly solved: boolean;
}

/** Agents and rounds of a team. */
export function sizeOf(protocol: Protocol, size: MethodSize): { readonly agents: number; readonly rounds: number } {
  return { agents: size.agents ?? protocol.agents ?? 1, rounds: size.rounds ?? protocol.rounds ?? 1 };
}

/**
 * A team that talks along the edges of a graph, round by round, each agent once it has heard its predecessors; then a decision. Programs
 * of a code question are run on the examples that it has: an agent that hears one which passes them all passes it on, which costs no
 * call.
 */
export function graphTeam(protocol: Protocol<AgentPrunePhase>, options: BaselineOptions, graph: Graph): Topology {
  const { reader, answerForm } = options;
  const runner = runnerOf(protocol, options);
  const { agents: count, rounds } = sizeOf(protocol, options);
  const ids = Array.from({ length: count }, (_, i) => `agent-${i + 1}`);
  const rolesOf = protocol.roles.filter(({ slot }) => slot !== "decision");
  const roleOf = (i: number): Role => rolesOf[i % rolesOf.length] as Role;
  const writesCode = protocol.families.includes("code");
  return programTopology({
    name: "agentprune",
    agents: [...ids, "decision"],
    play: async (stage) => {
      const { question } = stage.problem;
      const examples = writesCode ? examplesIn(question) : [];
      const run = runner && onceEach(runner);
      const edgesOfRound = typeof graph === "function" ? graph(stage.problem) : () => graph;
      let last: (Output | undefined)[] = [];
      let forwarded = 0;
      for (let round = 0; round < rounds; round++) {
        const edges = edgesOfRound();
        const held: (Output | undefined)[] = ids.map(() => undefined);
        for (const wave of wavesOf(edges.spatial)) {
          const heardBy = wave.map((i) => ({
            now: predecessors(edges.spatial, i).flatMap((from) => held[from] ?? []),
            before: round === 0 ? [] : predecessors(edges.temporal, i).flatMap((from) => last[from] ?? []),
          }));
          const asked: number[] = [];
          wave.forEach((i, k) => {
            const { now = [], before = [] } = heardBy[k] ?? {};
            const solved = [...now, ...before].find((each) => each.solved);
            if (!solved) {
              asked.push(k);
              return;
            }
            held[i] = { ...solved, agent: ids[i] as string, role: roleOf(i) };
            forwarded++;
          });
          if (asked.length === 0) continue;
          const turns = await stage.say(
            ...asked.map((k) => {
              const i = wave[k] as number;
              const { now = [], before = [] } = heardBy[k] ?? {};
              return {
                agent: ids[i] as string,
                prompt: chat(systemOf(roleOf(i)), userOf(stage.shown(ids[i] as string), roleOf(i), now, before)),
                reads: readsOf([...now, ...before]),
                ...phaseSettings(protocol.phases.reply, options),
              };
            }),
          );
          await Promise.all(
            asked.map(async (k, position) => {
              const i = wave[k] as number;
              const turn = turns[position];
              if (turn) held[i] = await outputOf(question, examples, run, roleOf(i), ids[i] as string, turn);
            }),
          );
        }
        last = held;
      }
      if (forwarded > 0) stage.note(`forwarded: ${forwarded}`);
      const final = last.flatMap((output) => output ?? []);
      const [decided] = await stage.say({
        agent: "decision",
        prompt: chat(
          `Decide on the answer from what the agents wrote. ${answerForm}`,
          userOf(stage.shown("decision"), undefined, final, []),
        ),
        reads: readsOf(final),
        ...phaseSettings(protocol.phases.decision, options),
      });
      const chosen = decided && reader.read(decided.utterance.text) !== null ? decided.utterance : voted(final);
      if (chosen) stage.conclude(chosen);
    },
    // A limit cut the play short.
    answer: (turns) =>
      voted(
        turns
          .filter(({ call }) => call.agent !== "decision")
          .slice(-count)
          .map((turn) => ({
            agent: turn.call.agent,
            role: roleOf(ids.indexOf(turn.call.agent)),
            turn,
            note: "",
            solved: false,
          })),
      ),
  });

  /** A slot whose program is run writes that, one that plans plans; all others answer. */
  function systemOf(role: Role): string {
    return [roleLine(role), ...(role.runs || role.answers === false ? [] : [stepByStep, answerForm])]
      .filter((part) => part !== "")
      .join(" ");
  }

  function userOf(question: string, role: Role | undefined, now: readonly Output[], before: readonly Output[]): string {
    if (role?.hears === "answers") {
      const answers = [...now, ...before].flatMap((output) => reader.read(textOf(output)) ?? []);
      return answers.length === 0
        ? question
        : `${question}\n\n(Hint: the answer is near to ${answers.map(words).join(", ")}.)`;
    }
    const parts = [now.map(shown), ...(before.length > 0 ? [["In the round before:"], before.map(shown)] : [])].flat();
    return [question, ...parts].join("\n\n");
  }

  async function outputOf(
    question: string,
    examples: readonly string[],
    run: RunProgram | null,
    role: Role,
    agent: string,
    turn: Turn,
  ): Promise<Output> {
    const reply = turn.utterance.text;
    const output = (note: string, solved = false): Output => ({ agent, role, turn, note, solved });
    if (turn.utterance.silent) return output("");
    if (run && role.runs) {
      const { output: printed, error } = await run(codeIn(reply));
      if (error !== null) return output(`The program failed: ${words(error)}`);
      return output(words(printed) === "" ? "The program prints nothing." : `The answer is ${words(printed)}`);
    }
    if (!run || !writesCode || examples.length === 0 || programIn(reply) === null) return output("");
    const ends = await runTests(question, reply, examples, run);
    const failed = ends.findIndex((end) => end !== null);
    if (failed < 0) return output("The program passes the examples.", true);
    return output(`The program fails example ${failed + 1} of ${examples.length}: ${ends[failed] ?? ""}`);
  }

  function voted(outputs: readonly Output[]): Turn["utterance"] | null {
    const voters = outputs.filter(({ role, solved }) => solved || role.answers !== false);
    const texts = voters.map(textOf);
    const [winner] = countVotes(texts, reader);
    const output = winner && voters[winner.first];
    return output ? { ...output.turn.utterance, text: texts[winner.first] ?? "" } : null;
  }
}

/** A reply with what came of running it; a program for a code question stands alone. */
function textOf({ turn, note, solved }: Output): string {
  return note.startsWith("The answer is") && !solved ? `${turn.utterance.text}\n${note}` : turn.utterance.text;
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
