import type { Random } from "../../packages/core/src/index.ts";

/** Fault at an event, or at the next event where it is possible. */
export type Fault = { readonly at: number } & (
  | {
      /** Kills the program, or all programs on power loss. `share` of the current write reaches the disk. */
      readonly kind: "kill" | "power";
      readonly share: number;
      /** Flips a bit of a closed file whose path contains this part. */
      readonly rots?: string;
    }
  | { readonly kind: "error"; readonly of: "read" | "write" | "sync" | "rename" }
  /** The disk is full for this many events; `share` of the first affected write still fits. */
  | { readonly kind: "full"; readonly events: number; readonly share: number }
  | { readonly kind: "slow"; readonly events: number }
  | { readonly kind: "signal" }
  | { readonly kind: "pause"; readonly ms: number }
  /** Moves all clocks forward, or only the wall clock back. */
  | { readonly kind: "jump"; readonly ms: number }
  /** The device lacks memory for its next call. */
  | { readonly kind: "memory" }
  /** `at` counts server replies here. */
  | { readonly kind: "server"; readonly how: ServerFault }
);

/**
 * - `slow`: answers after 15 minutes
 * - `status`: refuses temporarily without effect
 * - `cut`: executes the request; the connection breaks during the reply
 * - `dead`: refuses connections
 * - `lie`: executes it, and answers wrongly as the scenario defines
 * - `garbage`: executes it, and answers with invalid JSON
 * - `lost`: executes it; the reply is lost
 * - `duplicate`: receives the request twice
 * - `restart`: crashes on the request, and restarts without its memory
 */
export type ServerFault = "slow" | "status" | "cut" | "dead" | "lie" | "garbage" | "lost" | "duplicate" | "restart";

const serverFaults: readonly ServerFault[] = ["slow", "status", "cut", "dead", "lie", "garbage"];

export interface FaultRange {
  readonly kinds: readonly Fault["kind"][];
  /** Max event, or server reply, at which faults begin. */
  readonly events: number;
  readonly replies?: number;
  readonly servers?: readonly ServerFault[];
  readonly rots?: readonly string[];
}

/** Draws up to four faults; one in ten seeds has none. */
export function drawFaults(
  random: Random,
  { kinds, events, replies = 0, servers = serverFaults, rots = [] }: FaultRange,
): Fault[] {
  const count = random.uniform() < 0.1 ? 0 : 1 + random.integer(4);
  const drawn = Array.from({ length: count }, (): Fault => {
    const kind = kinds[random.integer(kinds.length)] as Fault["kind"];
    const index = 1 + random.integer(events);
    const [share, die, choice] = [random.uniform(), random.uniform(), random.integer(1 << 20)];
    switch (kind) {
      case "kill":
      case "power": {
        const rotten = rots.length > 0 && die > 0.9 ? { rots: rots[choice % rots.length] as string } : {};
        return { at: index, kind, share: die < 0.5 ? share : 0, ...rotten };
      }
      case "error":
        return { at: index, kind, of: (["read", "write", "sync", "rename"] as const)[choice % 4] as "read" };
      case "full":
        return { at: index, kind, events: 1 + Math.floor(40 * share), share: die < 0.5 ? 0 : die };
      case "slow":
        return { at: index, kind, events: 1 + Math.floor(100 * share) };
      case "signal":
      case "memory":
        return { at: index, kind };
      case "pause":
        return { at: index, kind, ms: Math.round(share * (die < 0.5 ? 5_000 : 36_000_000)) };
      case "jump":
        return { at: index, kind, ms: (die < 0.5 ? -1 : 1) * Math.round(share * 36_000_000) };
      case "server":
        return { at: 1 + (choice % replies), kind, how: servers[Math.floor(share * servers.length)] as ServerFault };
    }
  });
  return drawn.toSorted((a, b) => a.at - b.at);
}

export function describeFault(fault: Fault): string {
  const { at, kind, ...rest } = fault;
  const facts = Object.entries(rest).map(
    ([name, value]) => `${name} ${typeof value === "number" ? Number(value.toFixed(3)) : value}`,
  );
  return [`${kind} at ${at}`, ...facts].join(", ");
}

/** Shortest and earliest list of faults that still fails. @param fails - plays the scenario with other faults */
export async function shrink(
  faults: readonly Fault[],
  fails: (faults: readonly Fault[]) => Promise<boolean>,
): Promise<readonly Fault[]> {
  let best = faults;
  for (let i = 0; i < best.length;) {
    const fewer = best.toSpliced(i, 1);
    if (await fails(fewer)) best = fewer;
    else i += 1;
  }
  for (let i = 0; i < best.length; i++)
    for (let step = Math.ceil((best[i] as Fault).at / 2); step >= 1;) {
      const fault = best[i] as Fault;
      const earlier = best.with(i, { ...fault, at: fault.at - step });
      if (fault.at - step >= 1 && (await fails(earlier))) best = earlier;
      else step = step === 1 ? 0 : Math.ceil(step / 2);
    }
  return best;
}
