import { LaconicError, randomFromSeed, type Topology } from "@laconic/core";

/**
 * Combines topologies; a problem always gets the same one, so that its episodes are comparable.
 * @throws LaconicError `topology_invalid`
 */
export function mixture(topologies: readonly Topology[], name = "mixture"): Topology {
  if (topologies.length === 0) throw new LaconicError("topology_invalid", `mixture "${name}" has no topologies`);
  return {
    name,
    agents: [...new Set(topologies.flatMap(({ agents }) => agents))],
    run: (problem, context) => randomFromSeed(`${name}/${problem.id}`).pick(topologies).run(problem, context),
  };
}
