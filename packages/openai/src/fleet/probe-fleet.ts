import { LaconicError } from "@laconic/core";
import type { FleetModel } from "./fleet-model.ts";
import type { Fleet } from "./fleet.ts";
import { probeServer, type ProbeOptions, type ServerRecord } from "./probe-server.ts";

/** What probes found out about a fleet. */
export interface FleetRecord {
  readonly servers: readonly ServerRecord[];
  /** Servers that were refused, and why. */
  readonly refused: readonly { readonly url: string; readonly reason: string }[];
  /** Mean gap of the worst server. */
  readonly gap: number;
  /** Largest mean gap that was allowed. */
  readonly tolerance: number;
  /** Largest mean gap that is allowed for replies. */
  readonly replyTolerance: number;
}

/** Rounding of other kernels in float32. */
const minTolerance = 1e-3;

/**
 * Probes every server with the weights of now. Those that do otherwise than they have to, or do not answer, go into quarantine,
 * which a later probe ends.
 * @throws LaconicError `api_refused` or `api_unavailable` when no server is left, naming the reasons of all
 */
export async function probeFleet(fleet: Fleet, model: FleetModel, options: ProbeOptions): Promise<FleetRecord> {
  const { tolerance = 0.1 } = options;
  const weights = await model.published();
  const servers: ServerRecord[] = [];
  // Those that took no weights are in quarantine already.
  const refused = fleet.servers.flatMap(({ url, state, reason }) =>
    state === "quarantined" ? [{ url, reason: reason ?? `${url}: was left out before` }] : [],
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
  if (servers.length === 0) throw new LaconicError(code, `no server of the fleet can be trained on: ${reasons}`);
  const gap = Math.max(...servers.map((server) => server.gap.mean));
  fleet.tolerance = Math.max(minTolerance, 5 * Math.max(...servers.map(({ checkGap }) => checkGap)));
  // Random tokens are rounded more than those of replies: room for what training does to them.
  fleet.replyTolerance = Math.min(tolerance, Math.max(fleet.tolerance, 5 * gap));
  fleet.rawServers = new Set(servers.filter(({ logProbsAt }) => logProbsAt === "one").map(({ url }) => url));
  fleet.probe = async (server) => {
    const { logProbsAt } = await model.probed(server, { ...options, tolerance: fleet.replyTolerance });
    if (logProbsAt === "one") fleet.rawServers = new Set([...fleet.rawServers, server.url]);
  };
  const order = (a: { readonly url: string }, b: { readonly url: string }): number => (a.url < b.url ? -1 : 1);
  const { replyTolerance } = fleet;
  return { servers: servers.toSorted(order), refused: refused.toSorted(order), gap, tolerance, replyTolerance };
}
