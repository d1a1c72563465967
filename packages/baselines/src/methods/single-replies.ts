import type { Topology } from "@laconic/core";
import { programTopology } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { pluralityOf } from "../playing/vote.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions, MethodSize } from "../protocols/baseline.ts";
import { shotsOf, stepsOf } from "../protocols/choose-shots.ts";
import { phaseSettings, protocolsOf } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { shownPrompt, withAnswerChoices } from "../protocols/script.ts";

type SingleProtocol = Protocol<"answer">;

/** Complex CoT's instruction, also without examples: steps can be counted. */
export const stepALine = "Reason in as many small steps as it takes, one step a line.";

function samplesOf({ samples = 1 }: Protocol, size: MethodSize): number {
  return samples === 1 ? 1 : (size.samples ?? samples);
}

function repliesToOne(team: string, protocol: SingleProtocol, options: BaselineOptions, instruction: string): Topology {
  const { reader, answerForm, script } = options;
  const exemplars = shotsOf(protocol, options);
  const system = [instruction, answerForm].filter((part) => part !== "").join(" ");
  const samples = samplesOf(protocol, options);
  const settings = phaseSettings(protocol.phases.answer, options);
  return programTopology({
    name: team,
    agents: ["solver"],
    play: async (stage) => {
      const { question } = stage.problem;
      const prompt = script
        ? shownPrompt(script, "base", withAnswerChoices(question))
        : chat(system, question, exemplars, protocol.shots.form);
      await stage.say(...Array.from({ length: samples }, () => ({ agent: "solver", prompt, ...settings })));
    },
    answer: (turns) => {
      const { votes } = protocol;
      if (votes.kind !== "plurality") return turns.at(-1)?.utterance ?? null;
      const { kept } = votes;
      const count = kept === undefined ? turns.length : Math.ceil((turns.length * kept) / (protocol.samples ?? 1));
      const mostSteps = turns.toSorted((a, b) => stepsOf(b.utterance.text) - stepsOf(a.utterance.text));
      const byOrder = new Set(mostSteps.slice(0, count));
      return pluralityOf(
        turns.filter((turn) => byOrder.has(turn)),
        reader,
      );
    },
  });
}

function singleReplies(
  [name, title, team]: readonly [name: string, title: string, team: string],
  instruction: string,
  protocols: readonly SingleProtocol[] = protocolsOf(name),
): Baseline {
  return methodOf({
    name,
    title,
    protocols,
    create: (protocol, options) => repliesToOne(team, protocol, options, instruction),
    maxCalls: samplesOf,
    maxCopies: (protocol, size) => {
      const samples = samplesOf(protocol, size);
      return { questions: samples, examples: samples, replies: 0 };
    },
  });
}

function sampled(
  protocols: readonly SingleProtocol[],
  [from, to]: readonly [from: string, to: string],
  samples: number,
  differences: readonly string[],
  changes: Partial<SingleProtocol> & Pick<SingleProtocol, "labels">,
): SingleProtocol[] {
  return protocols.map((protocol) => ({
    ...protocol,
    temperature: 0.7,
    samples,
    votes: { kind: "plurality" },
    calls: { least: samples, most: samples },
    ...changes,
    id: protocol.id.replace(from, to),
    labels: { ...protocol.labels, ...changes.labels },
    differs: [...protocol.differs, ...differences],
  }));
}

const votesOfFive = { temperature: "K", samples: "S", votes: "K", calls: "S" } as const;
const cotProtocols = protocolsOf<"answer">("cot");
const complexProtocols = protocolsOf<"answer">("complex-cot");

export const vanilla: Baseline = singleReplies(["vanilla", "Vanilla", "vanilla"], "Answer the question.");

export const vanillaFewShot: Baseline = singleReplies(
  ["vanilla:few-shot-answers", "Vanilla, few-shot answers", "vanilla"],
  "Answer the question.",
);

export const cot: Baseline = singleReplies(["cot", "CoT", "cot"], stepByStep);

/** Plurality of five samples, as in multi-agent papers. */
export const selfConsistency: Baseline = singleReplies(
  ["sc", "Self-Consistency", "sc"],
  stepByStep,
  sampled(cotProtocols, ["cot/", "sc/"], 5, [], {
    source: "Wang et al. 2023; N = 5 as ADAS@2702bee8 and the tables of multi-agent papers",
    published: "sc",
    labels: votesOfFive,
  }),
);

/** Forty samples, as in the original paper. */
export const selfConsistency40: Baseline = singleReplies(
  ["sc:40", "Self-Consistency, 40 samples", "sc"],
  stepByStep,
  sampled(cotProtocols, ["cot/", "sc/40-"], 40, ["Tables of multi-agent papers take five samples."], {
    source: "Wang et al. 2023",
    published: null,
    labels: { temperature: "K", samples: "K", votes: "K", calls: "K" },
  }),
);

export const complexCot: Baseline = singleReplies(["complex-cot", "Complex CoT", "complex-cot"], stepALine);

/** Sampling variant: the 40 of 50 chains with most steps vote. */
export const complexCotSampled: Baseline = singleReplies(
  ["complex-cot:sampled", "Complex CoT, 50 chains", "complex-cot"],
  stepALine,
  sampled(
    complexProtocols,
    ["complex-cot/", "complex-cot/sampled-"],
    50,
    ["The published row is one greedy reply, not the vote of fifty."],
    {
      votes: { kind: "plurality", kept: 40 },
      labels: { temperature: "S", samples: "S", votes: "S", calls: "S" },
    },
  ),
);

/** AgentPrune's row SC (ComplexCoT): plurality of five samples. */
export const complexCotVotes: Baseline = singleReplies(
  ["sc:complex-cot", "Self-Consistency on Complex CoT", "complex-cot"],
  stepALine,
  sampled(
    complexProtocols,
    ["complex-cot/", "sc/complex-"],
    5,
    ["How many samples the published row takes was not checked: five are taken."],
    {
      source: "Wang et al. 2023 on Complex CoT; the row SC (ComplexCoT) of AgentPrune's Table 1",
      published: "sc-complex-cot",
      labels: votesOfFive,
    },
  ),
);
