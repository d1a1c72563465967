import type { TrainableModel } from "@laconic/core";
import type { Fleet } from "./fleet.ts";
import { FleetModel, type FleetModelOptions } from "./fleet-model.ts";

/**
 * A policy of `@laconic/trainer` that trains where it did and samples on a fleet. All else of it stays: how it speaks, who
 * speaks with it, what it learns by.
 * @throws LaconicError `config_invalid` for a name that no server takes
 */
export function fleetPolicy<P extends { readonly model: TrainableModel }>(
  policy: P,
  fleet: Fleet,
  options: FleetModelOptions,
): Omit<P, "model"> & { readonly model: FleetModel } {
  return { ...policy, model: new FleetModel(policy.model, fleet, options) };
}
