import type { Random } from "../../packages/core/src/index.ts";

/** Something that goes wrong at an event, or at the next one that it can go wrong at. */
export type Fault = { readonly at: number } & (
  | {
      /** The program dies, or with the power all of them. `share` of what it writes just then reaches the disk. */
      readonly kind: "kill" | "power";
      readonly share: number;
      /** A bit of a closed file of which the path has this part turns. */
      readonly rots?: string;
    }
  | { readonly kind: "error"; readonly of: "read" | "write" | "sync" | "rename" }
  /** No room for so many events; `share` of the first write that meets it still finds some. */
  | { readonly kind: "full"; readonly events: number; readonly share: number }
  | { readonly kind: "slow"; readonly events: number }
  /** The program is asked to end, as by ctrl-c. */
  | { readonly kind: "signal" }
  /** The program stands still, and the others go on. */
  | { readonly kind: "pause"; readonly ms: number }
  /** Clocks move: all of them forward, the wall clock alone back. */
  | { readonly kind: "jump"; readonly ms: number }
  /** The device has no memory for what is asked of it next. */
  | { readonly kind: "memory" }
  /** `at` counts replies of servers here. */
  | { readonly kind: "server"; readonly how: ServerFault }
);

/**
 * - `slow`: answers after a quarter of an hour
 * - `status`: refuses for now, and does nothing
 * - `cut`: does it, and the connection ends within the reply
 * - `dead`: nobody listens
 * - `lie`: does it, and answers otherwise, as the scenario says
 * - `garbage`: does it, and answers with what is no JSON
 * - `lost`: does it, and the reply never comes
 * - `duplicate`: is sent the request twice
 * - `restart`: dies with the request, and comes back without what it held in memory
 */
export type ServerFault = "slow" | "status" | "cut" | "dead" | "lie" | "garbage" | "lost" | "duplicate" | "restart";

/** What a scenario meets unless it says otherwise. */
const serverFaults: readonly ServerFault[] = ["slow", "status", "cut", "dead", "lie", "garbage"];

/** Which kinds a scenario meets, and in which range. */
export interface FaultRange {
  readonly kinds: readonly Fault["kind"][];
  /** Events, or replies of servers, in which they begin. */
  readonly events: number;
  readonly replies?: number;
  /** What may go wrong with a reply. */
  readonly servers?: readonly ServerFault[];
  /** Parts of paths that may rot. */
  readonly rots?: readonly string[];
}

/** Up to four, by the stream: a seed in ten has none. */
export function drawFaults(
  random: Random,
  { kinds, events, replies = 0, servers = serverFaults, rots = [] }: FaultRange,
): Fault[] {
  const count = random.uniform() < 0.1 ? 0 : 1 + random.integer(4);
  const drawn = Array.from({ length: count }, (): Fault => {
    const kind = kinds[random.integer(kinds.length)] as Fault["kind"];
    const at = 1 + random.integer(events);
    const [share, die, choice] = [random.uniform(), random.uniform(), random.integer(1 << 20)];
    switch (kind) {
      case "kill":
      case "power": {
        const rotten = rots.length > 0 && die > 0.9 ? { rots: rots[choice % rots.length] as string } : {};
        return { at, kind, share: die < 0.5 ? share : 0, ...rotten };
      }
      case "error":
        return { at, kind, of: (["read", "write", "sync", "rename"] as const)[choice % 4] as "read" };
      case "full":
        return { at, kind, events: 1 + Math.floor(40 * share), share: die < 0.5 ? 0 : die };
      case "slow":
        return { at, kind, events: 1 + Math.floor(100 * share) };
      case "signal":
      case "memory":
        return { at, kind };
      case "pause":
        return { at, kind, ms: Math.round(share * (die < 0.5 ? 5_000 : 36_000_000)) };
      case "jump":
        return { at, kind, ms: (die < 0.5 ? -1 : 1) * Math.round(share * 36_000_000) };
      case "server":
        return { at: 1 + (choice % replies), kind, how: servers[Math.floor(share * servers.length)] as ServerFault };
    }
  });
  return drawn.toSorted((a, b) => a.at - b.at);
}

/** In words. */
export function describeFault(fault: Fault): string {
  const { at, kind, ...rest } = fault;
  const facts = Object.entries(rest).map(
    ([name, value]) => `${name} ${typeof value === "number" ? Number(value.toFixed(3)) : value}`,
  );
  return [`${kind} at ${at}`, ...facts].join(", ");
}

/**
 * The shortest list of faults that still fails: without those that are not needed, and the others as early as they may be.
 * @param fails - plays the scenario with other faults
 */
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
