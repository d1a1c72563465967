import type { OptimizerSettings } from "../engine.ts";
import { LaconicError } from "../errors.ts";

type Rule = readonly [key: keyof OptimizerSettings, fits: (value: number) => boolean, expected: string];

const finite = (value: number): boolean => value >= 0 && value < Infinity;
const decayRate = (value: number): boolean => value >= 0 && value < 1;

const rules: readonly Rule[] = [
  ["learningRate", finite, "a number from 0"],
  ["beta1", decayRate, "a number in [0, 1)"],
  ["beta2", decayRate, "a number in [0, 1)"],
  // With 0, a parameter that never had a gradient becomes 0 / 0.
  ["epsilon", (value) => value > 0 && value < Infinity, "a number above 0"],
  ["weightDecay", finite, "a number from 0"],
  ["maxGradNorm", (value) => value > 0, "a number above 0, or Infinity"],
];

/** What every engine refuses to step with. @throws LaconicError `config_invalid` naming the setting. */
export function checkOptimizerSettings(settings: OptimizerSettings): void {
  for (const [key, fits, expected] of rules)
    if (!fits(settings[key]))
      throw new LaconicError("config_invalid", `optimizer: ${key} is ${settings[key]}, expected ${expected}`, { key });
}
