/**
 * Distributes items over replicas so that the loads are even: heaviest first, each to the lightest replica.
 * Depends on the costs alone, so a batch is always distributed the same way. Each share keeps the batch's order.
 */
export function balance(costs: readonly number[], replicas: number): number[][] {
  const shares: number[][] = Array.from({ length: replicas }, () => []);
  const loads = new Array<number>(replicas).fill(0);
  const order = costs.map((_, i) => i).toSorted((a, b) => (costs[b] as number) - (costs[a] as number) || a - b);
  for (const item of order) {
    const lightest = loads.indexOf(Math.min(...loads));
    (shares[lightest] as number[]).push(item);
    loads[lightest] = (loads[lightest] as number) + (costs[item] as number);
  }
  return shares.map((share) => share.toSorted((a, b) => a - b));
}

/** The same for groups: items with equal keys stay together. */
export function balanceGroups(keys: readonly string[], costs: readonly number[], replicas: number): number[][] {
  const groups = new Map<string, number[]>();
  keys.forEach((key, i) => {
    const group = groups.get(key);
    if (group) group.push(i);
    else groups.set(key, [i]);
  });
  const members = [...groups.values()];
  const groupCosts = members.map((group) => group.reduce((sum, i) => sum + (costs[i] as number), 0));
  return balance(groupCosts, replicas).map((share) =>
    share.flatMap((g) => members[g] as number[]).toSorted((a, b) => a - b),
  );
}
