import type { Prompt } from "@laconic/core";
import { programTopology, type Turn } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import type { Baseline } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import {
  allFamilies,
  benchmarkLine,
  type Family,
  labelled,
  noShots,
  onMaths,
  onMmlu,
  type Protocol,
} from "../protocols/protocol.ts";
import { ownEvoWords, releasedEvoWords } from "./evo-prompts.ts";

/** Kinds of calls. */
export type EvoAgentPhase = "answer" | "invent" | "check" | "merge";

const ofMmmu = "The released code plays MMMU, puzzles and stories: on other questions it has the words of MMMU.";
const scriptsOf: Readonly<Partial<Record<Family, Readonly<Record<string, string>>>>> = {
  maths: onMaths("evoagent", "evoagent"),
  choice: onMmlu("evoagent"),
};

/** EvoAgent, the same for all kinds of questions. */
const evoAgentProtocols: readonly Protocol<EvoAgentPhase>[] = allFamilies.map((family) => ({
  id: `evoagent/${family}`,
  version: 1,
  families: [family],
  source: "Yuan et al. 2024; evoagent@fc6d087b",
  published: family === "maths" ? "evoagent" : null,
  roles: [
    { slot: "solver", duty: "Answers first." },
    { slot: "inventor", duty: "Describes a new expert." },
    { slot: "checker", duty: "Keeps or discards it." },
    { slot: "expert", duty: "Answers as the expert." },
    { slot: "merger", duty: "Makes one answer of the old and the new one." },
  ],
  temperature: 0,
  phases: { answer: { shots: true }, invent: {}, check: {}, merge: {} },
  shots: noShots,
  agents: 1,
  rounds: 3,
  prompts: [
    "An expert is invented from the question, the current answer and the experts before it.",
    "The fifth description of an iteration is taken whatever the check says.",
  ],
  answerLine: benchmarkLine,
  hears:
    "The inventor and the checker the current answer and all experts so far; the expert its description; the merger both answers.",
  partition: {
    kind: "whole",
    reason: "Experts are invented for a question that one agent has seen, and answer it alone.",
  },
  stops: { kind: "fixed" },
  votes: { kind: "decision", slot: "merger" },
  calls: { least: 13, most: 37 },
  labels: labelled("C", "roles", "temperature", "agents", "rounds", "prompts", "hears", "stops", "votes", "calls"),
  scripts: scriptsOf[family] ?? {},
  differs: scriptsOf[family] ? [ofMmmu] : ["No published figure is of such questions."],
}));

const maxTries = 5;

/**
 * EvoAgent: an answer, then three times: invent an expert, check it, let it answer, merge old and new. The fifth expert
 * is taken whatever the check says.
 */
export const evoAgent: Baseline = methodOf({
  name: "evoagent",
  title: "EvoAgent",
  protocols: evoAgentProtocols,
  create: (protocol, options) => {
    const { answerForm, script, rounds = protocol.rounds ?? 0 } = options;
    const words = script ? releasedEvoWords(script) : ownEvoWords(answerForm, shotsOf(protocol, options));
    return programTopology({
      name: "evoagent",
      agents: ["solver", "inventor", "checker", "expert", "merger"],
      play: async (stage) => {
        const { question } = stage.problem;
        const say = async (
          [agent, phase]: readonly [agent: string, phase: EvoAgentPhase],
          prompt: Prompt,
          ...reads: readonly (Turn | undefined)[]
        ): Promise<Turn | undefined> => {
          const [turn] = await stage.say({
            agent,
            prompt,
            reads: reads.flatMap((read) => (read ? [read.message] : [])),
            ...phaseSettings(protocol.phases[phase], options),
          });
          return turn;
        };
        let answer = await say(["solver", "answer"], words.answer(question));
        const experts: (Turn | undefined)[] = [];
        for (let round = 0; round < rounds; round++) {
          const known = [answer, ...experts];
          const state = [question, textOf(answer), experts.map(textOf)] as const;
          let expert: Turn | undefined;
          for (let attempt = 0; attempt < maxTries; attempt++) {
            expert = await say(["inventor", "invent"], words.invent(...state), ...known);
            const check = await say(["checker", "check"], words.check(...state, textOf(expert)), ...known, expert);
            if (!words.discards(textOf(check))) break;
            if (attempt === maxTries - 1) stage.note("expert-taken-unchecked");
          }
          experts.push(expert);
          const advice = await say(["expert", "answer"], words.advise(question, textOf(expert)), expert);
          const merging = words.merge(question, textOf(expert), textOf(answer), textOf(advice));
          answer = await say(["merger", "merge"], merging, answer, advice);
        }
      },
      answer: (turns) =>
        turns.findLast(({ call }) => call.agent === "merger" || call.agent === "solver")?.utterance ?? null,
    });
  },
  maxCalls: (protocol, { rounds = protocol.rounds ?? 0 }) => 1 + rounds * (2 * maxTries + 2),
  // Every try reads the answer and all experts so far twice, and the new one once; then the expert is read, and two answers.
  maxCopies: (protocol, { rounds = protocol.rounds ?? 0 }) => ({
    questions: 1 + rounds * (2 * maxTries + 2),
    examples: 1,
    replies: rounds * (3 * maxTries + 3) + maxTries * rounds * (rounds - 1),
  }),
});

function textOf(turn: Turn | undefined): string {
  return turn?.utterance.text ?? "";
}
