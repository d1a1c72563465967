import { expectThat } from "@laconic/core/testing";
import { randomFromSeed, type Sampling, type SamplingName } from "@laconic/core";
import { kernelSampling, samplingParameters } from "@laconic/core/backends";
import type { Kernels } from "../../contract.ts";
import { agreesWithReference, expectClose, expectSame, tolerances, type KernelCase } from "./kernel-case.ts";

/** One row; absent settings truncate nothing. */
interface Draw extends Partial<Sampling> {
  readonly logits: readonly number[];
  readonly uniform: number;
}

const largestBelowOne = 1 - 2 ** -24;

function columnsOf(draws: readonly Draw[]): Readonly<Partial<Record<SamplingName, Float32Array>>> {
  const columns = kernelSampling.map((name) => [
    name,
    Float32Array.from(draws, (draw) => draw[name] ?? samplingParameters[name].neutral),
  ]);
  return Object.fromEntries(columns) as Readonly<Partial<Record<SamplingName, Float32Array>>>;
}

async function sample(kernels: Kernels, draws: readonly Draw[]): Promise<{ tokens: number[]; logProbs: number[] }> {
  const vocabulary = draws[0]?.logits.length ?? 0;
  const { tokens, logProbs } = kernels.scope(() =>
    kernels.sampleTokens(
      kernels.upload(Float64Array.from(draws.flatMap(({ logits }) => logits)), [draws.length, vocabulary], "full"),
      {
        ...columnsOf(draws),
        temperature: Float32Array.from(draws, ({ temperature = 1 }) => temperature),
        uniform: Float32Array.from(draws, ({ uniform }) => uniform),
      },
    ),
  );
  const result = { tokens: Array.from(await kernels.read(tokens)), logProbs: Array.from(await kernels.read(logProbs)) };
  kernels.free(tokens, logProbs);
  return result;
}

function logSoftmax(logits: readonly number[], temperature: number): number[] {
  const scores = logits.map((logit) => logit / temperature);
  const top = Math.max(...scores);
  const logSum = top + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - top), 0));
  return scores.map((score) => score - logSum);
}

/** Uniform number in the middle of each kept token's share. */
function middles(
  logits: readonly number[],
  temperature: number,
  retained: readonly number[],
): { token: number; uniform: number }[] {
  const probs = logSoftmax(logits, temperature).map(Math.exp);
  const total = retained.reduce((sum, token) => sum + (probs[token] as number), 0);
  let mass = 0;
  return retained.map((token) => {
    const share = (probs[token] as number) / total;
    mass += share;
    return { token, uniform: mass - share / 2 };
  });
}

/** Exactly the kept tokens are drawn, each over its share. Tokens are in ascending order. */
function keeps(
  name: string,
  logits: readonly number[],
  settings: Omit<Draw, "logits" | "uniform">,
  retained: readonly number[],
): KernelCase {
  return {
    name: `sampling: ${name}`,
    async run(create) {
      const kernels = await create();
      const { temperature = 1 } = settings;
      const expected = middles(logits, temperature || 1, retained);
      const edges = [
        { token: retained[0] as number, uniform: 0 },
        { token: retained.at(-1) as number, uniform: largestBelowOne },
        // A 32-bit uniform number may round to 1 as a float32.
        { token: retained.at(-1) as number, uniform: 1 },
      ];
      const wanted = [...expected, ...edges];
      const drawn = await sample(
        kernels,
        wanted.map(({ uniform }) => ({ logits, uniform, ...settings })),
      );
      expectSame(
        "tokens",
        drawn.tokens,
        wanted.map(({ token }) => token),
      );
      const logProbs = logSoftmax(logits, temperature || 1);
      const before = Float64Array.from(wanted, ({ token }) => logProbs[token] as number);
      expectClose("log-probs before truncation", Float64Array.from(drawn.logProbs), before, tolerances[kernels.dtype]);
    },
  };
}

function randomLogits(label: string, vocabulary: number): number[] {
  const random = randomFromSeed(label);
  return Array.from({ length: vocabulary }, () => (random.integer(255) - 127) / 64);
}

const all = (vocabulary: number): number[] => Array.from({ length: vocabulary }, (_, token) => token);
/** Probabilities 1/4, 1/8, 1/2, 1/16, 1/16 up to a factor. */
const halves = [-2, -3, -1, -4, -4].map((power) => power * Math.LN2);
const shares = [0.12, 0.36, 0.04, 0.24, 0.08, 0.16].map(Math.log);

export const samplingCases: readonly KernelCase[] = [
  keeps("every token of 45 is drawn over its own share", randomLogits("a", 45), {}, all(45)),
  keeps("every token of 1,000 is drawn over its own share", randomLogits("b", 1000), {}, all(1000)),
  keeps("a low temperature sharpens", randomLogits("c", 17), { temperature: 0.5 }, all(17)),
  keeps("a high temperature flattens", randomLogits("c", 17), { temperature: 4 }, all(17)),
  keeps("one token has probability 1", [3], {}, [0]),
  keeps("tokens whose probability underflows are never drawn", [-1000, 0, -2000, 1, -1500], {}, [1, 3]),
  keeps("logits of several hundred do not overflow", [700, 699, -900, 698, -800], {}, [0, 1, 3]),
  keeps("temperature 0 takes the likeliest, log-prob at temperature 1", halves, { temperature: 0 }, [2]),
  keeps("temperature 0 takes the first of equals", [1, 2, 2, 0, 2], { temperature: 0 }, [1]),
  keeps("temperature 0 ignores truncation", [1, 2, 2, 0, 2], { temperature: 0, topK: 2, topP: 0.5, minP: 0.5 }, [1]),
  keeps("top-k 1 keeps the likeliest", halves, { topK: 1 }, [2]),
  keeps("top-k 3 keeps three", halves, { topK: 3 }, [0, 1, 2]),
  keeps("top-k keeps equals at its border", halves, { topK: 4 }, [0, 1, 2, 3, 4]),
  keeps("top-k 0 keeps everything", halves, { topK: 0 }, all(5)),
  keeps("top-k of the vocabulary or more keeps everything", halves, { topK: 5 }, all(5)),
  keeps("top-k beyond the vocabulary keeps everything", halves, { topK: 50 }, all(5)),
  keeps("top-k at a temperature, 45 tokens", [...randomLogits("d", 44), 3], { topK: 1, temperature: 2 }, [44]),
  keeps("top-p keeps the fewest that reach it: 0.45 takes one", halves, { topP: 0.45 }, [2]),
  keeps("top-p keeps the fewest that reach it: 0.55 takes two", halves, { topP: 0.55 }, [0, 2]),
  keeps("top-p keeps the fewest that reach it: 0.8 takes three", halves, { topP: 0.8 }, [0, 1, 2]),
  keeps("a tiny top-p keeps the likeliest", halves, { topP: 1e-6 }, [2]),
  keeps("top-p keeps equals at its border", [0, 0, 0, 0], { topP: 0.6 }, all(4)),
  keeps("min-p 0.3 cuts what is less likely than 0.3 of the likeliest", halves, { minP: 0.3 }, [0, 2]),
  keeps("min-p 0.2 cuts what is less likely than 0.2 of the likeliest", halves, { minP: 0.2 }, [0, 1, 2]),
  keeps("min-p 1 keeps the likeliest and its equals", [1, 2, 2, 0, 2], { minP: 1 }, [1, 2, 4]),
  keeps("truncation sees the temperature", halves, { minP: 0.45, temperature: 2 }, [0, 1, 2]),
  // 0.36 and 0.24 of the three kept reach 3/4; of all tokens, three are needed.
  keeps("top-p counts the mass that top-k left", shares, { topK: 3, topP: 0.75 }, [1, 3]),
  keeps("without top-k the same top-p keeps three", shares, { topP: 0.75 }, [1, 3, 5]),
  keeps("min-p cuts further", shares, { topK: 3, topP: 0.75, minP: 0.7 }, [1]),
  keeps("the widest min-p does not undo top-k", shares, { topK: 2, minP: 0.01 }, [1, 3]),
  {
    name: "sampling: each row has its own settings",
    async run(create) {
      const logits = halves;
      const draws: readonly Draw[] = [
        { logits, uniform: 0.99 },
        { logits, uniform: 0.99, temperature: 0 },
        { logits, uniform: 0.99, topK: 2 },
        { logits: [5, 0, 0, 0, 0], uniform: 0.5 },
        { logits, uniform: 0.99, minP: 0.2 },
        { logits, uniform: 0.2 },
      ];
      const { tokens } = await sample(await create(), draws);
      expectSame("tokens", tokens, [4, 2, 2, 0, 2, 0]);
    },
  },
  agreesWithReference("sampling: 60 rows of mixed settings, and the logits stay as they were", (bench) => {
    const random = randomFromSeed("mixed");
    const rows = Array.from({ length: 60 }, (_, b) => b);
    return bench.kernels.sampleTokens(bench.full("logits", [60, 45]), {
      temperature: Float32Array.from(rows, (b) => [1, 0, 0.75, 1.5][b % 4] as number),
      topK: Int32Array.from(rows, (b) => [0, 7, 20][b % 3] as number),
      topP: Float32Array.from(rows, (b) => [1, 0.9, 0.7, 1, 0.3][b % 5] as number),
      minP: Float32Array.from(rows, (b) => [0, 0.05, 0, 0, 0, 0.3, 0][b % 7] as number),
      uniform: Float32Array.from(rows, () => random.uniform()),
    });
  }),
  agreesWithReference("log-probs of given tokens and of the 5 likeliest, at temperature 1", (bench) => {
    // All different, because ties have no order.
    const distinct = Array.from({ length: 9 * 45 }, (_, i) => ((179 * i) % 405) / 64 - 3);
    const logits = bench.fullValues("logits", distinct, [9, 45]);
    return bench.kernels.tokenLogProbs(logits, bench.ints("tokens", [0, 44, 7, 7, 12, 30, 1, 2, 3]), 5);
  }),
  agreesWithReference("log-probs of given tokens alone, and of a whole vocabulary", (bench) => {
    const logits = bench.full("logits", [2, 4]);
    const tokens = bench.ints("tokens", [3, 0]);
    return {
      alone: bench.kernels.tokenLogProbs(logits, tokens, 0).logProbs,
      ...bench.kernels.tokenLogProbs(logits, tokens, 4),
    };
  }),
  {
    name: "sampling: a reply does not depend on the other rows",
    async run(create) {
      const kernels = await create();
      const random = randomFromSeed("alone");
      const draws = Array.from({ length: 9 }, (_, b): Draw => ({
        logits: randomLogits(`row ${b}`, 45),
        uniform: random.uniform(),
        topP: 0.9,
      }));
      const together = await sample(kernels, draws);
      for (const [b, draw] of draws.entries()) {
        const alone = await sample(kernels, [draw]);
        expectThat(
          alone.tokens[0] === together.tokens[b],
          `row ${b} to draw ${together.tokens[b]}, got ${alone.tokens[0]}`,
        );
        const gap = Math.abs((alone.logProbs[0] as number) - (together.logProbs[b] as number));
        const most = kernels.batchInvariant ? 0 : tolerances[kernels.dtype];
        expectThat(gap <= most, `row ${b} to have the same log-prob alone within ${most}, got a gap of ${gap}`);
      }
    },
  },
];
