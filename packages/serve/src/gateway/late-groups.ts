/** Groups by their age: the step whose weights wrote their oldest reply. */
export interface GroupAges {
  /** Of complete groups, the oldest first. */
  readonly ready: readonly number[];
  /** Of groups that are still played. */
  readonly played: readonly number[];
}

/** What takes groups. */
export interface Taking {
  readonly step: number;
  readonly maxLag: number;
  readonly groupsPerStep: number;
}

/**
 * Whether a step that could begin has to wait for a group that is still played: where it took younger ones instead, more groups
 * of some age would be left than the steps that may still take them. A step that has none but such old ones gains nothing by waiting.
 */
export function isWorthWaiting({ ready, played }: GroupAges, { step, maxLag, groupsPerStep }: Taking): boolean {
  const youngest = ready.slice(0, groupsPerStep).at(-1) ?? step;
  const left = [...ready.slice(groupsPerStep), ...played];
  return played.some((age) => {
    const inTime = (age + maxLag - step) * groupsPerStep;
    return age < youngest && left.filter((each) => each <= age).length > inTime;
  });
}
