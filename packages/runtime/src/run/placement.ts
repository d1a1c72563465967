import { refuseSetting, type Engine } from "@laconic/core";
import { checkDeviceName } from "../devices/known-devices.ts";

/** Devices of models that are not on the run's `device`. A policy's frozen copies stay with it. */
export interface Placement {
  readonly policies?: Readonly<Record<string, string>>;
  /** Agents that do not learn. */
  readonly actor?: string;
  readonly teachers?: string;
}

/** @throws LaconicError `config_invalid` for a device of a model that the run does not have */
export function checkPlacement(
  { policies = {}, actor, teachers }: Placement,
  run: { readonly policies: readonly string[]; readonly hasLocalActor: boolean; readonly hasTeachers: boolean },
): void {
  const stray = Object.keys(policies).find((name) => !run.policies.includes(name));
  if (stray !== undefined)
    refuseSetting(`devices.policies.${stray}`, `unknown policy; this run has ${run.policies.join(", ")}`);
  if (actor !== undefined && !run.hasLocalActor)
    refuseSetting("devices.actor", "has no effect: no frozen agent has a local model; remove it");
  if (teachers !== undefined && !run.hasTeachers)
    refuseSetting("devices.teachers", "has no effect: no teachers; remove it");
  for (const device of [...Object.values(policies), actor, teachers]) {
    if (device === "auto") refuseSetting("devices", "name a device instead of auto");
    if (device !== undefined) checkDeviceName(device);
  }
}

/** Opens one engine per device; undefined is the run's device. */
export function enginesByDevice(
  main: Engine,
  open: (device: string) => Promise<Engine>,
): (device: string | undefined) => Promise<Engine> {
  const engines = new Map<string, Promise<Engine>>();
  return (device) => {
    if (device === undefined) return Promise.resolve(main);
    const engine = engines.get(device) ?? open(device);
    engines.set(device, engine);
    return engine;
  };
}
