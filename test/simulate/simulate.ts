import { randomFromSeed } from "../../packages/core/src/index.ts";
import { drawFaults, shrink, type Fault } from "./faults.ts";
import { onMachine } from "./machine.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/table.ts";
import { World } from "./world.ts";
import { Violation } from "./program.ts";

export interface Outcome {
  readonly seed: number;
  readonly events: number;
  /** SHA-256 of all events. */
  readonly trace: string;
  readonly faults: readonly Fault[];
  readonly met: readonly Fault[];
  /** Broken invariant; null if none. */
  readonly violation: string | null;
  readonly lines: readonly string[];
  readonly variant: unknown;
}

export interface PlayOptions {
  /** Range of events in which faults begin. Default: the scenario's. */
  readonly events?: number;
  /** Replaces the seed's faults. */
  readonly faults?: readonly Fault[];
  readonly keepsLines?: boolean;
}

/** @throws Error for an unknown name */
function scenarioNamed(name: string): Scenario {
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  if (!scenario) throw new Error(`no scenario is called ${name}; there are ${Object.keys(scenarios).join(", ")}`);
  return scenario;
}

/** Plays a scenario with a seed's faults. Equal seeds give equal traces. */
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

/** Shortest list of a failing seed's faults that still fails. */
export function shrunk(name: string, { seed, faults }: Outcome): Promise<readonly Fault[]> {
  return shrink(faults, async (fewer) => (await playSeed(name, seed, { faults: fewer })).violation !== null);
}
