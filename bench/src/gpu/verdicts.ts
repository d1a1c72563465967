/** A line of a GPU's report: its section, and what it found. */
export type Found = Readonly<Record<string, unknown>> & { readonly section: string };

/** What a run on a GPU says of a default. */
export interface Verdict {
  readonly setting: string;
  /** `keep` and `change` need all that they rest on to be there; else it stays `open`. */
  readonly says: "keep" | "change" | "open";
  readonly why: string;
}

/** Which defaults may change, by what was found and by nothing else. */
export function verdicts(rows: readonly Found[]): Verdict[] {
  return [graphs(rows), deterministic(rows)];
}

/** Graphs are off: they may go on where replies are the same and every number of rows decodes faster. */
function graphs(rows: readonly Found[]): Verdict {
  const setting = "graphs (off)";
  const ours = rows.filter((row) => row.section === "graphs");
  const conformance = ours.find((row) => row["of"] === "conformance");
  const same = ours.filter((row) => row["of"] === "same replies");
  const steps = ours.filter((row) => row["of"] === "decode step");
  const times = steps.map(({ rows: count, what, ms }) => ({ count, what, ms: Number(ms) }));
  const pairs = times
    .filter(({ what }) => what === "graphs")
    .map((graph) => [graph, times.find(({ count, what }) => count === graph.count && what === "launches")] as const);
  if (!conformance || same.length === 0 || pairs.length === 0) return open(setting, "the part `graphs` is missing");
  const failures = (conformance["failures"] as readonly string[] | undefined) ?? ["conformance did not run"];
  const differing = same.reduce((sum, row) => sum + Number(row["differing"]), 0);
  const faster = pairs.every(([graph, launches]) => launches !== undefined && graph.ms < launches.ms);
  const said = pairs
    .map(([graph, launches]) => `${String(graph.count)} rows ${graph.ms} and ${launches?.ms} ms`)
    .join(", ");
  const why = `${failures.length} cases failed; ${differing} replies differ; a step as a graph and without: ${said}`;
  return { setting, says: failures.length === 0 && differing === 0 && faster ? "change" : "keep", why };
}

/** What `deterministic` promises: two processes with the same bits. */
function deterministic(rows: readonly Found[]): Verdict {
  const setting = "deterministic (off)";
  const twice = rows.filter((row) => row.section === "twice" && typeof row["same"] === "boolean");
  const [ordered, usual] = [true, false].map((on) => twice.find((row) => row["deterministic"] === on));
  if (!ordered || !usual) return open(setting, "the part `twice` is missing");
  const why = `two runs have ${ordered["same"] === true ? "the same" : "other"} bits with it, and ${usual["same"] === true ? "the same" : "other"} without`;
  // Where it does not keep its promise it is a defect, no default.
  return { setting, says: ordered["same"] === true ? "keep" : "open", why };
}

function open(setting: string, why: string): Verdict {
  return { setting, says: "open", why };
}
