/** One logged step: metric name to value. */
export type MetricRow = Readonly<Record<string, number>>;
