import { expect, test } from "vitest";
import { dualController } from "./index.ts";
import { simulate, simulatedTeam } from "./testing/index.ts";

const talk = { talkTokens: 60, sensitivity: 40, lag: 0.5 };
const stubborn = simulatedTeam({ ...talk, floorTokens: 30 }); // cannot keep 14, whatever the price
const willing = simulatedTeam(talk);
const options = { targetTokens: 14, learningRate: 2e-4, maxPrice: 0.05 };

/** 200 iterations that cannot keep the budget, then 400 that can: at maximum the willing team settles at 8.1 tokens. */
function afterSaturation(antiWindup: boolean) {
  const controller = dualController({ ...options, antiWindup });
  const saturated = simulate(controller, stubborn, 200, 1);
  expect(saturated.end.controller.price).toBe(0.05);
  expect(saturated.rows.at(-1)?.diagnostics).toMatchObject({ saturated: 1, violation: 16 });
  const { rows } = simulate(controller, willing, 400, saturated.end);
  return {
    integral: saturated.end.controller.integral,
    iterationsAtMax: rows.findIndex((row) => row.price < 0.05),
    tokensLater: rows.slice(60, 100).reduce((sum, row) => sum + row.tokens, 0) / 40,
  };
}

test("after a long saturation the price comes down at once", () => {
  const { integral, iterationsAtMax, tokensLater } = afterSaturation(true);
  expect(integral).toBe(0.05);
  expect(iterationsAtMax).toBeLessThanOrEqual(5);
  expect(Math.abs(tokensLater / 14 - 1)).toBeLessThan(0.1);
});

test("without anti-windup the price stays at its maximum for hundreds of iterations", () => {
  const { integral, iterationsAtMax, tokensLater } = afterSaturation(false);
  expect(integral).toBeCloseTo(200 * 2e-4 * 16, 1);
  expect(iterationsAtMax === -1 || iterationsAtMax > 300).toBe(true);
  expect(tokensLater).toBeCloseTo(60 * Math.exp(-2), 3);
});

test("the proportional term alone cannot wind the integral up either", () => {
  const controller = dualController({ ...options, proportionalGain: 0.01 });
  const { end } = simulate(controller, stubborn, 200, 1);
  expect(end.controller).toMatchObject({ price: 0.05, integral: 0 });
});

test("no price passes its maximum", () => {
  const controller = dualController({ ...options, learningRate: 1, derivativeGain: 1 });
  const { rows } = simulate(controller, willing, 50, 1);
  expect(Math.max(...rows.map((row) => row.price))).toBe(0.05);
});

const truncated = { tokens: 50, truncatedShare: 0.5 };

test("the integral is held while a hard cap truncates the cost", () => {
  const controller = dualController({ targetTokens: 14, learningRate: 2e-4, initialPrice: 0.002 });
  const step = controller.step(controller.init(), truncated);
  expect(step).toMatchObject({ price: 0.002, diagnostics: { held: 1, violation: 36 } });
  const low = controller.step(controller.init(), { tokens: 10, truncatedShare: 0.5 });
  expect(low).toMatchObject({ price: 0.002, diagnostics: { held: 1 } });
});

test("few truncated episodes are tolerated, and without anti-windup all are", () => {
  const few = dualController({ targetTokens: 14, learningRate: 0.5, truncationTolerance: 0.5 });
  expect(few.step(few.init(), truncated)).toMatchObject({ price: 18, diagnostics: { held: 0 } });
  const off = dualController({ targetTokens: 14, learningRate: 0.5, initialPrice: 1, antiWindup: false });
  expect(off.step(off.init(), truncated)).toMatchObject({ price: 19, diagnostics: { held: 0 } });
});

test("a team that always hits the cap still learns: a price of 0 moves", () => {
  const controller = dualController({ targetTokens: 14, learningRate: 2e-4 });
  const first = controller.step(controller.init(), truncated);
  expect(first).toMatchObject({ price: 2e-4 * 36, diagnostics: { held: 0 } });
  expect(controller.step(first.state, truncated)).toMatchObject({ price: 2e-4 * 36, diagnostics: { held: 1 } });

  const capped = simulatedTeam({ talkTokens: 60, sensitivity: 40, capTokens: 50 });
  const { rows } = simulate(controller, capped, 1000, 1);
  expect(rows[0]).toMatchObject({ tokens: 50, truncatedShare: 1 });
  expect(Math.abs((rows.at(-1)?.tokens as number) / 14 - 1)).toBeLessThan(0.1);
});
