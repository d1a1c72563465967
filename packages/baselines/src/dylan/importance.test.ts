import { randomFromSeed } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { agentImportance, scoresIn, weightsOf, withoutScores, type Neuron } from "./importance.ts";
import { sentenceBleu } from "./sentence-bleu.ts";
import { bestTwo } from "./team.ts";

describe("scores in double brackets", () => {
  test("the last ones count; what is no whole number is 0; a reply is read without them", () => {
    expect(scoresIn("[[1, 2]] then [[5,3 , x]]")).toEqual([5, 3, 0]);
    expect(scoresIn("[1, 2] and nothing more")).toEqual([]);
    expect(withoutScores("[[4, 4]] The answer is (B).")).toBe("The answer is (B).");
  });
  test("a fifth each, more than 5 is 1, less than 1 is 0, then to a sum of 1", () => {
    expect(weightsOf([5, 3, 2], 3)).toEqual([0.5, 0.3, 0.2]);
    const [high = 0, low = 0] = weightsOf([9, -4, 5], 3);
    expect([high, low]).toEqual([0.5, 0]);
  });
  test("a wrong number of scores is rejected; replies without scores have equal weights", () => {
    expect(weightsOf([5, 1, 1], 2)).toEqual([0.5, 0.5]);
    expect(weightsOf([0, 0, 0, 0], 4)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });
});

test("importance goes backwards along the weights, and is 1 in every layer", () => {
  const none = { received: [], weights: [] };
  const neurons: Neuron[] = [
    { agent: "a", layer: 0, agrees: false, ...none },
    { agent: "b", layer: 0, agrees: true, ...none },
    { agent: "a", layer: 1, agrees: true, received: [0, 1], weights: [0.25, 0.75] },
    { agent: "b", layer: 1, agrees: false, received: [1, 0], weights: [1, 0] },
    { agent: "a", layer: 2, agrees: true, received: [2, 3], weights: [0.6, 0.4] },
    { agent: "b", layer: 2, agrees: true, received: [2, 3], weights: [0.2, 0.8] },
  ];
  // Layer 2: a 1/2, b 1/2. Layer 1: a (0.6 + 0.2) / 2 = 0.4, b 0.6. Layer 0: a 0.25 x 0.4 = 0.1, b 0.75 x 0.4 + 0.6 = 0.9.
  const importance = agentImportance(neurons);
  expect(importance.get("a")).toBeCloseTo(0.5 + 0.4 + 0.1, 12);
  expect(importance.get("b")).toBeCloseTo(0.5 + 0.6 + 0.9, 12);
});

test("the importance of each layer adds up to 1 in random networks, up to unscored results", () => {
  const random = randomFromSeed("importance");
  for (let i = 0; i < 50; i++) {
    const agents = 2 + random.integer(5);
    const neurons: Neuron[] = [];
    for (let layer = 0; layer < 3; layer++)
      for (let k = 0; k < agents; k++) {
        const heard =
          layer === 0 ? [] : random.shuffle(Array.from({ length: agents }, (_, j) => (layer - 1) * agents + j));
        const scores = heard.map(() => random.integer(7));
        const agrees = k === 0 || random.uniform() < 0.5;
        neurons.push({ agent: `${k}`, layer, received: heard, weights: weightsOf(scores, heard.length), agrees });
      }
    const sum = [...agentImportance(neurons).values()].reduce((total, value) => total + value, 0);
    expect(sum).toBeCloseTo(3, 10);
  }
});

describe("the best two", () => {
  const random = randomFromSeed("rank");
  test("the last pair counts, clipped to the range", () => {
    expect(bestTwo("[4, 4] no: [2, 3]", 4, random)).toEqual({ best: [1, 2], drawn: false });
    expect(bestTwo("[1, 9]", 4, random)).toEqual({ best: [0, 3], drawn: false });
  });
  test.for(["[2, 2]", "[8, 9]", "the first", "", "[1]"])("%j names no two: two are drawn", (reply) => {
    const { best, drawn } = bestTwo(reply, 4, random);
    expect([drawn, new Set(best).size, best.every((i) => i >= 0 && i < 4)]).toEqual([true, 2, true]);
  });
});

// sacreBLEU 2.6.0: sentence_bleu(text, [reference], lowercase=True).score
test.for([
  ["def add(a, b):\n    return a + b", "def add(a, b):\n    return b + a", 76.32661822742675],
  ["def add(a, b):\n    return a + b", "def add(a, b):\n    # the sum\n    return a + b", 64.98720966714548],
  ["x = 1", "y = 2.5, 1-2", 9.138402379955025],
  ["the cat", "The Cat sat on the mat", 13.533528323661276],
  ["pass", "pass", 100],
  ["a", "b", 0],
  [
    "if x < 10.5 and y >= -3:\n    print('ok')\nreturn [x for x in range(1,2)]",
    "if x <= 10.5 and y > -3:\n    print('ok')\nreturn [x for x in range(1,2)]",
    82.66188889979826,
  ],
] as const)("%j against %j", ([text, reference, score]) => {
  expect(sentenceBleu(text, reference)).toBeCloseTo(score, 10);
});
