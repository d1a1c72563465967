import { programTopology, quote } from "@laconic/topologies";
import { programIn } from "../code/code-in.ts";
import { toolBytes } from "../code/run-tests.ts";
import { methodOf } from "../playing/method-of.ts";
import { printedBy, runnerOf } from "../playing/run-program.ts";
import { copiesToOne, repliesToOne } from "../playing/single.ts";
import { chat } from "../prompts/chat.ts";
import type { Baseline, RunProgram } from "../protocols/baseline.ts";
import {
  allFamilies,
  benchmarkLine,
  noShots,
  oneAgent,
  oneSolver,
  onFunctions,
  onMmlu,
  onWords,
  type Protocol,
} from "../protocols/protocol.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import { onExamples } from "../agent-prune/on-examples.ts";
import { printingAnswer, pruneDecision, prunePrompt, withReturned } from "../agent-prune/script-prompts.ts";

const harness =
  "The published row was taken with AgentPrune's harness, two calls a question: vanilla:agentprune-direct is played like it.";

const alone = {
  ...oneSolver,
  published: "vanilla",
  phases: { answer: { shots: true } },
} as const satisfies Partial<Protocol>;

/** The question alone. */
const zeroShotProtocols: readonly Protocol<"answer">[] = [
  {
    ...alone,
    id: "vanilla/zero-shot",
    families: allFamilies,
    source: "Standard prompting",
    shots: { ...noShots, form: "answers" },
    prompts: ["The question alone, with no word about reasoning."],
    labels: { temperature: "C", shots: "K", calls: "K" },
    differs: [harness],
  },
];

const answersAlone = {
  ...alone,
  source: "Progressive-Hint@aca5acc6, standard prompts",
  prompts: ["Questions and their answer lines, without a word of reasoning; then the question."],
  labels: { temperature: "C", shots: "C", prompts: "C", calls: "C" },
} as const;

/** Examples of questions and answers, without rationales. */
const fewShotProtocols: readonly Protocol<"answer">[] = [
  {
    ...answersAlone,
    id: "vanilla/few-shot-maths",
    families: ["maths", "text"],
    scripts: onWords("standard-word"),
    shots: { count: 8, form: "answers", select: "seeded" },
    differs: [harness],
  },
  {
    ...answersAlone,
    id: "vanilla/few-shot-aqua",
    families: ["choice"],
    benchmarks: ["aqua"],
    scripts: { aqua: "standard-aqua" },
    shots: { count: 4, form: "answers", select: "seeded" },
    differs: [harness],
  },
  {
    ...answersAlone,
    id: "vanilla/few-shot-choice",
    families: ["choice"],
    shots: { count: 5, form: "answers", select: "seeded" },
    labels: { ...answersAlone.labels, shots: "K" },
    differs: [harness],
  },
  {
    ...answersAlone,
    id: "vanilla/few-shot-topics",
    families: ["choice"],
    benchmarks: ["mmlu", "mmlu-153", "mmlu-pro"],
    shots: { count: 5, form: "answers", select: "same-topic" },
    labels: { ...answersAlone.labels, shots: "K" },
    differs: [harness],
  },
  {
    ...answersAlone,
    id: "vanilla/few-shot-code",
    families: ["code"],
    shots: { ...noShots, form: "answers" },
    differs: [harness, "HumanEval has no training questions: there are no examples."],
  },
];

const direct = {
  version: 1,
  source: "AgentPrune@c544dd6a, mode DirectAnswer",
  published: "vanilla",
  temperature: 1,
  phases: { answer: {}, decide: {} },
  shots: noShots,
  answerLine: benchmarkLine,
  hears: "The decision reads the agent's reply.",
  partition: oneAgent,
  stops: { kind: "fixed" },
  votes: { kind: "decision", slot: "decision" },
  calls: { least: 2, most: 2 },
  labels: { roles: "C", temperature: "C", hears: "C", votes: "C", calls: "C" },
} as const satisfies Partial<Protocol>;

const decision = { slot: "decision", duty: "reads the agent's reply and gives the answer" } as const;
const programmer = { slot: "agent", title: "Programming Expert" } as const;

/** AgentPrune's Vanilla: one agent without edges, and the decision node that all its teams have. */
const directProtocols: readonly Protocol<"answer" | "decide">[] = [
  {
    ...direct,
    id: "vanilla/agentprune-direct-choice",
    families: ["choice"],
    roles: [{ slot: "agent" }, decision],
    prompts: ["The agent chooses an option and analyses it shortly.", "The decision gives the answer alone."],
    scripts: onMmlu("agentprune-choice"),
    differs: [],
  },
  {
    ...direct,
    id: "vanilla/agentprune-direct-maths",
    families: ["maths"],
    roles: [programmer, decision],
    prompts: [
      "The agent writes a Python program.",
      "What it prints is added to its reply.",
      "The decision reads both.",
    ],
    runsPrograms: true,
    scripts: onWords("agentprune-word"),
    differs: [],
  },
  {
    ...direct,
    id: "vanilla/agentprune-direct-code",
    version: 2,
    families: ["code"],
    roles: [programmer, decision],
    prompts: [
      "The agent writes the function, which is run on the examples of its docstring.",
      "The decision reads it, and how it did, and writes the function.",
    ],
    runsPrograms: true,
    scripts: onFunctions("agentprune-code"),
    differs: [],
  },
  {
    ...direct,
    id: "vanilla/agentprune-direct-text",
    families: ["text"],
    roles: [{ slot: "agent" }, decision],
    prompts: ["The agent answers with a short analysis.", "The decision gives the answer alone."],
    differs: ["AgentPrune has no form for free answers: that of choices is taken."],
  },
];

/** Standard prompting: the question, behind as many questions with their answers as are asked for; one call. */
function standard(name: string, title: string, protocols: typeof zeroShotProtocols): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => repliesToOne("vanilla", protocol, options, "Answer the question."),
    maxCopies: copiesToOne,
  });
}

/** The question alone, zero-shot. */
export const vanilla: Baseline = standard("vanilla", "Vanilla", zeroShotProtocols);

/** Questions with answers and no rationales before it. */
export const vanillaFewShot: Baseline = standard(
  "vanilla:few-shot-answers",
  "Vanilla, few-shot answers",
  fewShotProtocols,
);

/** AgentPrune's DirectAnswer: one agent, whose program is run where it writes one, and a decision that reads its reply. */
export const vanillaDirect: Baseline = methodOf({
  name: "vanilla:agentprune-direct",
  title: "Vanilla, AgentPrune's harness",
  protocols: directProtocols,
  create: (protocol, options) => {
    const { answerForm, script } = options;
    const run = runnerOf(protocol, options);
    const [role] = protocol.roles as readonly [Protocol["roles"][number]];
    const { title } = role;
    const writesCode = protocol.families.includes("code");
    return programTopology({
      name: "vanilla-direct",
      agents: ["agent", "decision"],
      play: async (stage) => {
        const { question } = stage.problem;
        const task =
          run && !writesCode
            ? "Write a Python program that prints the answer, in one code block, with a line of analysis before it."
            : `Answer, and analyse your choice in a few words. ${answerForm}`;
        const [reply] = await stage.say({
          agent: "agent",
          prompt: script
            ? prunePrompt(script, title ?? "alone", question, { now: [], before: [] }, null)
            : chat(`${title === undefined ? "" : `You are a ${title}. `}${task}`, question),
          ...phaseSettings(protocol.phases.answer, options),
        });
        const text = reply?.utterance.text ?? "";
        const tried = run && writesCode ? await onExamples(question, text, run, script) : null;
        const printed = run && !writesCode ? await printedIn(text, run, script !== undefined) : null;
        if (run && !writesCode && printed === null) stage.note("program without output");
        const scripted = script && run && !writesCode ? withReturned(script, text, printed ?? "None") : text;
        const shown = printed === null ? [text] : [text, `The program prints: ${printed}`];
        await stage.say({
          agent: "decision",
          prompt: script
            ? pruneDecision(script, question, [{ number: 0, role, text: scripted, tried }])
            : chat(
                `Give the answer from what the agent wrote. ${answerForm}`,
                `${question}\n\nThe agent wrote:\n${quote([...shown, ...(tried ? [tried.feedback] : [])].join("\n"))}`,
              ),
          reads: reply ? [reply.message] : [],
          ...phaseSettings(protocol.phases.decide, options),
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "decision")?.utterance ?? null,
    });
  },
  maxCopies: (protocol) => ({
    questions: 2,
    examples: 0,
    replies: 2,
    ...(protocol.families.includes("code") && { toolBytes: toolBytes * mostExamples }),
  }),
});

/** Examples of a docstring that a plan counts with. */
const mostExamples = 10;

/** What the program of a reply prints, or in released words its variable `answer`. */
async function printedIn(reply: string, run: RunProgram, released: boolean): Promise<string | null> {
  const program = programIn(reply, null);
  return program === null ? null : printedBy(await run(released ? printingAnswer(program) : program));
}
