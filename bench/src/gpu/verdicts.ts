/** Report row with its section. */
export type Found = Readonly<Record<string, unknown>> & { readonly section: string };

/** Verdict on a default. */
export interface Verdict {
  readonly setting: string;
  readonly says: "keep" | "change" | "open";
  readonly why: string;
}

export function verdicts(rows: readonly Found[]): Verdict[] {
  return [deterministic(rows)];
}

/** `deterministic` promises equal bits in two processes. */
function deterministic(rows: readonly Found[]): Verdict {
  const setting = "deterministic (off)";
  const twice = rows.filter((row) => row.section === "twice" && typeof row["same"] === "boolean");
  const [ordered, usual] = [true, false].map((on) => twice.find((row) => row["deterministic"] === on));
  if (!ordered || !usual) return open(setting, "the part `twice` is missing");
  const why = `two runs have ${ordered["same"] === true ? "the same" : "other"} bits with it, and ${usual["same"] === true ? "the same" : "other"} without`;
  // A broken promise is a defect.
  return { setting, says: ordered["same"] === true ? "keep" : "open", why };
}

function open(setting: string, why: string): Verdict {
  return { setting, says: "open", why };
}
