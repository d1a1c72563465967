import { expect, test } from "vitest";
import { sentenceBleu } from "./sentence-bleu.ts";

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
