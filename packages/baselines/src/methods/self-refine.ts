import type { Prompt, Topology } from "@laconic/core";
import { programTopology, quote, type Turn } from "@laconic/topologies";
import { programIn } from "../code/run-tests.ts";
import { methodOf } from "../playing/method-of.ts";
import { printedBy, runnerOf } from "../playing/run-program.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings, roundsOf, protocolsOf } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { type Script, textOf } from "../protocols/script.ts";
import { adasFields, adasPrompt, firstObject, type AdasAgent, type AdasInfo } from "./adas-prompts.ts";

type RefineProtocol = Protocol<"draft" | "feedback" | "revise">;

/** Self-Refine: answer, then criticise and revise until the criticism calls the work correct. */
export const selfRefine: Baseline = methodOf({
  name: "self-refine",
  title: "Self-Refine",
  protocols: protocolsOf<"draft" | "feedback" | "revise">("self-refine"),
  create: (protocol, options) =>
    protocol.runsPrograms ? refinedPrograms(protocol, options) : reflexion(protocol, options),
  maxCalls: (protocol, size) => 1 + (protocol.runsPrograms ? 1 : 2) * roundsOf(protocol, size),
  maxCopies: (protocol, size) => {
    const rounds = roundsOf(protocol, size);
    return protocol.runsPrograms
      ? // The latest program, and in each exchange before it a program and the reply that changed it.
        { questions: 1 + (rounds * (rounds + 1)) / 2, examples: 0, replies: rounds ** 2 }
      : // A criticism reads one reply, the revision of a round an attempt and a comment of every round.
        { questions: 1 + 2 * rounds, examples: 0, replies: rounds + rounds * (rounds + 1) };
  },
});

function reflexion(protocol: RefineProtocol, options: BaselineOptions): Topology {
  const { draft, feedback, revise } = protocol.phases;
  const words = options.script ? releasedWords(options.script) : ownWords(options.answerForm);
  return programTopology({
    name: "self-refine",
    agents: ["solver", "critic"],
    play: async (stage) => {
      const { question } = stage.problem;
      let [attempt] = await stage.say({
        agent: "solver",
        prompt: words.solve(question, []),
        ...phaseSettings(draft, options),
      });
      let correct = false;
      const history: (Exchange & { readonly reads: Turn["message"][] })[] = [];
      for (let round = 0; round < roundsOf(protocol, options); round++) {
        if (!attempt) return;
        const reply = attempt.utterance.text;
        const [comment] = await stage.say({
          agent: "critic",
          prompt: words.criticise(question, reply, round),
          reads: [attempt.message],
          ...phaseSettings(feedback, options),
        });
        if (!comment) return;
        const verdict = verdictIn(comment.utterance.text);
        if (!verdict.read) stage.note("unread criticism");
        correct = verdict.correct;
        if (correct) break;
        history.push({ reply, feedback: verdict.feedback, reads: [attempt.message, comment.message] });
        [attempt] = await stage.say({
          agent: "solver",
          prompt: words.solve(question, history),
          reads: history.flatMap(({ reads }) => reads),
          ...phaseSettings(revise, options),
        });
      }
      if (!correct) stage.note("capped");
      if (attempt) stage.conclude({ ...attempt.utterance, text: words.answerIn(attempt.utterance.text) });
    },
    answer: (turns) => turns.findLast(({ call }) => call.agent === "solver")?.utterance ?? null,
  });
}

interface Exchange {
  readonly reply: string;
  readonly feedback: string;
}

interface ReflexionWords {
  readonly solve: (question: string, history: readonly Exchange[]) => Prompt;
  /** @param round - from 0 */
  readonly criticise: (question: string, reply: string, round: number) => Prompt;
  readonly answerIn: (reply: string) => string;
}

function ownWords(answerForm: string): ReflexionWords {
  return {
    solve: (question, history) => {
      const said = history.map(
        ({ reply, feedback }, i) => `Attempt ${i + 1}:\n${quote(reply)}\n\nFeedback ${i + 1}:\n${quote(feedback)}`,
      );
      const task = "Learn from the attempts and the feedback, and solve the task better.";
      return chat(`${stepByStep} ${answerForm}`, [question, ...(said.length > 0 ? [...said, task] : [])].join("\n\n"));
    },
    criticise: (question, reply, round) =>
      chat(
        'Review the attempt and say where it may be wrong. Reply with JSON alone: {"feedback": what may be wrong, "correct": "True" if you are certain that it is correct, else "False"}.',
        `${question}\n\nAttempt ${round + 1}:\n${quote(reply)}`,
      ),
    answerIn: (reply) => reply,
  };
}

/** The released words: all replies are JSON. */
function releasedWords(script: Script): ReflexionWords {
  const solver: AdasAgent = { name: textOf(script, "solver"), fields: ["thinking", "answer"] };
  const critic: AdasAgent = { name: textOf(script, "critic"), fields: ["feedback", "correct"] };
  const infosOf = (reply: string, attempt: number): AdasInfo[] => {
    const given = adasFields(reply, solver.fields);
    return solver.fields.map((field) => ({ field, author: solver.name, attempt, content: given[field] ?? "" }));
  };
  return {
    solve: (question, history) => {
      const infos = history.flatMap(({ reply, feedback }, i) => [
        ...infosOf(reply, i + 1),
        { field: "feedback", author: critic.name, attempt: i + 1, content: feedback },
      ]);
      return adasPrompt(script, solver, question, infos, history.length === 0 ? "solve" : "reflect");
    },
    criticise: (question, reply, round) => adasPrompt(script, critic, question, infosOf(reply, round + 1), "criticise"),
    answerIn: (reply) => adasFields(reply, solver.fields)["answer"] || reply,
  };
}

/** A criticism's fields. What is no such JSON is feedback as it stands, and calls nothing correct. */
function verdictIn(text: string): { feedback: string; correct: boolean; read: boolean } {
  const { feedback, correct } = firstObject(text) ?? {};
  const read = feedback !== undefined && correct !== undefined;
  return {
    feedback: typeof feedback === "string" ? feedback : text,
    correct: correct === true || (typeof correct === "string" && /^\s*true\s*$/iu.test(correct)),
    read,
  };
}

/**
 * Self-Refine by programs: a draft, then calls that each find the error and write the program anew. The answer is what the last program
 * prints, that of the call which finds it correct too.
 */
function refinedPrograms(protocol: Protocol<"draft" | "feedback" | "revise">, options: BaselineOptions): Topology {
  const run = runnerOf(protocol, options);
  const { draft, feedback } = protocol.phases;
  const says = protocol.stops.kind === "verdict" ? protocol.stops.says : "";
  const words = options.script ? releasedProgramWords(options.script) : ownProgramWords(says);
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

interface ProgramWords {
  readonly draft: (question: string) => AskedFor;
  readonly drafted: (reply: string) => string;
  /** @param exchanges - of the calls before, as {@link exchange} has them */
  readonly criticise: (question: string, program: string, exchanges: readonly string[]) => AskedFor;
  readonly read: (reply: string) => { readonly program: string | null; readonly comment: string };
  /** A criticism as a further example; null where it is none. */
  readonly exchange: (question: string, program: string, reply: string) => string | null;
  readonly runnable: (program: string) => string;
}

function ownProgramWords(says: string): ProgramWords {
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
function releasedProgramWords(script: Script): ProgramWords {
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
