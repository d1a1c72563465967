import { countTokens, isRecord, type Ledger, type TokenCount, type UnknownRecord } from "@laconic/core";
import { chargesOf, type Charge } from "@laconic/core/ledger";
import { rewardTerms } from "@laconic/rewards";
import type { StoredContent, StoredPolicy, StoredRollout } from "@laconic/core/run-folder";

export interface CostSettings {
  /** Names of all costs. Default: those of Eq. 1. */
  readonly names: readonly string[];
  /** Per-token costs. */
  readonly counts: ReadonlyMap<string, TokenCount>;
  readonly costWhenTaskAtLeast?: number;
}

/** @param train - training settings from the run folder */
export function costSettingsOf({ costs, costWhenTaskAtLeast: from }: UnknownRecord): CostSettings {
  const threshold = typeof from === "number" && from > 0 && from <= 1 ? { costWhenTaskAtLeast: from } : {};
  if (!isRecord(costs)) {
    const counts = new Map([["tokens", { kind: "tokens-written" } as const]]);
    return { names: ["tokens", "turns", "repetition"], counts, ...threshold };
  }
  const counts = new Map<string, TokenCount>();
  for (const [name, cost] of Object.entries(costs)) {
    const { kind, by, from: sender } = isRecord(cost) ? cost : {};
    if (kind === "tokens-written" || kind === "tokens-read")
      counts.set(name, {
        kind,
        ...(typeof by === "string" && { by }),
        ...(typeof sender === "string" && { from: sender }),
      });
  }
  return { names: Object.keys(costs), counts, ...threshold };
}

/** Charges of a training episode. Policies with separate prices pay for their agents, the team's prices for others. */
export function trainedCharges(content: StoredContent, number: number, settings: CostSettings): readonly Charge[] {
  const rollout = content.rollouts?.[number];
  if (!rollout) return [];
  const { score, ledger = { calls: [] } } = content.episodes[rollout.episode] ?? {};
  // Transcripts have terms without units, so token costs are counted here.
  const units =
    rollout.costs ??
    Object.fromEntries(
      settings.names.map((name) => {
        const count = settings.counts.get(name);
        return [name, count ? countTokens(ledger, count) : Number.NaN];
      }),
    );
  const team = chargesOf(units, rollout.terms, settings.counts);
  const policies = Object.values(content.policies ?? {});
  const paying = policies.filter(({ rewards }) => rewards !== undefined);
  if (paying.length === 0) return team;
  const task = score?.status === "scored" && typeof score.value === "number" ? score.value : Number.NaN;
  const teamUnits = new Map(team.map((charge) => [charge.name, charge.units]));
  const episode = { rollout, number, ledger, task, settings, teamUnits };
  const charges = paying.flatMap((policy) => policyCharges(policy, episode));
  if (paying.length === policies.length) return charges;
  const payers = new Set(paying.flatMap(({ agents }) => agents));
  const others = new Set(ledger.calls.map(({ agent }) => agent).filter((agent) => !payers.has(agent)));
  const rest = team.map((charge) => {
    if (!charge.tokens || countTokens(ledger, charge.tokens) !== charge.units) return charge;
    const own = countTokens(callsOf(ledger, others), charge.tokens);
    const cost = charge.units === 0 ? 0 : (charge.cost * own) / charge.units;
    return { ...charge, units: own, cost, agents: others };
  });
  return [...charges, ...rest];
}

interface ChargedEpisode {
  readonly rollout: StoredRollout;
  readonly number: number;
  readonly ledger: Ledger;
  readonly task: number;
  readonly settings: CostSettings;
  /** Units by cost name. */
  readonly teamUnits: ReadonlyMap<string, number>;
}

/** Charges of a policy. Its record has reward and prices only: tokens are priced here, the rest is "other costs". */
function policyCharges(
  { agents, prices, rewards }: StoredPolicy,
  { rollout, number, ledger, task, settings, teamUnits }: ChargedEpisode,
): readonly Charge[] {
  const members = new Set(agents);
  const counted = [...settings.counts].filter(
    ([name, count]) => (prices[name] ?? 0) > 0 && countTokens(ledger, count) === teamUnits.get(name),
  );
  const costs = Object.fromEntries(
    counted.map(([name, count]) => [name, countTokens(callsOf(ledger, members), count)]),
  );
  const lambdas = Object.fromEntries(counted.map(([name]) => [name, prices[name] ?? 0]));
  const { costWhenTaskAtLeast } = settings;
  const terms = rewardTerms({ task, costs }, lambdas, costWhenTaskAtLeast === undefined ? {} : { costWhenTaskAtLeast });
  const charges = chargesOf(costs, terms, settings.counts).map((charge) => ({ ...charge, agents: members }));
  const earned = Object.entries(rollout.terms).reduce(
    (sum, [name, value]) => sum + (teamUnits.has(name) ? 0 : (value ?? 0)),
    0,
  );
  const priced = charges.reduce((sum, { cost }) => sum + cost, 0);
  const others = earned - (rewards?.[number] ?? Number.NaN) - priced;
  return Math.abs(others) > 1e-9 ? [...charges, { name: "other costs", cost: others, units: Number.NaN }] : charges;
}

function callsOf({ calls }: Ledger, agents: ReadonlySet<string>): Ledger {
  return { calls: calls.filter(({ agent }) => agents.has(agent)) };
}
