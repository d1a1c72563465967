import { configError, type EpisodeContext, type Topology, type Utterance, present } from "@laconic/core";
import { callTokens } from "@laconic/core/ledger";
import { endEpisode, type Turn } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import type { Baseline, BaselineOptions, Exemplar } from "../protocols/baseline.ts";
import { shotsOf } from "../protocols/choose-shots.ts";
import { protocolsOf } from "../protocols/protocol-for.ts";
import { filled, optionsOf, textOf, type Script } from "../protocols/script.ts";

interface Scoring {
  readonly name: string;
  readonly title: string;
  readonly scored: "letters" | "options";
  /** Divisor of an option's log-probability. Default 1. */
  readonly length?: (option: string) => number;
}

const agent = "solver";
/** Max options; the prompt needs one more call. */
const mostOptions = 10;
const encoder = new TextEncoder();

const zeroShot: readonly Scoring[] = [
  { name: "log-likelihood", title: "Log-likelihood of letters", scored: "letters" },
  { name: "log-likelihood:options", title: "Log-likelihood of options", scored: "options" },
  {
    name: "log-likelihood:options-norm",
    title: "Log-likelihood of options a character (acc_norm)",
    scored: "options",
    length: (option) => Array.from(option).length,
  },
  {
    name: "log-likelihood:options-bytes",
    title: "Log-likelihood of options a byte",
    scored: "options",
    length: (option) => encoder.encode(option).length,
  },
];

/** Usual MMLU setting: five questions of the subject with letters. */
const fewShot: Scoring = {
  name: "log-likelihood:few-shot",
  title: "Log-likelihood of letters, five examples",
  scored: "letters",
};

/**
 * lm-evaluation-harness, output type multiple_choice: the sum of the log-probs of an option's tokens behind the prompt,
 * with a call for the prompt.
 */
export const logLikelihoods: readonly Baseline[] = [
  ...zeroShot.map((scoring) => ({
    name: scoring.name,
    title: scoring.title,
    temperature: 0,
    create: (options: BaselineOptions) => topologyOf(scoring, askedOf(scoring, options)),
    maxCalls: () => mostOptions + 1,
    maxCopies: () => ({ questions: mostOptions + 1, examples: 0, replies: 0 }),
    replyTokens: 1,
  })),
  {
    ...methodOf({
      name: fewShot.name,
      title: fewShot.title,
      protocols: protocolsOf(fewShot.name),
      create: (protocol, options) =>
        topologyOf(fewShot, askedOf(fewShot, options), headOf(shotsOf(protocol, options), options.script)),
      maxCopies: ({ calls: { most } }) => ({ questions: most, examples: most, replies: 0 }),
    }),
    replyTokens: 1,
  },
];

type Asked = NonNullable<BaselineOptions["asked"]>;

function askedOf({ name }: Scoring, { asked, family }: BaselineOptions): Asked {
  if (asked !== undefined && asked.choices.length > 1) return asked;
  throw configError(
    `${name} scores options, and ${family ?? "such"} questions have none: use it on mmlu, aqua and similar`,
    { method: name },
  );
}

function headOf(examples: readonly Exemplar[], script: Script | undefined): string {
  const [first] = examples;
  if (!first) return "";
  const header = script ? textOf(script, "header") : "Questions on {}, each with its answer.\n\n";
  const shown = examples.map(({ question, answer }) => {
    const { stem, options } = optionsOf(question);
    return `${wordsOf(fewShot, stem, options).prompt} ${answer}\n\n`;
  });
  return `${filled(header, (first.topic ?? "").replaceAll("_", " "))}${shown.join("")}`;
}

/** lm-evaluation-harness: MMLU (letters); ARC and MMLU's continuation (options). */
function wordsOf(
  { scored }: Scoring,
  question: string,
  choices: readonly string[],
): { readonly prompt: string; readonly continuations: readonly string[] } {
  const letters = choices.map((_, i) => String.fromCharCode(65 + i));
  if (scored === "options")
    return { prompt: `Question: ${question.trim()}\nAnswer:`, continuations: choices.map((choice) => ` ${choice}`) };
  const listed = choices.map((choice, i) => `${letters[i]}. ${choice}`).join("\n");
  return { prompt: `${question.trim()}\n${listed}\nAnswer:`, continuations: letters.map((letter) => ` ${letter}`) };
}

function topologyOf(scoring: Scoring, { question, choices }: Asked, before = ""): Topology {
  const { prompt: own, continuations } = wordsOf(scoring, question, choices);
  const prompt = `${before}${own}`;
  return {
    name: scoring.name,
    agents: [agent],
    run: async (problem, context) => {
      const alone = await score(prompt, 0, 0, context);
      const options: Scored[] = [];
      // An option's tokens are those after the prompt's.
      for (const [i, continuation] of continuations.entries())
        options.push(await score(prompt + continuation, alone.logProbs.length, i + 1, context));
      const values = options.map(({ total }, i) => total / (scoring.length?.(choices[i]!) ?? 1));
      const best = values.indexOf(Math.max(...values));
      const { utterance } = options[best]!;
      const text = `The answer is ${String.fromCharCode(65 + best)}`;
      const turns = [alone, ...options].map(({ turn }) => turn);
      return endEpisode(scoring.name, problem, turns, { ...utterance, text }, "answered");
    },
  };
}

interface Scored {
  readonly logProbs: readonly (number | null)[];
  readonly total: number;
  readonly utterance: Utterance;
  readonly turn: Turn;
}

async function score(text: string, from: number, turn: number, context: EpisodeContext): Promise<Scored> {
  const model = context.models[agent];
  if (!model) throw configError(`agent "${agent}" has no model`, { agent });
  const started = context.clock?.();
  const completion = await model.complete({
    prompt: { kind: "text", text },
    sampling: { temperature: 0, maxTokens: 1 },
    random: context.random.split(`turn:${turn}`).state(),
    scorePrompt: true,
    ...present({ signal: context.signal }),
  });
  const { promptLogProbs: logProbs, usage } = completion;
  if (!logProbs)
    throw configError(
      `${model.id} has no prompt log-probs (completions with echo and logprobs), so it cannot score options`,
      { model: model.id },
    );
  const option = logProbs.slice(from);
  const total = option.reduce<number>((sum, logProb) => sum + (logProb ?? 0), 0);
  const reply = from === 0 ? `${logProbs.length} tokens` : `log p = ${total} of ${option.length} tokens`;
  const seconds = started === undefined || !context.clock ? undefined : (context.clock() - started) / 1000;
  const utterance: Utterance = {
    agent,
    turn,
    round: 0,
    prompt: text,
    text: reply,
    silent: false,
    writtenTokens: usage.completionTokens,
    deliveredTo: [],
    finishReason: completion.finishReason,
    model: completion.model,
  };
  const call = { turn, round: 0, agent, ...callTokens(usage), reads: [], ...present({ seconds }) };
  const message = { from: agent, turn, round: 0, text: reply, tokens: 0, silent: false };
  return { logProbs, total, utterance, turn: { utterance, call, message } };
}
