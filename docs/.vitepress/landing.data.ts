import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Message {
  readonly agent: string;
  readonly knows: string | null;
  readonly says: string;
  readonly tokens: number;
}

interface Conversation {
  readonly step: number;
  readonly question: string;
  readonly gold: string;
  readonly said: readonly Message[];
  readonly answer: string | null;
  readonly right: boolean;
}

interface Measured {
  readonly accuracy: number;
  readonly tokens: number;
}

interface Ran {
  readonly before: Measured;
  readonly after: Measured;
  readonly seconds: number;
}

const docs = join(import.meta.dirname, "..");
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

export interface Landing {
  readonly talks: readonly (Conversation & { readonly tokens: number })[];
  readonly figures: readonly { readonly value: string; readonly says: string }[];
  /** Picture that phones show instead of the playground. */
  readonly still: { readonly src: string; readonly dark: string; readonly alt: string };
}

declare const data: Landing;
export { data };

/** Content of the front page, computed from committed results at each build. */
export default {
  watch: ["../results/quickstart-transcripts.jsonl", "../benchmarks/quickstart-seeds.json"],
  load(): Landing {
    const lines = readFileSync(join(docs, "results/quickstart-transcripts.jsonl"), "utf8").trim().split("\n");
    // First recorded problem; not selected by result.
    const talks = lines.slice(0, 2).map((line) => {
      const talk = JSON.parse(line) as Conversation;
      return { ...talk, tokens: talk.said.reduce((sum, { tokens }) => sum + tokens, 0) };
    });
    const runs = JSON.parse(readFileSync(join(docs, "benchmarks/quickstart-seeds.json"), "utf8")) as readonly Ran[];
    const meanOf = (value: (run: Ran) => number): number =>
      runs.reduce((sum, run) => sum + value(run), 0) / runs.length;
    const tokens = [meanOf(({ before }) => before.tokens), meanOf(({ after }) => after.tokens)] as const;
    const accuracy = [meanOf(({ before }) => before.accuracy), meanOf(({ after }) => after.accuracy)];
    return {
      still: {
        src: "/playground.png",
        dark: "/playground-dark.png",
        alt: "The playground: a team of four, what each says, what it costs, and falling tokens",
      },
      talks,
      figures: [
        {
          value: `${tokens[0].toFixed(1)} → ${tokens[1].toFixed(1)}`,
          says: "tokens a team of four writes per problem",
        },
        {
          value: `${(tokens[0] / tokens[1]).toFixed(1)} ×`,
          says: "fewer, with a budget of 14 that the price finds by itself",
        },
        { value: accuracy.map(percent).join(" → "), says: "of validation problems solved" },
        {
          value: `${Math.round(meanOf(({ seconds }) => seconds))} s`,
          says: "of training on two processor cores, no GPU",
        },
      ],
    };
  },
};
