import type { GatewayStatus } from "@laconic/serve";

/** `step 12: 3/8 groups, 5 rollouts open, 14 wait; 2 stale, 1 rerendered` */
export function gatewayLine({ step, groupsReady, groupsPerStep, open, waiting, ...counts }: GatewayStatus): string {
  const { dropped, prompts, otherSampling } = counts;
  const odd = [
    ...Object.entries(dropped).map(([reason, count]) => `${count} ${reason}`),
    ...(prompts["rerendered"] === undefined ? [] : [`${prompts["rerendered"]} rerendered`]),
    ...(otherSampling === 0 ? [] : [`${otherSampling} asked for other sampling`]),
  ];
  const groups = `${Math.min(groupsReady, groupsPerStep)}/${groupsPerStep} groups`;
  const line = `step ${(step ?? 0) + 1}: ${groups}, ${open} rollouts open, ${waiting} wait`;
  return odd.length === 0 ? line : `${line}; ${odd.join(", ")}`;
}
