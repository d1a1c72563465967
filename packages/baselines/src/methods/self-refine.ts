import type { Prompt, Topology } from "@laconic/core";
import { programTopology, quote, type Turn } from "@laconic/topologies";
import { programIn } from "../code/run-tests.ts";
import { askOn } from "../playing/ask.ts";
import { firstObject } from "../playing/json-reply.ts";
import { methodOf } from "../playing/method-of.ts";
import { printedBy, runnerOf } from "../playing/run-program.ts";
import { textOfTurn } from "../playing/vote.ts";
import { asked, chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { roundsOf, protocolsOf } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { type Script, textOf } from "../protocols/script.ts";
import { adasFields, adasPrompt, type AdasAgent, type AdasInfo } from "./adas-prompts.ts";

type RefinePhase = "draft" | "feedback" | "revise";

export const selfRefine: Baseline = methodOf({
  name: "self-refine",
  title: "Self-Refine",
  protocols: protocolsOf<RefinePhase>("self-refine"),
  create: (protocol, options) =>
    protocol.runsPrograms ? refinedPrograms(protocol, options) : reflexion(protocol, options),
  maxCalls: (protocol, size) => 1 + (protocol.runsPrograms ? 1 : 2) * roundsOf(protocol, size),
  maxCopies: (protocol, size) => {
    const rounds = roundsOf(protocol, size);
    return protocol.runsPrograms
      ? // The latest program, and two texts per earlier exchange.
        { questions: 1 + (rounds * (rounds + 1)) / 2, examples: 0, replies: rounds ** 2 }
      : // A criticism reads one reply; a revision reads two texts per round.
        { questions: 1 + 2 * rounds, examples: 0, replies: rounds + rounds * (rounds + 1) };
  },
});

function reflexion(protocol: Protocol<RefinePhase>, options: BaselineOptions): Topology {
  const words = options.script ? releasedWords(options.script) : ownWords(options.answerForm);
  return programTopology({
    name: "self-refine",
    agents: ["solver", "critic"],
    play: async (stage) => {
      const { question } = stage.problem;
      const ask = askOn(stage, protocol, options);
      let attempt = await ask("solver", "draft", words.solve(question, []));
      let correct = false;
      const history: Exchange[] = [];
      const reads: Turn[] = [];
      for (let round = 0; round < roundsOf(protocol, options); round++) {
        if (!attempt) return;
        const reply = attempt.utterance.text;
        const comment = await ask("critic", "feedback", words.criticise(question, reply, round), [attempt]);
        if (!comment) return;
        const verdict = verdictIn(comment.utterance.text);
        if (!verdict.read) stage.note("unread criticism");
        correct = verdict.correct;
        if (correct) break;
        history.push({ reply, feedback: verdict.feedback });
        reads.push(attempt, comment);
        attempt = await ask("solver", "revise", words.solve(question, history), reads);
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

type ReflexionWords = ReturnType<typeof ownWords>;

function ownWords(answerForm: string) {
  return {
    solve: (question: string, history: readonly Exchange[]): Prompt => {
      const attempts = history.map(
        ({ reply, feedback }, i) => `Attempt ${i + 1}:\n${quote(reply)}\n\nFeedback ${i + 1}:\n${quote(feedback)}`,
      );
      const task = "Learn from the attempts and the feedback, and solve the task better.";
      const user = [question, ...(attempts.length > 0 ? [...attempts, task] : [])].join("\n\n");
      return chat(`${stepByStep} ${answerForm}`, user);
    },
    /** @param round - from 0 */
    criticise: (question: string, reply: string, round: number): Prompt =>
      chat(
        'Review the attempt and say where it may be wrong. Reply with JSON alone: {"feedback": what may be wrong, "correct": "True" if you are certain that it is correct, else "False"}.',
        `${question}\n\nAttempt ${round + 1}:\n${quote(reply)}`,
      ),
    answerIn: (reply: string): string => reply,
  };
}

function releasedWords(script: Script): ReflexionWords {
  const solver: AdasAgent = { name: textOf(script, "solver"), fields: ["thinking", "answer"] };
  const critic: AdasAgent = { name: textOf(script, "critic"), fields: ["feedback", "correct"] };
  const infosOf = (reply: string, attempt: number): AdasInfo[] =>
    Object.entries(adasFields(reply, solver.fields)).map(([field, content]) => ({
      field,
      author: solver.name,
      attempt,
      content,
    }));
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

/** Reads a criticism; without JSON it is all feedback, and accepts nothing. */
function verdictIn(text: string): { feedback: string; correct: boolean; read: boolean } {
  const { feedback, correct } = firstObject(text) ?? {};
  return {
    feedback: typeof feedback === "string" ? feedback : text,
    correct: correct === true || (typeof correct === "string" && /^\s*true\s*$/iu.test(correct)),
    read: feedback !== undefined && correct !== undefined,
  };
}

/**
 * Self-Refine with programs: each call finds an error and rewrites the program. The last program's output answers, even
 * that of the accepting call.
 */
function refinedPrograms(protocol: Protocol<RefinePhase>, options: BaselineOptions): Topology {
  const run = runnerOf(protocol, options);
  const says = protocol.stops.kind === "verdict" ? protocol.stops.says : "";
  const words = options.script ? releasedProgramWords(options.script) : ownProgramWords(says);
  return programTopology({
    name: "self-refine",
    agents: ["solver", "critic"],
    play: async (stage) => {
      const { question } = stage.problem;
      const ask = askOn(stage, protocol, options);
      let latest = await ask("solver", "draft", words.draft(question), [], words.stops?.draft);
      let program = words.drafted(textOfTurn(latest));
      const exchanges: string[] = [];
      let stopped = false;
      for (let round = 0; round < roundsOf(protocol, options) && !stopped; round++) {
        const prompt = words.criticise(question, program, exchanges);
        const reply = await ask("critic", "feedback", prompt, stage.turns, words.stops?.feedback);
        const { program: rewritten, comment } = words.read(textOfTurn(reply));
        if (rewritten === null) stage.note("feedback without a program");
        exchanges.push(...words.exchange(question, program, textOfTurn(reply)));
        if (rewritten !== null) [program, latest] = [rewritten, reply];
        stopped = comment.toLowerCase().includes(says);
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

interface ProgramReply {
  readonly program: string | null;
  readonly comment: string;
}

type ProgramWords = ReturnType<typeof ownProgramWords>;

function ownProgramWords(says: string) {
  const shown = (question: string, program: string): string => `Question:\n${question}\n\nProgram:\n${quote(program)}`;
  return {
    stops: undefined as { readonly draft: readonly string[]; readonly feedback: readonly string[] } | undefined,
    draft: (question: string): Prompt =>
      chat(
        "Write a Python function solution(), with the question as its docstring, that computes and returns the answer. Reply with one code block.",
        question,
      ),
    drafted: (reply: string): string => programIn(reply, "solution") ?? reply,
    criticise: (question: string, program: string, exchanges: readonly string[]): Prompt =>
      chat(
        `Find the error in the program: go through it block by block and check each against the question. Say "${says}" if there is none. Then write the whole function solution() anew, in one code block.`,
        [...exchanges, shown(question, program)].join("\n\n"),
      ),
    read: (reply: string): ProgramReply => {
      const program = programIn(reply, "solution");
      return { program, comment: reply.replace(program ?? "", "") };
    },
    exchange: (question: string, program: string, reply: string): string[] => [
      `${shown(question, program)}\n\nFeedback and new program:\n${quote(reply)}`,
    ],
    runnable: (program: string): string => program,
  };
}

/** Released prompts: one message of worked programs, question and exchanges. */
function releasedProgramWords(script: Script): ProgramWords {
  const text = (name: string): string => textOf(script, name);
  const head = text("head");
  const posed = (program: string): string => `${program}\n\n${text("instruction")}`;
  const read = (reply: string): ProgramReply => {
    const [comment = "", rest] = (reply.split(text("stop"))[0] ?? "").split(head);
    return { program: rest === undefined ? null : `${head}${rest.trimEnd()}`, comment };
  };
  return {
    stops: { draft: [text("between")], feedback: [text("stop")] },
    draft: (question) => asked(`${text("init")}${text("question")}${question}\n${text("solution")}`),
    drafted: (reply) => reply.trim(),
    criticise: (_, program, exchanges) => asked(`${text("feedback")}${exchanges.join("")}${posed(program)}`),
    read,
    exchange: (_, program, reply) => {
      const { program: written, comment } = read(reply);
      return written === null ? [] : [`${posed(program)}\n\n${comment}\n\n${written}\n\n${text("end").trim()}\n\n`];
    },
    runnable: (program) => programIn(program.split("\n\n\n")[0] ?? "", "solution") ?? program,
  };
}
