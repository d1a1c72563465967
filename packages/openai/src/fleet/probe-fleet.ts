import { LaconicError } from "@laconic/core";
import type { FleetModel } from "./fleet-model.ts";
import type { Fleet } from "./fleet.ts";
import { probeServer, type ProbeOptions, type ServerRecord } from "./probe-server.ts";

/** Result of probing a fleet. */
export interface FleetRecord {
  readonly servers: readonly ServerRecord[];
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
  /** Mean gap of the worst server. */
  readonly gap: number;
  readonly tolerance: number;
  readonly replyTolerance: number;
}

/** Rounding differences of float32 kernels. */
const minTolerance = 1e-3;

/**
 * Probes every server with the current weights; failing ones are quarantined.
 * @throws LaconicError `api_refused` or `api_unavailable` if no server is left, with all reasons
 */
export async function probeFleet(fleet: Fleet, model: FleetModel, options: ProbeOptions): Promise<FleetRecord> {
  const { tolerance = 0.1 } = options;
  const weights = await model.published();
  const servers: ServerRecord[] = [];
  const refused = fleet.servers.flatMap(({ url, state, reason }) =>
    state === "quarantined" ? [{ url, reason: reason ?? `${url}: already in quarantine` }] : [],
  );
  let code: LaconicError["code"] = "api_refused";
  await Promise.all(
    fleet.asked.map(async (server) => {
      try {
        servers.push(await probeServer(server, weights, model, { ...options, limit: () => fleet.limit() }));
      } catch (error) {
        if (!LaconicError.is(error)) throw error;
        ({ code } = error);
        refused.push({ url: server.url, reason: error.message });
        fleet.quarantine(server.url, error);
      }
    }),
  );
  const reasons = refused.map(({ reason }) => reason).join("; ");
  if (servers.length === 0) throw new LaconicError(code, `no server of the fleet passed the probe: ${reasons}`);
  const gap = Math.max(...servers.map((server) => server.gap.mean));
  fleet.tolerance = Math.max(minTolerance, 5 * Math.max(...servers.map(({ checkGap }) => checkGap)));
  // Random tokens have larger rounding errors; the factor leaves room for training.
  fleet.replyTolerance = Math.min(tolerance, Math.max(fleet.tolerance, 5 * gap));
  fleet.rawServers = new Set(servers.filter(({ logProbsAt }) => logProbsAt === "one").map(({ url }) => url));
  fleet.probe = async (server) => {
    const { logProbsAt } = await model.probed(server, { ...options, tolerance: fleet.replyTolerance });
    if (logProbsAt === "one") fleet.rawServers = new Set([...fleet.rawServers, server.url]);
  };
  const order = (a: { readonly url: string }, b: { readonly url: string }) => (a.url < b.url ? -1 : 1);
  const { replyTolerance } = fleet;
  return { servers: servers.toSorted(order), refused: refused.toSorted(order), gap, tolerance, replyTolerance };
}
