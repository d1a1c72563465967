import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { stepsOf } from "../test/steps.ts";
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

test("the price falls at once after a long saturation; without anti-windup it takes hundreds of iterations", () => {
  const [held, wound] = [afterSaturation(true), afterSaturation(false)];
  expect(held.integral).toBe(0.05);
  expect(held.iterationsAtMax).toBeLessThanOrEqual(5);
  expect(Math.abs(held.tokensLater / 14 - 1)).toBeLessThan(0.1);
  expect(wound.integral).toBeCloseTo(200 * 2e-4 * 16, 1);
  expect(wound.iterationsAtMax === -1 || wound.iterationsAtMax > 300).toBe(true);
  expect(wound.tokensLater).toBeCloseTo(60 * Math.exp(-2), 3);
});

const truncated = { tokens: 50, truncatedShare: 0.5 };

test("a truncated cost above budget raises the price as any other does; below budget it lowers nothing", () => {
  const controller = dualController({ targetTokens: 14, learningRate: 2e-4, initialPrice: 0.002 });
  const step = controller.step(controller.init(), truncated);
  expect(step).toMatchObject({ price: 0.002 + 2e-4 * 36, diagnostics: { held: 0, violation: 36 } });
  const low = controller.step(controller.init(), { tokens: 10, truncatedShare: 0.5 });
  expect(low).toMatchObject({ price: 0.002, state: { integral: 0.002 }, diagnostics: { held: 1, violation: -4 } });
  const whole = controller.step(controller.init(), { tokens: 10, truncatedShare: 0.1 });
  expect(whole).toMatchObject({ price: 0.002 - 2e-4 * 4, diagnostics: { held: 0 } });
});

test("few truncated episodes are tolerated, and without anti-windup all are", () => {
  const few = dualController({ targetTokens: 14, learningRate: 0.5, truncationTolerance: 0.5 });
  expect(few.step(few.init(), truncated)).toMatchObject({ price: 18, diagnostics: { held: 0 } });
  const off = dualController({ targetTokens: 14, learningRate: 0.5, initialPrice: 1, antiWindup: false });
  expect(off.step(off.init(), truncated)).toMatchObject({ price: 19, diagnostics: { held: 0 } });
});

test("a team that always hits the cap still learns", () => {
  const controller = dualController({ targetTokens: 14, learningRate: 2e-4 });
  expect(stepsOf(controller, [truncated, truncated])).toMatchObject([
    { price: 2e-4 * 36, diagnostics: { held: 0 } },
    { price: 2 * 2e-4 * 36, diagnostics: { held: 0 } },
  ]);
  const capped = simulatedTeam({ talkTokens: 60, sensitivity: 40, capTokens: 50 });
  const { rows } = simulate(controller, capped, 1000, 1);
  expect(rows[0]).toMatchObject({ tokens: 50, truncatedShare: 1 });
  expect(Math.abs((rows.at(-1)?.tokens as number) / 14 - 1)).toBeLessThan(0.1);
});

/**
 * A batch of 64 episodes of exponentially distributed length, cut at `cap`, under Eq. 5 in units of the budget. The mean
 * length a team settles at falls with the price; its habit lags behind.
 */
function cutBatches(cap: number, iterations: number) {
  const controller = dualController({ targetTokens: 20, learningRate: 0.02, unit: "budget" });
  const random = randomFromSeed(3);
  let state = controller.init();
  let habit = 90;
  return Array.from({ length: iterations }, () => {
    habit += 0.1 * (90 * Math.exp(-60 * state.price) - habit);
    const lengths = Array.from({ length: 64 }, () => -habit * Math.log(1 - random.uniform()));
    const tokens = lengths.reduce((sum, length) => sum + Math.min(length, cap), 0) / lengths.length;
    const truncatedShare = lengths.filter((length) => length > cap).length / lengths.length;
    const step = controller.step(state, { tokens, truncatedShare });
    ({ state } = step);
    return { tokens, truncatedShare, price: step.price };
  });
}

test("many replies at the limit: the price does not freeze, and the tokens reach the budget", () => {
  const rows = cutBatches(64, 400);
  // A third and more are cut at first, at more than twice the budget: the price rises in every one of these steps.
  const early = rows.slice(0, 15);
  expect(early.every(({ tokens, truncatedShare }) => tokens > 28 && truncatedShare > 0.1)).toBe(true);
  expect(early.every(({ price }, i) => price > (early[i - 1]?.price ?? 0))).toBe(true);
  const late = rows.slice(-100).reduce((sum, { tokens }) => sum + tokens, 0) / 100;
  expect(Math.abs(late / 20 - 1)).toBeLessThan(0.1);
});

test("a limit close to the budget bounds every cost from below, and the team stays within the budget", () => {
  const rows = cutBatches(24, 400);
  const late = rows.slice(-100);
  expect(late.reduce((sum, { tokens }) => sum + tokens, 0) / 100).toBeLessThan(20);
  expect(late.every(({ price }) => price > 0 && price < 0.1)).toBe(true);
});
