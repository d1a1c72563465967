interface GroupedEvaluation {
  readonly step: number;
  readonly groups?: Readonly<
    Record<
      string,
      {
        readonly problems: number;
        readonly accuracy: number;
        readonly measures: Readonly<Record<string, number>>;
      }
    >
  >;
}

/** A measure at one point of a run. */
export interface FamilyColumn {
  /** `right`, or a reward measure, such as `idle silent`. */
  readonly measure: string;
  /** `step 0`, `step 50` or `test`. */
  readonly at: string;
}

/** Results of one problem family by column. */
export interface FamilyRow {
  readonly family: string;
  /** Whether the family is trained completely: groups called `known`. */
  readonly isTrained: boolean;
  readonly problems: number;
  /** Shares 0..1 by column. */
  readonly shares: readonly (number | null)[];
}

/** Accuracy and measured shares by problem group. */
export interface FamilyTable {
  readonly columns: readonly FamilyColumn[];
  readonly rows: readonly FamilyRow[];
}

/** Heat map, trained families first; null without groups. @param evaluations - in the run's order */
export function familyTable(
  evaluations: readonly GroupedEvaluation[],
  test: GroupedEvaluation | null,
): FamilyTable | null {
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  const points = [
    ...(first ? [{ at: `step ${first.step}`, groups: first.groups ?? {} }] : []),
    ...(last && last !== first ? [{ at: `step ${last.step}`, groups: last.groups ?? {} }] : []),
    ...(test ? [{ at: "test", groups: test.groups ?? {} }] : []),
  ];
  const families = [...new Set(points.flatMap(({ groups }) => Object.keys(groups)))];
  if (families.length === 0) return null;
  const isShare = (measure: string): boolean =>
    points.every(({ groups }) => Object.values(groups).every(({ measures }) => within(measures[measure])));
  const counted = new Set(
    points.flatMap(({ groups }) => Object.values(groups).flatMap(({ measures }) => Object.keys(measures))),
  );
  const measures = [...counted].filter((measure) => isShare(measure)).toSorted();
  const columns = ["right", ...measures].flatMap((measure) => points.map((point) => ({ measure, point })));
  const rows = families.map((family) => ({
    family,
    isTrained: family.startsWith("known"),
    problems: Math.max(...points.map(({ groups }) => groups[family]?.problems ?? 0)),
    shares: columns.map(({ measure, point: { groups } }) => {
      const group = groups[family];
      return (measure === "right" ? group?.accuracy : group?.measures[measure]) ?? null;
    }),
  }));
  return {
    columns: columns.map(({ measure, point: { at } }) => ({ measure: measure.replaceAll("_", " "), at })),
    rows: rows.toSorted(
      (a, b) => Number(b.isTrained) - Number(a.isTrained) || (a.family < b.family ? -1 : a.family > b.family ? 1 : 0),
    ),
  };
}

function within(value: number | undefined): boolean {
  return value === undefined || (value >= 0 && value <= 1);
}
