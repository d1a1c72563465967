import { expect, test } from "vitest";
import { learningRateAt, type LearningRateSchedule } from "./schedules.ts";

const schedule: LearningRateSchedule = { peak: 0.4, warmUpSteps: 4, decay: "linear", finalFraction: 0.1 };

test("warm-up rises in equal steps and ends at the peak", () => {
  expect([0, 1, 2, 3].map((step) => learningRateAt(schedule, step, 14))).toBeAllclose([0.1, 0.2, 0.3, 0.4]);
});

test("a linear decay falls from the peak to its final fraction and stays there", () => {
  expect([4, 9, 14, 20].map((step) => learningRateAt(schedule, step, 14))).toBeAllclose([0.4, 0.22, 0.04, 0.04]);
});

test("a cosine decay is half-way down in the middle and slow at both ends", () => {
  const cosine: LearningRateSchedule = { ...schedule, decay: "cosine", finalFraction: 0 };
  const quarter = 0.2 * (1 + Math.SQRT1_2);
  expect([4, 6.5, 9, 14].map((step) => learningRateAt(cosine, step, 14))).toBeAllclose([0.4, quarter, 0.2, 0]);
});

test("a constant rate ignores the length of the run", () => {
  const constant: LearningRateSchedule = { peak: 0.4, warmUpSteps: 0, decay: "constant", finalFraction: 1 };
  expect([0, 5, 1000].map((step) => learningRateAt(constant, step, 10))).toEqual([0.4, 0.4, 0.4]);
});

test("a schedule that cannot be followed is refused", () => {
  for (const wrong of [{ warmUpSteps: -1 }, { finalFraction: 1.5 }, { finalFraction: -0.1 }])
    expect(() => learningRateAt({ ...schedule, ...wrong }, 0, 10)).toFailWith("config_invalid");
});
