import { randomFromSeed } from "../../packages/core/src/index.ts";
import { drawFaults, shrink, type Fault } from "./faults.ts";
import { onMachine } from "./machine.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/table.ts";
import { World } from "./world.ts";
import { Violation } from "./program.ts";

/** What a seed came to. */
export interface Outcome {
  readonly seed: number;
  readonly events: number;
  /** SHA-256 of all events. */
  readonly trace: string;
  readonly faults: readonly Fault[];
  readonly met: readonly Fault[];
  /** What does not hold; null where all does. */
  readonly violation: string | null;
  readonly lines: readonly string[];
  /** What the seed trains, where it draws that. */
  readonly variant: unknown;
}

/** How a seed is played. */
export interface PlayOptions {
  /** Range of events that faults begin in; that of the scenario by default. */
  readonly events?: number;
  /** Instead of those of the seed. */
  readonly faults?: readonly Fault[];
  readonly keepsLines?: boolean;
}

/** @throws Error for a name that is none */
function scenarioNamed(name: string): Scenario {
  const found = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (!found) throw new Error(`no scenario is called ${name}; there are ${Object.keys(scenarios).join(", ")}`);
  return found;
}

/** Plays a scenario under the faults of a seed. The same seed gives the same trace. */
export async function playSeed(name: string, seed: number, options: PlayOptions = {}): Promise<Outcome> {
  const scenario = scenarioNamed(name);
  const random = randomFromSeed(`${name}/${seed}`);
  const range = { ...scenario.faults, ...(options.events !== undefined && { events: options.events }) };
  const faults = options.faults ?? drawFaults(random.split("faults"), range);
  const world = new World(`${name}/${seed}`, faults, options.keepsLines);
  world.keyHosts = scenario.keyHosts ?? [];
  const unhandled = (error: unknown): void => {
    world.violate(`nobody handles an error: ${error instanceof Error ? error.stack : String(error)}`);
  };
  process.on("unhandledRejection", unhandled);
  let violation: string | null = null;
  let plan: unknown = null;
  try {
    plan = await scenario.plan?.(random.split("plan"));
    await onMachine(world, scenario.server?.(world) ?? null, () => scenario.play(world, random.split("variant"), plan));
    if (world.violation) throw world.violation;
  } catch (error) {
    violation = error instanceof Violation ? error.message : `the simulation fails: ${(error as Error).stack}`;
  } finally {
    process.off("unhandledRejection", unhandled);
  }
  return {
    seed,
    events: world.events,
    trace: world.trace(),
    faults,
    met: world.faults.met,
    violation,
    lines: world.lines ?? [],
    variant: (plan as { readonly variant?: unknown } | null | undefined)?.variant ?? null,
  };
}

/** The shortest schedule of a failing seed's faults under which it still fails. */
export function shrunk(name: string, { seed, faults }: Outcome): Promise<readonly Fault[]> {
  return shrink(faults, async (fewer) => (await playSeed(name, seed, { faults: fewer })).violation !== null);
}
