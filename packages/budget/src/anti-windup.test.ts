import { expect, test } from "vitest";
import { dualController } from "./index.ts";
import { simulate, simulatedTeam } from "./testing/index.ts";

const talk = { talkTokens: 60, sensitivity: 40, lag: 0.5 };
const stubborn = simulatedTeam({ ...talk, floorTokens: 30 }); // cannot keep 14, whatever the price
const willing = simulatedTeam(talk);
const options = { targetTokens: 14, learningRate: 2e-4, maxPrice: 0.05 };

test.each([
  { antiWindup: true, iterationsToLeaveMax: [0, 10] },
  { antiWindup: false, iterationsToLeaveMax: [100, Infinity] },
])("after 200 saturated iterations, anti-windup $antiWindup", ({ antiWindup, iterationsToLeaveMax }) => {
  const controller = dualController({ ...options, antiWindup });
  const saturated = simulate(controller, stubborn, 200, 1);
  expect(saturated.end.controller.price).toBe(0.05);
  expect(saturated.rows.at(-1)?.diagnostics).toMatchObject({ saturated: 1, violation: 16 });
  if (antiWindup) expect(saturated.end.controller.integral).toBe(0.05);
  else expect(saturated.end.controller.integral).toBeGreaterThan(0.5);

  // At maximum the willing team settles at 60 exp(-2) = 8.1, below budget: the price must come down.
  const { rows } = simulate(controller, willing, 400, saturated.end);
  const leaves = rows.findIndex((row) => row.price < 0.05);
  const [soonest, latest] = iterationsToLeaveMax as [number, number];
  expect(leaves === -1 ? Infinity : leaves).toBeGreaterThanOrEqual(soonest);
  expect(leaves === -1 ? Infinity : leaves).toBeLessThanOrEqual(latest);
  const late = rows.slice(150, 200).reduce((sum, row) => sum + row.tokens, 0) / 50;
  if (antiWindup) expect(Math.abs(late / 14 - 1)).toBeLessThan(0.1);
  else expect(late).toBeLessThan(9);
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
