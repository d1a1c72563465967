import { countTokens, type Ledger, type TokenCount, type UnknownRecord } from "@laconic/core";
import { chargesOf, type Charge } from "@laconic/core/ledger";
import { rewardTerms } from "@laconic/rewards";
import type { StoredContent, StoredPolicy, StoredRollout } from "@laconic/core/run-folder";

type Numbers = Readonly<Record<string, number | null>>;

/** What the settings of a training say about its costs. */
export interface CostSettings {
  /** Costs by name; Eq. 1's where the settings have none. */
  readonly names: readonly string[];
  /** Those that are paid per token. */
  readonly counts: ReadonlyMap<string, TokenCount>;
  readonly costWhenTaskAtLeast?: number;
}

/** @param train - settings of the training, as a run folder has them */
export function costSettingsOf({ costs, costWhenTaskAtLeast: from }: UnknownRecord): CostSettings {
  const threshold = typeof from === "number" && from > 0 && from <= 1 ? { costWhenTaskAtLeast: from } : {};
  if (typeof costs !== "object" || costs === null)
    return {
      names: ["tokens", "turns", "repetition"],
      counts: new Map([["tokens", { kind: "tokens-written" }]]),
      ...threshold,
    };
  const counts = Object.entries(costs as UnknownRecord).flatMap(([name, cost]): [string, TokenCount][] => {
    const { kind, by, from: sender } = typeof cost === "object" && cost !== null ? (cost as UnknownRecord) : {};
    if (kind !== "tokens-written" && kind !== "tokens-read") return [];
    return [
      [name, { kind, ...(typeof by === "string" && { by }), ...(typeof sender === "string" && { from: sender }) }],
    ];
  });
  return { names: Object.keys(costs), counts: new Map(counts), ...threshold };
}

/** Of a transcript, which has terms but no units: those that are paid per token are counted anew. */
function transcribedCharges(terms: Numbers, ledger: Ledger, { names, counts }: CostSettings): readonly Charge[] {
  const units = names.map((name) => {
    const count = counts.get(name);
    return [name, count ? countTokens(ledger, count) : Number.NaN] as const;
  });
  return chargesOf(Object.fromEntries(units), terms, counts);
}

/**
 * What an episode of a step was charged. Where policies have prices of their own, each pays for the words of its agents, and the
 * team's prices hold for the others.
 */
export function trainedCharges(content: StoredContent, number: number, settings: CostSettings): readonly Charge[] {
  const rollout = content.rollouts?.[number];
  const { score, ledger = { calls: [] } } = content.episodes[rollout?.episode ?? -1] ?? {};
  if (!rollout) return [];
  const policies = Object.values(content.policies ?? {});
  const own = policies.filter(({ rewards }) => rewards !== undefined);
  const team = rollout.costs
    ? chargesOf(rollout.costs, rollout.terms, settings.counts)
    : transcribedCharges(rollout.terms, ledger, settings);
  if (own.length === 0) return team;
  const task = score?.status === "scored" && typeof score.value === "number" ? score.value : Number.NaN;
  const paying = own.flatMap((policy) =>
    policyCharges(policy, {
      rollout,
      number,
      ledger,
      task,
      settings,
      units: new Map(team.map((each) => [each.name, each.units])),
    }),
  );
  if (own.length === policies.length) return paying;
  const payers = new Set(own.flatMap(({ agents }) => agents));
  const others = new Set(ledger.calls.map(({ agent }) => agent).filter((agent) => !payers.has(agent)));
  const rest = team.map((charge) => {
    if (!charge.tokens || countTokens(ledger, charge.tokens) !== charge.units) return charge;
    const units = countTokens(callsOf(ledger, others), charge.tokens);
    const cost = charge.units === 0 ? 0 : (charge.cost * units) / charge.units;
    return { ...charge, units, cost, agents: others };
  });
  return [...paying, ...rest];
}

interface ChargeContext {
  readonly rollout: StoredRollout;
  readonly number: number;
  readonly ledger: Ledger;
  readonly task: number;
  readonly settings: CostSettings;
  /** Of the whole team. */
  readonly units: ReadonlyMap<string, number>;
}

/** A policy's own reward is kept, and its prices, but not its terms: tokens are priced anew, and what remains is of its other costs. */
function policyCharges({ agents, prices, rewards }: StoredPolicy, episode: ChargeContext): readonly Charge[] {
  const { rollout, ledger, task, settings, units } = episode;
  const own = new Set(agents);
  const counted = [...settings.counts].filter(
    ([name, count]) => (prices[name] ?? 0) > 0 && countTokens(ledger, count) === units.get(name),
  );
  const mine = Object.fromEntries(counted.map(([name, count]) => [name, countTokens(callsOf(ledger, own), count)]));
  const lambdas = Object.fromEntries(counted.map(([name]) => [name, prices[name] ?? 0]));
  const threshold = settings.costWhenTaskAtLeast;
  const terms = rewardTerms(
    { task, costs: mine },
    lambdas,
    threshold === undefined ? {} : { costWhenTaskAtLeast: threshold },
  );
  const charges = chargesOf(mine, terms, settings.counts).map((charge) => ({ ...charge, agents: own }));
  const earned = Object.entries(rollout.terms).reduce(
    (sum, [name, value]) => sum + (units.has(name) ? 0 : (value ?? 0)),
    0,
  );
  const known = charges.reduce((sum, { cost }) => sum + cost, 0);
  const others = earned - (rewards?.[episode.number] ?? Number.NaN) - known;
  return Math.abs(others) > 1e-9 ? [...charges, { name: "other costs", cost: others, units: Number.NaN }] : charges;
}

function callsOf({ calls }: Ledger, agents: ReadonlySet<string>): Ledger {
  return { calls: calls.filter(({ agent }) => agents.has(agent)) };
}
