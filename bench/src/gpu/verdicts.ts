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
  return [deterministic(rows)];
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
