import { randomFromSeed } from "@laconic/core";
import type { Environment, Episode, EpisodeContext, LanguageModel, Problem } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { inEnvironment, solo } from "@laconic/topologies";

/** Subject of the suite. */
export interface EnvironmentSubject {
  readonly environment: Environment;
  readonly problem: Problem;
  /** Texts of a turn with at least one reply of the environment. */
  readonly texts: readonly string[];
  /** Author of the texts. Default `agent`. */
  readonly agent?: string;
}

/** A check of the suite, independent of test runners. */
export interface EnvironmentCase {
  readonly name: string;
  readonly run: (create: () => EnvironmentSubject) => Promise<void>;
}

/** Checks for every environment: `for (const item of environmentCases) test(item.name, () => item.run(create))`. */
export const environmentCases: readonly EnvironmentCase[] = [
  {
    name: "it answers the texts, each answer is read once, and the prompt holds it",
    async run(create) {
      const episode = await play(create());
      const observed = observedIn(episode);
      check(observed.length > 0, "no text got an answer");
      const reads = episode.ledger.calls.flatMap((call) => call.reads.filter(({ from }) => from === "environment"));
      equal(
        reads.map(({ turn }) => turn),
        observed.map(({ turn }) => turn),
        "turns whose answers were read",
      );
      for (const { turn, text } of observed)
        check(
          episode.utterances[turn + 1]?.prompt.includes(text) === true,
          `the prompt after turn ${turn} lacks its answer`,
        );
    },
  },
  {
    name: "seed and texts decide what it answers",
    async run(create) {
      equal(await play(create(), "a"), await play(create(), "a"), "the episode of one seed");
    },
  },
  {
    name: "episodes at once have states of their own",
    async run(create) {
      const subject = create();
      const alone = await play(create(), "a");
      const together = await Promise.all(["a", "b", "a"].map((seed) => play(subject, seed)));
      equal(together[0], alone, "an episode next to others");
      equal(together[2], alone, "an episode next to others");
    },
  },
  {
    name: "whatever an agent writes is answered or ends its turn",
    async run(create) {
      for (const text of hostile) {
        const { environment } = create();
        const wrapped = await play({ ...create(), texts: [text, text, text] });
        check(wrapped.utterances.length <= (environment.maxSteps ?? 8), "a turn has more texts than maxSteps");
        const rewards = (wrapped.observations ?? []).flatMap(({ reward = 0 }) =>
          typeof reward === "number" ? reward : Object.values(reward),
        );
        for (const reward of rewards) check(Number.isFinite(reward), "a reward is no number");
      }
    },
  },
  {
    name: "a state ends with its episode, also with an aborted one",
    async run(create) {
      const subject = create();
      let [begun, ended] = [0, 0];
      const counting: Environment = {
        ...subject.environment,
        reset: (problem, context) => {
          begun += 1;
          return subject.environment.reset(problem, context);
        },
        end: (state) => {
          ended += 1;
          return subject.environment.end?.(state);
        },
      };
      await play({ ...subject, environment: counting });
      const stopped = await play({ ...subject, environment: counting }, "a", { signal: AbortSignal.abort() }).then(
        () => "it ended",
        (error: { readonly code?: string }) => error.code,
      );
      equal([stopped, ended], ["aborted", begun], "an aborted episode, and states that ended");
    },
  },
];

const hostile = [
  "",
  " ",
  "\u0000\ud800",
  "{".repeat(5000),
  '{"name": "x", "arguments": ',
  "<tool_call>{}</tool_call>",
  "a".repeat(20_000),
];

function play(
  { environment, problem, texts, agent = "agent" }: EnvironmentSubject,
  seed = "a",
  more: Partial<EpisodeContext> = {},
): Promise<Episode> {
  const model: LanguageModel = scriptedModel((_, call) => texts[call] ?? "end", "texts");
  const spec = {
    id: agent,
    role: agent,
    maxTokens: 1e6,
    prompt: ({ question }: { readonly question: string }) => chat(question),
  };
  const context = { models: { [agent]: model }, sampling: { temperature: 1 }, random: randomFromSeed(seed), ...more };
  return inEnvironment(solo(spec), environment).run(problem, context);
}

function chat(content: string): {
  readonly kind: "messages";
  readonly messages: readonly { role: "user"; content: string }[];
} {
  return { kind: "messages", messages: [{ role: "user", content }] };
}

function observedIn({ observations = [] }: Episode): NonNullable<Episode["observations"]> {
  return observations.filter(({ text }) => text !== "");
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}

function equal(match: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(match), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: found ${a}, expected ${b}`);
}
