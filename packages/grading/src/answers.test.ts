import { describe, expect, test } from "vitest";
import { extractLetter, gradeLetter } from "./letter-answer.ts";
import { extractNumber, gradeNumber } from "./number-answer.ts";

describe("letters", () => {
  test.for([
    ["So the correct option is E) None of these", "E"],
    ["the answer is b", "B"],
    ["The choice is C. The choice is D.", "D"],
    ["Option B: 4", "B"],
    ["D is ruled out. Hence (C)", "C"],
    ["The answer is $\\boxed{\\text{(B)}}$", "B"],
    ["The answer is a matter of taste.", null],
    ["I think a dog is best", null],
    ["A", "A"],
    ["(a)", "A"],
    ["Answer: **C**", "C"],
    ["A. Paris", "A"],
    ["\\boxed{\\text{D) 42}}", "D"],
    ["the correct answer is option D.", "D"],
    ["Therefore the answer is not A but (B)", "B"],
    ["I'd select option 'A'.", "A"],
    ["B is the answer", "B"],
    ["the answer is\n\nC", "C"],
    ["सही उत्तर A है, क्योंकि D गलत है।", "A"],
    ["Antworten A und B sind falsch, also ist C richtig.", "C"],
    ["Ist C richtig? Ich weiß es nicht.", null],
    ["The answer is F", null],
    ["", null],
  ] as const)("%j chooses %j", ([reply, letter]) => {
    expect(extractLetter(reply, "ABCDE")?.answer ?? null).toBe(letter);
  });
  test("only the benchmark's letters count", () => {
    expect(extractLetter("The answer is E", "ABCD")).toBeNull();
    expect(gradeLetter("The answer is (c).", "C", "ABCD")).toMatchObject({ correct: true, certainty: "exact" });
    expect(gradeLetter("no idea", "C", "ABCD")).toMatchObject({ correct: false, extracted: null });
  });
});

describe("numbers", () => {
  test.for([
    ["First 12 then 30, so the answer is 64 eggs", "64", "after the answer trigger"],
    ["The final answer is 45. I checked 2 ways.", "45", "after the answer trigger"],
    ["#### 2 dollars", "2", "after ####"],
    ["#### 3\nIgnore that.\n#### 4", "4", "after ####"],
    ["= 14", "14", "the whole text"],
    ["The answer is \\boxed{15}.", "15", "boxed"],
    ["it costs $1,234.50 in total", "1234.50", "last number"],
    ["\u22125", "-5", "the whole text"],
    ["The answer is 3 + 4 = 7.", "7", "after the answer trigger"],
    ["10-3=7", "7", "the whole text"],
    ["answer is .5", ".5", "after the answer trigger"],
    ["\\boxed{58{,}500}", "58500", "boxed"],
  ] as const)("%j says %s (%s)", ([reply, answer, rule]) => {
    expect(extractNumber(reply)).toEqual({ answer, rule });
  });
  test.for([
    "I am unable to solve this problem with 5 unknowns.",
    "I cannot determine which of the 7 boxes is meant.",
    "We could not find the sum of 12 terms",
  ])("%j is a refusal and no number", (reply) => {
    expect(extractNumber(reply)).toBeNull();
  });
  test.for([
    ["20.00", "#### 20", true],
    ["1,000", "work <<1=1>>1\n#### 1,000", true],
    ["-0.5", "-.50", true],
    ["20.000001", "20", false],
    ["none", "20", false],
  ] as const)("%j against %j: %s", ([reply, gold, right]) => {
    expect(gradeNumber(reply, gold).correct).toBe(right);
  });
});
