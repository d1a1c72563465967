import type { SamplerSettings } from "./fleet-setting.ts";
import { samplingServers } from "./open-fleet.ts";

/** How a server is, as far as one can ask without weights. */
export interface ServerLook {
  readonly kind: string;
  readonly url: string;
  readonly works: boolean;
  readonly detail: string;
}

/** Asks each server for its health, version, context and adapters. */
export function lookAtServers(sampler: SamplerSettings): Promise<ServerLook[]> {
  return Promise.all(
    samplingServers(sampler).map(async (server): Promise<ServerLook> => {
      const { kind, url } = server;
      try {
        const signal = AbortSignal.timeout(10_000);
        const { version, contextLength } = await server.facts(signal);
        const adapters = await server.names(signal);
        const known = [
          ...(version === null ? [] : [`version ${version}`]),
          ...(contextLength === null ? [] : [`${contextLength} tokens of context`]),
          `${adapters.length} adapters loaded`,
        ];
        return { kind, url, works: true, detail: known.join(", ") };
      } catch (error) {
        return { kind, url, works: false, detail: (error as Error).message };
      }
    }),
  );
}
