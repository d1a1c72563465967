/** The metrics of a step that a sink sends. None of them can hold a number that is not finite, so a chart has a gap there. */
export function finiteMetrics(metrics: Readonly<Record<string, number>>): [name: string, value: number][] {
  return Object.entries(metrics).filter(([name, value]) => name !== "step" && Number.isFinite(value));
}
