import type { Topology } from "@laconic/core";
import { programTopology } from "@laconic/topologies";
import type { BaselineOptions, MethodSize, PromptCopies } from "../protocols/baseline.ts";
import { chat } from "../prompts/chat.ts";
import { shotsOf, stepsOf } from "../protocols/choose-shots.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { shownPrompt, withAnswerChoices } from "../protocols/script.ts";
import { pluralityOf } from "./vote.ts";

/** Replies to one prompt, as many as the protocol samples, and the one that its vote takes. */
export function repliesToOne(
  name: string,
  protocol: Protocol<"answer">,
  options: BaselineOptions,
  instruction: string,
): Topology {
  const { reader, answerForm, script } = options;
  const exemplars = shotsOf(protocol, options);
  const system = [instruction, answerForm].filter((part) => part !== "").join(" ");
  const samples = samplesOf(protocol, options);
  const settings = phaseSettings(protocol.phases.answer, options);
  return programTopology({
    name,
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
      // As large a part of the samples as of the protocol's own number.
      const kept = Math.ceil(
        (turns.length * (votes.kept ?? 1)) / (votes.kept === undefined ? 1 : (protocol.samples ?? 1)),
      );
      const byOrder = new Set(
        turns.toSorted((a, b) => stepsOf(b.utterance.text) - stepsOf(a.utterance.text)).slice(0, kept),
      );
      return pluralityOf(
        turns.filter((turn) => byOrder.has(turn)),
        reader,
      );
    },
  });
}

/** How many replies are sampled. */
export function samplesOf({ samples = 1 }: Protocol, size: MethodSize): number {
  return samples === 1 ? 1 : (size.samples ?? samples);
}

/** Of {@link repliesToOne}: every prompt has the question and the examples. */
export function copiesToOne(protocol: Protocol, size: MethodSize): PromptCopies {
  const samples = samplesOf(protocol, size);
  return { questions: samples, examples: samples, replies: 0 };
}
