import type { Prompt, Topology } from "@laconic/core";
import { programTopology, quote } from "@laconic/topologies";
import { programIn } from "../code/code-in.ts";
import type { BaselineOptions } from "../protocols/baseline.ts";
import { chat } from "../prompts/chat.ts";
import { phaseSettings, roundsOf } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { type Script, textOf } from "../protocols/script.ts";
import { printedBy, runnerOf } from "../playing/run-program.ts";

/**
 * Self-Refine by programs: a draft, then calls that each find the error and write the program anew. The answer is what the last program
 * prints, that of the call which finds it correct too.
 */
export function refinedPrograms(
  protocol: Protocol<"draft" | "feedback" | "revise">,
  options: BaselineOptions,
): Topology {
  const run = runnerOf(protocol, options);
  const { draft, feedback } = protocol.phases;
  const says = protocol.stops.kind === "verdict" ? protocol.stops.says : "";
  const words = options.script ? releasedWords(options.script) : ownWords(says);
  return programTopology({
    name: "self-refine",
    agents: ["solver", "critic"],
    play: async (stage) => {
      const { question } = stage.problem;
      const [drafted] = await stage.say({
        agent: "solver",
        ...words.draft(question),
        ...phaseSettings(draft, options),
      });
      let latest = drafted;
      let program = words.drafted(drafted?.utterance.text ?? "");
      const exchanges: string[] = [];
      let stopped = false;
      for (let round = 0; round < roundsOf(protocol, options) && !stopped; round++) {
        const received = stage.turns.map(({ message }) => message);
        const [comment] = await stage.say({
          agent: "critic",
          ...words.criticise(question, program, exchanges),
          reads: received,
          ...phaseSettings(feedback, options),
        });
        const text = comment?.utterance.text ?? "";
        const { program: rewritten, comment: said } = words.read(text);
        if (rewritten === null) stage.note("feedback without a program");
        const exchange = words.exchange(question, program, text);
        if (exchange !== null) exchanges.push(exchange);
        if (rewritten !== null) [program, latest] = [rewritten, comment];
        stopped = said.toLowerCase().includes(says);
      }
      if (!stopped) stage.note("capped");
      const code = words.runnable(program);
      const printed = printedBy((await run?.(`${code}\n\nprint(solution())\n`)) ?? { output: "", error: "" });
      if (printed === null) stage.note("program without output");
      stage.conclude(printed === null || !latest ? null : { ...latest.utterance, text: printed });
    },
    answer: () => null,
  });
}

interface AskedFor {
  readonly prompt: Prompt;
  readonly stop?: readonly string[];
}

/** How programs are asked for and read. */
interface ProgramWords {
  readonly draft: (question: string) => AskedFor;
  readonly drafted: (reply: string) => string;
  /** @param exchanges - of the calls before, as {@link exchange} has them */
  readonly criticise: (question: string, program: string, exchanges: readonly string[]) => AskedFor;
  /** The program of a criticism, and what is said beside it. */
  readonly read: (reply: string) => { readonly program: string | null; readonly comment: string };
  /** A criticism as a further example; null where it is none. */
  readonly exchange: (question: string, program: string, reply: string) => string | null;
  /** What is run of a program. */
  readonly runnable: (program: string) => string;
}

function ownWords(says: string): ProgramWords {
  const shown = (question: string, program: string): string => `Question:\n${question}\n\nProgram:\n${quote(program)}`;
  return {
    draft: (question) => ({
      prompt: chat(
        "Write a Python function solution(), with the question as its docstring, that computes and returns the answer. Reply with one code block.",
        question,
      ),
    }),
    drafted: (reply) => programIn(reply, "solution") ?? reply,
    criticise: (question, program, exchanges) => ({
      prompt: chat(
        `Find the error in the program: go through it block by block and check each against the question. Say "${says}" if there is none. Then write the whole function solution() anew, in one code block.`,
        [...exchanges, shown(question, program)].join("\n\n"),
      ),
    }),
    read: (reply) => {
      const program = programIn(reply, "solution");
      return { program, comment: reply.replace(program ?? "", "") };
    },
    exchange: (question, program, reply) => `${shown(question, program)}\n\nFeedback and new program:\n${quote(reply)}`,
    runnable: (program) => program,
  };
}

/** The released words: worked programs, then the question, in one message; each exchange stands behind them as a further example. */
function releasedWords(script: Script): ProgramWords {
  const text = (name: string): string => textOf(script, name);
  const asked = (content: string, stop: string): AskedFor => ({
    prompt: { kind: "messages", messages: [{ role: "user", content }] },
    stop: [stop],
  });
  const end = text("end").trim();
  const head = text("head");
  const posed = (program: string): string => `${program}\n\n${text("instruction")}`;
  const parts = (reply: string): { readonly program: string | null; readonly comment: string } => {
    const [comment = "", rest] = (reply.split(text("stop"))[0] ?? "").split(head);
    return { program: rest === undefined ? null : `${head}${rest.trimEnd()}`, comment };
  };
  return {
    draft: (question) => asked(`${text("init")}${text("question")}${question}\n${text("solution")}`, text("between")),
    drafted: (reply) => reply.trim(),
    criticise: (_, program, exchanges) =>
      asked(`${text("feedback")}${exchanges.join("")}${posed(program)}`, text("stop")),
    read: parts,
    exchange: (_, program, reply) => {
      const { program: written, comment } = parts(reply);
      return written === null ? null : `${posed(program)}\n\n${comment}\n\n${written}\n\n${end}\n\n`;
    },
    runnable: (program) => programIn(program.split("\n\n\n")[0] ?? "", "solution") ?? program,
  };
}
